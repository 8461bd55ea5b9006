"""Heuristics: measured values compared with a published threshold."""
