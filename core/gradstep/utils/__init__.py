"""Helpers around training, as in torch.utils."""

from gradstep.utils import data

__all__ = ["data"]
