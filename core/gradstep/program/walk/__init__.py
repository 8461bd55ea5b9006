"""Inside an Operation: the code that carries it out, one MicroStep at a time."""
