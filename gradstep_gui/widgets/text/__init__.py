"""Text to be read: scripts, lessons, formulas."""
