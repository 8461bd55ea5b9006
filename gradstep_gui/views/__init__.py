"""The docks: each renders Snapshots and asks the controller for what a person does."""
