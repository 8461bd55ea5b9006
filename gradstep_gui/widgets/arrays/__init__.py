"""Arrays to look into: as colours, and as numbers."""
