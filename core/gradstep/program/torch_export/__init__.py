"""A program as a PyTorch script that does the same."""
