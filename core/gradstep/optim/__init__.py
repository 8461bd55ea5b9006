"""Optimizers, as in torch.optim; each names the terms of its update."""
