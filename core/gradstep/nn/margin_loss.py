"""Losses that ask for margins, and that of labels without an alignment, as modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.errors import ArgumentError
from gradstep.nn import functional
from gradstep.nn.distance_loss import PairwiseDistance
from gradstep.nn.loss import Loss, WeightedLoss

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradstep.autograd.tensor import Tensor

__all__ = [
    "CTCLoss",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "TripletMarginWithDistanceLoss",
]


class MultiMarginLoss(WeightedLoss):
    """How far other scores come into the margin below that of the right class.

    Args:
        p: The power of each distance, 1 or 2.
        margin: By how much the right score should be higher.
        weight: Of shape (classes,), a factor for each class.
        size_average: Former way to say `reduction`.
        reduce: Likewise.
        reduction: "mean", "sum" or "none".

    Example:
        >>> import gradstep
        >>> MultiMarginLoss()(gradstep.tensor([[0.1, 0.2, 0.4]]), gradstep.tensor([2]))
        tensor(0.5000)
    """

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p not in {1, 2}:
            raise ArgumentError(f"only p == 1 and p == 2 supported, got {p}")
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of scores (batch, classes) against class numbers (batch,)."""
        return functional.multi_margin_loss(
            input, target, self.p, self.margin, self.weight, self.reduction
        )


class MultiLabelMarginLoss(Loss):
    """How far scores of other labels come into the margin of 1 below those of the right ones.

    Args:
        size_average: Former way to say `reduction`.
        reduce: Likewise.
        reduction: "mean", "sum" or "none".
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of scores against label numbers, which -1 ends, both of one shape."""
        return functional.multilabel_margin_loss(input, target, self.reduction)


class MultiLabelSoftMarginLoss(WeightedLoss):
    """The mean over labels of the binary cross entropy of their scores.

    Args:
        weight: Of shape (labels,), a factor for each label.
        size_average: Former way to say `reduction`.
        reduce: Likewise.
        reduction: "mean", "sum" or "none".
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of scores against 0 and 1, both of one shape."""
        return functional.multilabel_soft_margin_loss(input, target, self.weight, self.reduction)


class TripletMarginWithDistanceLoss(Loss):
    """max(0, margin + the distance to the positive - the distance to the negative).

    Args:
        distance_function: A function of two tensors; `PairwiseDistance()` if None.
        margin: By how much farther the negative should be.
        swap: Whether the negative's distance to the positive counts if it is smaller.
        reduction: "mean", "sum" or "none".
    """

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction=reduction)
        if margin <= 0:
            raise ArgumentError(
                "TripletMarginWithDistanceLoss: expected margin to be greater than 0, got "
                f"{margin} instead"
            )
        self.distance_function = distance_function or PairwiseDistance()
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Return the loss of triples."""
        return functional.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


class CTCLoss(Loss):
    """Minus the log-probability of labels, however they lie along a sequence.

    Args:
        blank: The class that stands for none.
        reduction: "mean" (of the losses divided by the numbers of labels), "sum" or "none".
        zero_infinity: Whether losses that are infinite, as the labels do not fit in, count as 0.

    Example:
        >>> import gradstep
        >>> even = gradstep.zeros(3, 1, 2).log_softmax(2)
        >>> CTCLoss()(even, gradstep.tensor([[1]]), [3], [1])
        tensor(0.2877)

    References:
        Graves et al., Connectionist temporal classification, ICML 2006.
    """

    def __init__(
        self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False
    ) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(
        self,
        log_probs: Tensor,
        targets: Tensor,
        input_lengths: Tensor | Sequence[int],
        target_lengths: Tensor | Sequence[int],
    ) -> Tensor:
        """Return the loss of log-probabilities (time, batch, classes) against labels.

        Args:
            log_probs: As `log_softmax` gives them.
            targets: Of shape (batch, longest), or all labels in one dimension.
            input_lengths: How long each sequence is.
            target_lengths: How many labels each has.
        """
        return functional.ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            self.blank,
            self.reduction,
            self.zero_infinity,
        )
