"""The parts of a PyTorch script that does what a program does."""
