"""Helpers around training, as in torch.utils."""

from gradstep_torch.utils import data

__all__ = ["data"]
