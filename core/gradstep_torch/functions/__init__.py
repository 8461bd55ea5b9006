"""The functions of torch itself, by subject."""
