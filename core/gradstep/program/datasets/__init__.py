"""Data sets of every kind: made by a formula, read from files, or bundled."""

from gradstep.program.datasets.dataset import Dataset
from gradstep.program.datasets.load import load

__all__ = ["Dataset", "load"]
