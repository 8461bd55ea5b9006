"""The schema of program documents: layers, criteria, data sets, optimizers, and their limits."""
