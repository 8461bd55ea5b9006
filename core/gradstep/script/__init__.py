"""A user's own script, which runs in another process, as something that can be debugged."""
