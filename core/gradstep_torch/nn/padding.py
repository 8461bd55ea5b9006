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
    """The base of padding layers."""

    mode: ClassVar[str]
    dimensions: ClassVar[int]

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = (
            (padding,) * 2 * self.dimensions if isinstance(padding, int) else tuple(padding)
        )

    def forward(self, input: Tensor) -> Tensor:
        """Return the padded input."""
        return functional.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        """Return the padding."""
        return str(self.padding)


class _ConstantPad(_Pad):
    """The base of constant padding."""

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """Return the padded input."""
        return functional.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """Return the padding and its value."""
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """Pads sequences with a constant.

    Args:
        padding: The amount at each end, or (before, after); a negative amount crops.
        value: The constant.

    Example:
        >>> import gradstep_torch as torch
        >>> ConstantPad1d((2, 1), 9)(torch.tensor([[1, 2]]))
        tensor([[9, 9, 1, 2, 9]])
    """

    dimensions = 1


class ConstantPad2d(_ConstantPad):
    """Pads images with a constant.

    Args:
        padding: The amount on each side, or (left, right, top, bottom); a negative amount crops.
        value: The constant.
    """

    dimensions = 2


class ConstantPad3d(_ConstantPad):
    """Pads volumes with a constant.

    Args:
        padding: The amount on each side, or (left, right, top, bottom, front, back).
        value: The constant.
    """

    dimensions = 3


class _ZeroPad(_ConstantPad):
    """The base of zero padding."""

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """Return the padding."""
        return str(self.padding)


class ZeroPad1d(_ZeroPad):
    """Pads sequences with zeros; `padding` as for `ConstantPad1d`."""

    dimensions = 1


class ZeroPad2d(_ZeroPad):
    """Pads images with zeros; `padding` as for `ConstantPad2d`."""

    dimensions = 2


class ZeroPad3d(_ZeroPad):
    """Pads volumes with zeros; `padding` as for `ConstantPad3d`."""

    dimensions = 3


class _ReflectionPad(_Pad):
    """The base of reflection padding."""

    mode = "reflect"


class ReflectionPad1d(_ReflectionPad):
    """Pads sequences by reflection; `padding` as for `ConstantPad1d`.

    Example:
        >>> import gradstep_torch as torch
        >>> ReflectionPad1d(2)(torch.tensor([[1.0, 2.0, 3.0]]))
        tensor([[3., 2., 1., 2., 3., 2., 1.]])
    """

    dimensions = 1


class ReflectionPad2d(_ReflectionPad):
    """Pads images by reflection; `padding` as for `ConstantPad2d`."""

    dimensions = 2


class ReflectionPad3d(_ReflectionPad):
    """Pads volumes by reflection; `padding` as for `ConstantPad3d`."""

    dimensions = 3


class _ReplicationPad(_Pad):
    """The base of replication padding."""

    mode = "replicate"


class ReplicationPad1d(_ReplicationPad):
    """Pads sequences by replication; `padding` as for `ConstantPad1d`."""

    dimensions = 1


class ReplicationPad2d(_ReplicationPad):
    """Pads images by replication; `padding` as for `ConstantPad2d`."""

    dimensions = 2


class ReplicationPad3d(_ReplicationPad):
    """Pads volumes by replication; `padding` as for `ConstantPad3d`."""

    dimensions = 3


class _CircularPad(_Pad):
    """The base of circular padding."""

    mode = "circular"


class CircularPad1d(_CircularPad):
    """Pads sequences circularly; `padding` as for `ConstantPad1d`."""

    dimensions = 1


class CircularPad2d(_CircularPad):
    """Pads images circularly; `padding` as for `ConstantPad2d`."""

    dimensions = 2


class CircularPad3d(_CircularPad):
    """Pads volumes circularly; `padding` as for `ConstantPad3d`."""

    dimensions = 3
