"""Helpers around training, as in torch.utils."""
