"""Creation of tensors of the element type of another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.autograd.creation import empty, full, ones, tensor, zeros

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike, Number
    from gradstep.autograd.tensor import Tensor

__all__ = ["new_empty", "new_full", "new_ones", "new_tensor", "new_zeros"]


def new_tensor(
    input: Tensor,
    data: object,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a new tensor of `data`, of the element type of `input`.

    Example:
        >>> import gradstep_torch as torch
        >>> torch.tensor([1, 2]).new_tensor([3])
        tensor([3])
    """
    kind = input._array.dtype if dtype is None else dtype
    return tensor(data, dtype=kind, device=device, requires_grad=requires_grad)


def new_zeros(
    input: Tensor,
    *size: int | Sequence[int],
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return zeros of the element type of `input`."""
    kind = input._array.dtype if dtype is None else dtype
    return zeros(*size, dtype=kind, device=device, requires_grad=requires_grad)


def new_ones(
    input: Tensor,
    *size: int | Sequence[int],
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return ones of the element type of `input`."""
    kind = input._array.dtype if dtype is None else dtype
    return ones(*size, dtype=kind, device=device, requires_grad=requires_grad)


def new_empty(
    input: Tensor,
    *size: int | Sequence[int],
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor to be filled, of the element type of `input`; it holds zeros."""
    kind = input._array.dtype if dtype is None else dtype
    return empty(*size, dtype=kind, device=device, requires_grad=requires_grad)


def new_full(
    input: Tensor,
    size: Sequence[int],
    fill_value: Number,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor filled with one value, of the element type of `input`."""
    kind = input._array.dtype if dtype is None else dtype
    return full(size, fill_value, dtype=kind, device=device, requires_grad=requires_grad)
