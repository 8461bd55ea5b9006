"""The Event log: 40 bytes per Event."""
