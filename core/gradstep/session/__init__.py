"""Session files: a History with all its branches in one `.gradstep` file."""
