"""Dropout of channels of volumes, and alpha dropout, which preserves mean and variance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep_torch.nn import functional

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor
from gradstep.nn.dropout import _Dropout

__all__ = ["AlphaDropout", "Dropout3d", "FeatureAlphaDropout"]


class Dropout3d(_Dropout):
    """In training, zeroes whole channels of volumes at random; arguments as for `Dropout1d`."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the input, in training with dropout."""
        return functional.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_Dropout):
    """In training, sets elements to SELU's saturation value, preserving mean and variance.

    Args:
        p: The probability that an element is set.
        inplace: Overwrite the input.

    References:
        Klambauer et al., Self-normalizing neural networks, NeurIPS 2017 (arXiv 1706.02515).
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the input, in training with dropout."""
        return functional.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(_Dropout):
    """In training, sets whole channels to SELU's saturation value; arguments as `AlphaDropout`."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the input, in training with dropout of channels."""
        return functional.feature_alpha_dropout(input, self.p, self.training, self.inplace)
