"""Data sets and loaders, as in torch.utils.data."""
