"""Builds the live objects of a program from its validated document."""
