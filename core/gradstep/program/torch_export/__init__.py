"""Export a program as an equivalent PyTorch script."""
