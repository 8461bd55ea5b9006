"""Reusable widgets that know nothing of training."""
