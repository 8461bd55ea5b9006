"""Modules, losses and their parameters, as in torch.nn."""
