"""The objects that a program consists of while it runs: modules, losses, batches, loop."""
