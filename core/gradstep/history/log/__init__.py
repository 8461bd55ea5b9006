"""The Event log: what happened, in 40 bytes an Event."""
