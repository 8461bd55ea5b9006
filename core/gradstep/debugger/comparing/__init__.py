"""Comparing two branches: where they diverge, and by how much."""
