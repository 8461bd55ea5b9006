"""Losses that only scripts use: for pairs, margins, distributions and unaligned sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.errors import ArgumentError
from gradstep.nn.loss import Loss, WeightedLoss
from gradstep.nn.module import Module
from gradstep_torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradstep.autograd.tensor import Tensor


__all__ = [
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "KLDivLoss",
    "MarginRankingLoss",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "PairwiseDistance",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]


class MultiMarginLoss(WeightedLoss):
    """The multi-class margin loss: how far other scores violate the margin of the target class.

    Args:
        p: The power of each violation, 1 or 2.
        margin: The required margin of the right score.
        weight: Of shape (classes,), a factor for each class.
        size_average: Deprecated; use `reduction`.
        reduce: Likewise.
        reduction: "mean", "sum" or "none".

    Example:
        >>> import gradstep_torch as torch
        >>> MultiMarginLoss()(torch.tensor([[0.1, 0.2, 0.4]]), torch.tensor([2]))
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
    """The multi-label margin loss: violations of a margin of 1 between target and other labels.

    Args:
        size_average: Deprecated; use `reduction`.
        reduce: Likewise.
        reduction: "mean", "sum" or "none".
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of scores against label indices terminated by -1, both of one shape."""
        return functional.multilabel_margin_loss(input, target, self.reduction)


class MultiLabelSoftMarginLoss(WeightedLoss):
    """The mean over labels of the binary cross entropy of their scores.

    Args:
        weight: Of shape (labels,), a factor for each label.
        size_average: Deprecated; use `reduction`.
        reduce: Likewise.
        reduction: "mean", "sum" or "none".
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of scores against 0 and 1, both of one shape."""
        return functional.multilabel_soft_margin_loss(input, target, self.weight, self.reduction)


class TripletMarginWithDistanceLoss(Loss):
    """max(0, margin + distance to the positive - distance to the negative).

    Args:
        distance_function: A function of two tensors; `PairwiseDistance()` if None.
        margin: The required difference of the distances.
        swap: Whether to use the distance from negative to positive if it is smaller.
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
    """Connectionist temporal classification: minus the log-probability of unaligned labels.

    Args:
        blank: The class of the blank label.
        reduction: "mean" (of the losses divided by the numbers of labels), "sum" or "none".
        zero_infinity: Whether to replace infinite losses (of labels that do not fit) with 0.

    Example:
        >>> import gradstep_torch as torch
        >>> even = torch.zeros(3, 1, 2).log_softmax(2)
        >>> CTCLoss()(even, torch.tensor([[1]]), [3], [1])
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
            log_probs: The output of `log_softmax`.
            targets: Of shape (batch, longest), or all labels in one dimension.
            input_lengths: The length of each sequence.
            target_lengths: The number of labels of each.
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


class KLDivLoss(Loss):
    """The Kullback-Leibler divergence of log-probabilities from the target.

    Args:
        size_average: Deprecated; use `reduction`.
        reduce: Likewise.
        reduction: "batchmean" for the divergence itself, "mean", "sum" or "none".
        log_target: Whether the target holds logarithms too.
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        batchmean = reduction == "batchmean"
        super().__init__(size_average, reduce, "mean" if batchmean else reduction)
        if batchmean:
            self.reduction = reduction
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the divergence of `input` from `target`, both of one shape."""
        return functional.kl_div(
            input, target, reduction=self.reduction, log_target=self.log_target
        )


class GaussianNLLLoss(Loss):
    """The negative log-likelihood of values under normal distributions.

    Args:
        full: Whether to add the constant term.
        eps: The smallest variance.
        reduction: "mean", "sum" or "none".
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        """Return the loss of means and variances against values."""
        return functional.gaussian_nll_loss(
            input, target, var, full=self.full, eps=self.eps, reduction=self.reduction
        )


class _MarginLoss(Loss):
    """The base of losses with a margin."""

    def __init__(
        self,
        margin: float,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin


class HingeEmbeddingLoss(_MarginLoss):
    """x for targets of 1, max(0, margin - x) for targets of -1.

    Args:
        margin: The distance that is far enough.
        size_average: Deprecated; use `reduction`.
        reduce: Likewise.
        reduction: "mean", "sum" or "none".
    """

    def __init__(
        self,
        margin: float = 1.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(margin, size_average, reduce, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of distances against targets of 1 and -1."""
        return functional.hinge_embedding_loss(
            input, target, margin=self.margin, reduction=self.reduction
        )


class SoftMarginLoss(Loss):
    """log(1 + exp(-y x)) for targets y of 1 and -1."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of scores against targets of 1 and -1."""
        return functional.soft_margin_loss(input, target, reduction=self.reduction)


class MarginRankingLoss(_MarginLoss):
    """max(0, margin - y (x1 - x2)) for targets y of 1 and -1.

    Args:
        margin: The required difference.
        size_average: Deprecated; use `reduction`.
        reduce: Likewise.
        reduction: "mean", "sum" or "none".
    """

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(margin, size_average, reduce, reduction)

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Return the loss of two scores against 1 where the first should be larger, else -1."""
        return functional.margin_ranking_loss(
            input1, input2, target, margin=self.margin, reduction=self.reduction
        )


class CosineEmbeddingLoss(MarginRankingLoss):
    """1 - cos for targets of 1, max(0, cos - margin) for targets of -1.

    Args:
        margin: The cosine that is small enough.
        size_average: Deprecated; use `reduction`.
        reduce: Likewise.
        reduction: "mean", "sum" or "none".
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Return the loss of pairs of vectors against targets of 1 and -1."""
        return functional.cosine_embedding_loss(
            input1, input2, target, margin=self.margin, reduction=self.reduction
        )


class TripletMarginLoss(Loss):
    """max(0, margin + distance to the positive - distance to the negative).

    Args:
        margin: The required difference of the distances.
        p: The order of the norm.
        eps: Added to each difference.
        swap: Whether to use the distance from negative to positive if it is smaller.
        size_average: Deprecated; use `reduction`.
        reduce: Likewise.
        reduction: "mean", "sum" or "none".
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ArgumentError(
                f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Return the loss of triples of vectors."""
        return functional.triplet_margin_loss(
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )


class CosineSimilarity(Module):
    """The cosine of the angle between vectors.

    Args:
        dim: The dimension of the vectors.
        eps: The smallest length to divide by.
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Return the cosines."""
        return functional.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """The norm of the difference of vectors.

    Args:
        p: The order of the norm.
        eps: Added to each difference.
        keepdim: Whether to keep the dimension of the vectors, with size 1.
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Return the distances."""
        return functional.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
