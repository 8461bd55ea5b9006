"""The Series: what every iteration left behind, in columns."""
