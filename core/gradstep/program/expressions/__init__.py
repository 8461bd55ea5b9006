"""Safe expressions: a formula's own whitelist of syntax, compiled to closures."""
