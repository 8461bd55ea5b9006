"""The window's side of what views may ask of the worker."""
