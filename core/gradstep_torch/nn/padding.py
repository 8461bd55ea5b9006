"""Padding as modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from gradstep.nn.module import Module
from gradstep_torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.tensor import Tensor

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _Pad(Module):
    """Adds elements at the sides of the last dimensions."""

    mode: ClassVar[str]
    dimensions: ClassVar[int]

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = (
            (padding,) * 2 * self.dimensions if isinstance(padding, int) else tuple(padding)
        )

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with elements around it."""
        return functional.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        """Return how many elements on which side."""
        return str(self.padding)


class _ConstantPad(_Pad):
    """Adds elements of one value."""

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with elements around it."""
        return functional.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """Return how many elements on which side, and their value."""
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """Adds elements of one value at both ends of sequences.

    Args:
        padding: How many at each end, or (before, after); a negative number cuts off.
        value: Of the elements.

    Example:
        >>> import gradstep_torch as torch
        >>> ConstantPad1d((2, 1), 9)(torch.tensor([[1, 2]]))
        tensor([[9, 9, 1, 2, 9]])
    """

    dimensions = 1


class ConstantPad2d(_ConstantPad):
    """Adds elements of one value around images.

    Args:
        padding: How many on each side, or (left, right, top, bottom); a negative number cuts off.
        value: Of the elements.
    """

    dimensions = 2


class ConstantPad3d(_ConstantPad):
    """Adds elements of one value around volumes.

    Args:
        padding: How many on each side, or (left, right, top, bottom, front, back).
        value: Of the elements.
    """

    dimensions = 3


class _ZeroPad(_ConstantPad):
    """Adds zeros."""

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """Return how many elements on which side."""
        return str(self.padding)


class ZeroPad1d(_ZeroPad):
    """Adds zeros at both ends of sequences; `padding` as for `ConstantPad1d`."""

    dimensions = 1


class ZeroPad2d(_ZeroPad):
    """Adds zeros around images; `padding` as for `ConstantPad2d`."""

    dimensions = 2


class ZeroPad3d(_ZeroPad):
    """Adds zeros around volumes; `padding` as for `ConstantPad3d`."""

    dimensions = 3


class _ReflectionPad(_Pad):
    """Adds the elements inside, mirrored at the first and the last."""

    mode = "reflect"


class ReflectionPad1d(_ReflectionPad):
    """Mirrors sequences at their ends; `padding` as for `ConstantPad1d`.

    Example:
        >>> import gradstep_torch as torch
        >>> ReflectionPad1d(2)(torch.tensor([[1.0, 2.0, 3.0]]))
        tensor([[3., 2., 1., 2., 3., 2., 1.]])
    """

    dimensions = 1


class ReflectionPad2d(_ReflectionPad):
    """Mirrors images at their borders; `padding` as for `ConstantPad2d`."""

    dimensions = 2


class ReflectionPad3d(_ReflectionPad):
    """Mirrors volumes at their borders; `padding` as for `ConstantPad3d`."""

    dimensions = 3


class _ReplicationPad(_Pad):
    """Repeats the outermost elements."""

    mode = "replicate"


class ReplicationPad1d(_ReplicationPad):
    """Repeats the first and last elements of sequences; `padding` as for `ConstantPad1d`."""

    dimensions = 1


class ReplicationPad2d(_ReplicationPad):
    """Repeats the elements at the borders of images; `padding` as for `ConstantPad2d`."""

    dimensions = 2


class ReplicationPad3d(_ReplicationPad):
    """Repeats the elements at the borders of volumes; `padding` as for `ConstantPad3d`."""

    dimensions = 3


class _CircularPad(_Pad):
    """Goes on with the elements from the other side."""

    mode = "circular"


class CircularPad1d(_CircularPad):
    """Goes on with sequences from the other end; `padding` as for `ConstantPad1d`."""

    dimensions = 1


class CircularPad2d(_CircularPad):
    """Goes on with images from the other side; `padding` as for `ConstantPad2d`."""

    dimensions = 2


class CircularPad3d(_CircularPad):
    """Goes on with volumes from the other side; `padding` as for `ConstantPad3d`."""

    dimensions = 3
