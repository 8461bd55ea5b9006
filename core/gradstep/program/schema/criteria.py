"""The criteria of program documents: their options and the targets they expect."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "Criterion",
    "CrossEntropyLoss",
    "HuberLoss",
    "L1Loss",
    "MSELoss",
    "NLLLoss",
    "PoissonNLLLoss",
    "SmoothL1Loss",
]

Reduction = Literal["mean", "sum"]
Weights = Annotated[list[float], Meta(min_length=1, max_length=100_000)]


class _Criterion(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="kind"
):
    """Base of all criteria, with a reduction to one number; `"none"` would not give one loss."""

    reduction: Reduction = "mean"

    @property
    def takes_class_labels(self) -> bool:
        """Whether targets are class labels (whole numbers) rather than values."""
        return False


class MSELoss(_Criterion, frozen=True, tag=True):
    """The mean or the sum of squared differences.

    Example:
        >>> MSELoss().reduction, MSELoss().takes_class_labels
        ('mean', False)
    """


class L1Loss(_Criterion, frozen=True, tag=True):
    """The mean or the sum of absolute differences."""


class SmoothL1Loss(_Criterion, frozen=True, tag=True):
    """Squared differences below `beta`, absolute differences above it."""

    beta: Annotated[float, Meta(ge=0)] = 1.0


class HuberLoss(_Criterion, frozen=True, tag=True):
    """Squared differences below `delta`, linear above it."""

    delta: Annotated[float, Meta(gt=0)] = 1.0


class PoissonNLLLoss(_Criterion, frozen=True, tag=True):
    """Negative log likelihood of counts under Poisson distributions with the given rates."""

    log_input: bool = True
    full: bool = False
    eps: Annotated[float, Meta(ge=0)] = 1e-8


class BCELoss(_Criterion, frozen=True, tag=True):
    """Binary cross entropy of probabilities."""


class BCEWithLogitsLoss(_Criterion, frozen=True, tag=True):
    """Binary cross entropy of logits; `pos_weight` is the weight of the positive class."""

    pos_weight: Weights | None = None


class CrossEntropyLoss(_Criterion, frozen=True, tag=True):
    """Cross entropy of logits against class labels."""

    weight: Weights | None = None
    ignore_index: int = -100
    label_smoothing: Annotated[float, Meta(ge=0, le=1)] = 0.0

    @property
    def takes_class_labels(self) -> bool:
        """True: targets are class labels."""
        return True


class NLLLoss(_Criterion, frozen=True, tag=True):
    """Negative log likelihood of log probabilities against class labels."""

    weight: Weights | None = None
    ignore_index: int = -100

    @property
    def takes_class_labels(self) -> bool:
        """True: targets are class labels."""
        return True


Criterion = (
    MSELoss
    | L1Loss
    | BCELoss
    | BCEWithLogitsLoss
    | CrossEntropyLoss
    | NLLLoss
    | SmoothL1Loss
    | HuberLoss
    | PoissonNLLLoss
)
