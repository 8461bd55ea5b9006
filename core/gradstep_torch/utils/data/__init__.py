"""Data sets and loaders, as in torch.utils.data."""

from typing import TYPE_CHECKING

from gradstep_torch.missing_names import missing_from
from gradstep_torch.utils.data.dataloader import DataLoader, default_collate
from gradstep_torch.utils.data.dataset import (
    ConcatDataset,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    random_split,
)
from gradstep_torch.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

__all__ = [
    "BatchSampler",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "default_collate",
    "random_split",
]

if not TYPE_CHECKING:  # type checkers must see only the real names
    __getattr__ = missing_from(__name__)
