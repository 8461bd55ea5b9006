"""Builds the live objects from a validated document, and rejects what does not fit together."""
