"""Session files: a History in one .gradstep file."""
