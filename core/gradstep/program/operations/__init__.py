"""What each Operation does to the live objects."""
