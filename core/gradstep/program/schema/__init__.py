"""What a program document may say: layers, criteria, data sets, optimizers, and their limits."""
