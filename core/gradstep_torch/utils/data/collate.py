"""Making one batch of many samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import creation
from gradstep.autograd.ops.join import stack
from gradstep.autograd.tensor import Tensor
from gradstep.errors import ArgumentError, ArgumentTypeError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["default_collate"]


def default_collate(batch: Sequence[Any]) -> Any:
    """Return samples as one batch: tensors stacked, and containers of them part by part.

    Args:
        batch: Samples of one structure: tensors, arrays, numbers, strings, tuples, lists, dicts.

    Raises:
        ArgumentError: Sequences of different lengths.
        ArgumentTypeError: Something that cannot be put in a tensor.

    Example:
        >>> default_collate([(1.5, 0), (2.5, 1)])
        [tensor([1.5000, 2.5000], dtype=gradstep.float64), tensor([0, 1])]
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch))
    if isinstance(first, np.ndarray | np.generic):
        return creation.from_numpy(np.stack([np.asarray(sample) for sample in batch]))
    if isinstance(first, int | float):
        return creation.tensor(batch, dtype="float64" if isinstance(first, float) else None)
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, dict):
        return {key: default_collate([sample[key] for sample in batch]) for key in first}
    if isinstance(first, tuple | list):
        if len({len(sample) for sample in batch}) > 1:
            raise ArgumentError("each element in list of batch should be of equal size")
        parts = [default_collate(part) for part in zip(*batch, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else parts
    raise ArgumentTypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
        f"found {type(first).__name__}",
        "pass a collate_fn of your own",
    )
