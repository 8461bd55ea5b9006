"""torch.utils: data sets and loaders."""

from gradstep_torch.utils import data

__all__ = ["data"]
