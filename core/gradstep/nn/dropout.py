"""Dropout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.errors import ArgumentError
from gradstep.nn import functional
from gradstep.nn.module import Module

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor

__all__ = ["Dropout", "Dropout1d", "Dropout2d"]


class _Dropout(Module):
    """The base of all kinds of dropout."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ArgumentError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        """Return the probability."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """In training, zeroes elements at random and scales up the rest; otherwise does nothing.

    Args:
        p: The probability that an element is zeroed; the rest are divided by 1 - p.
        inplace: Overwrite the input.

    Example:
        >>> import gradstep
        >>> Dropout(0.9).eval()(gradstep.ones(3))
        tensor([1., 1., 1.])

    References:
        Srivastava et al., Dropout, JMLR 15, 2014.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the input, in training with dropout."""
        return functional.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_Dropout):
    """In training, zeroes whole channels of sequences at random and scales up the rest.

    Args:
        p: The probability that a channel is zeroed; the rest are divided by 1 - p.
        inplace: Overwrite the input.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the input, in training with dropout."""
        return functional.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_Dropout):
    """In training, zeroes whole channels of images at random; arguments as for `Dropout1d`.

    References:
        Tompson et al., Efficient object localization, CVPR 2015 (arXiv 1411.4280).
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the input, in training with dropout."""
        return functional.dropout2d(input, self.p, self.training, self.inplace)
