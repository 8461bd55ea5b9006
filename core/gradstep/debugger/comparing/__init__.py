"""Comparing two branches: where they part, and by how much."""
