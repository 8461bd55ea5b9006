"""Attacks on what GradStep keeps and opens: `make torture`."""
