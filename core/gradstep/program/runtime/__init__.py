"""The live objects of a running program: modules, losses, batches, loop."""
