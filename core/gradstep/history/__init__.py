"""What happened, and how to get back to it: Events, Snapshots, Checkpoints, Series."""
