"""GradStep's window and command line."""
