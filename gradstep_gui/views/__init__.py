"""The docks: each renders Snapshots and forwards the user's commands to the controller."""
