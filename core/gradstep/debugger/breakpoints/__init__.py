"""Breakpoints: where a run stops, forwards and in the recorded past."""
