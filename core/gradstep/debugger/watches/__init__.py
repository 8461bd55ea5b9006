"""Watches: expressions whose values are told at any moment."""
