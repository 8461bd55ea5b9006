"""The functions in torch's top-level namespace, by subject."""
