"""The commands of `gradstep` that need no window."""
