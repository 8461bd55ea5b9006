"""Comparing two lines of Events: where they part, and by how much."""
