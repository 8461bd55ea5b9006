"""Stepping inside an Operation: the code that runs it, one MicroStep at a time."""
