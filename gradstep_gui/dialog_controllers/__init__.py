"""Dialog controllers: each asks the user something, runs it, and shows the result."""
