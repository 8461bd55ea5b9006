"""Expressions over the live state: their language, their cost, and the values they read."""
