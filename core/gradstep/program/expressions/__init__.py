"""Safe expressions: a whitelist of Python syntax, compiled to closures."""
