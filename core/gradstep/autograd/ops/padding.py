"""Padding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops.indexing import getitem
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["pad"]

_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


class ConstantPadNdBackward0(Node):
    """Padding with a constant; negative sizes crop. `context` holds (before, after) pairs."""

    __slots__ = ()
    rule = "input: grad without the padding"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Pad the gradient by the negative sizes, which crops the padding."""
        negated = [(-before, -after) for before, after in self.context]
        if isinstance(grad, Tensor):
            return (_pad_constant(grad, negated, 0.0),)
        return (_pad_array(grad, negated, 0.0),)


def _pad_array(x: Value, sides: Sequence[tuple[int, int]], value: float) -> Value:
    kept = tuple(
        slice(max(-before, 0), n - max(-after, 0))
        for n, (before, after) in zip(x.shape, sides, strict=True)
    )
    widths = [(max(before, 0), max(after, 0)) for before, after in sides]
    return np.pad(x[kept], widths, constant_values=x.dtype.type(value))


def _pad_constant(input: Tensor, sides: Sequence[tuple[int, int]], value: float) -> Tensor:
    out = wrap(_pad_array(input._array, sides, value))
    if grad_mode.current.enabled and input._requires_grad:
        record(ConstantPadNdBackward0, out, (input._grad_fn or input,), context=sides)
    return out


def _source_indices(n: int, before: int, after: int, mode: str) -> NDArray[np.int64]:
    """Return the index of the element, of `n`, at each padded position; negative sizes crop."""
    kept = np.arange(n)
    if mode == "circular":  # cropped elements do not wrap around
        kept = kept[max(-before, 0) : n - max(-after, 0)]
        before, after = max(before, 0), max(after, 0)
    how: Any = _MODES[mode]
    chosen = np.pad(kept, (max(before, 0), max(after, 0)), how)
    return chosen[max(-before, 0) : len(chosen) - max(-after, 0)]


def pad(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Tensor:
    """Pad the last dimensions of `input`.

    Args:
        input: Of any shape.
        pad: Elements before and after the last dimension, then the one before it, and so on;
            a negative number crops.
        mode: "constant", "reflect", "replicate" or "circular".
        value: Fill value of mode "constant"; 0 if None.

    Raises:
        TensorError: The padding does not match the shape.
        UnsupportedError: The mode is unknown, or not supported for this shape.

    Example:
        >>> import gradstep
        >>> pad(gradstep.tensor([[1, 2, 3]]), (2, 1), "constant", 9)
        tensor([[9, 9, 1, 2, 3, 9]])
    """
    x = input._array
    if len(pad) % 2:
        raise TensorError(f"Padding length must be divisible by 2, got {list(pad)}")
    padded = len(pad) // 2
    if padded > x.ndim:
        raise TensorError(
            f"Padding length should be less than or equal to two times the input dimension but got "
            f"padding length {len(pad)} and input of dimension {x.ndim}"
        )
    pairs = [(pad[2 * place], pad[2 * place + 1]) for place in reversed(range(padded))]
    sides = [(0, 0)] * (x.ndim - padded) + pairs
    if any(n + before + after < 0 for n, (before, after) in zip(x.shape, sides, strict=True)):
        raise TensorError(
            f"The input size {list(x.shape)}, plus negative padding {list(pad)}, resulted in a "
            "negative output size"
        )
    if mode == "constant":
        return _pad_constant(input, sides, 0.0 if value is None else value)
    if mode not in _MODES:
        raise UnsupportedError(
            f"Unrecognised padding mode {mode}",
            'use "constant", "reflect", "replicate", "circular"',
        )
    if not padded or x.ndim - padded not in {1, 2}:
        raise UnsupportedError(
            "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported: "
            f"{len(pad)} numbers go with {padded + 1} or {padded + 2} dimensions, not {x.ndim}",
            "pass two numbers for each dimension after the channels",
        )
    for axis, (n, (before, after)) in enumerate(zip(x.shape, sides, strict=True)):
        most = {"reflect": n - 1, "circular": n}.get(mode, max(before, after))
        if (before or after) and (max(before, after) > most or n == 0):
            raise TensorError(
                f"Padding size should be less than the corresponding input dimension, but got: "
                f"padding ({before}, {after}) at dimension {axis} of input {list(x.shape)}"
            )
        if before or after:
            chosen = _source_indices(n, before, after, mode)
            input = getitem(input, (*(slice(None),) * axis, wrap(chosen)))
    return input
