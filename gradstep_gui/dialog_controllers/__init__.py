"""Desks: each asks a person something, has it done, and shows what came of it."""
