"""Losses that are robust, of distributions, and of pairs, as modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.errors import ArgumentError
from gradstep.nn import functional
from gradstep.nn.loss import Loss
from gradstep.nn.module import Module

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor

__all__ = [
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "MarginRankingLoss",
    "PairwiseDistance",
    "PoissonNLLLoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "TripletMarginLoss",
]


class SmoothL1Loss(Loss):
    """The squared difference near 0, the absolute one beyond.

    Args:
        size_average: Former way to say `reduction`.
        reduce: Likewise.
        reduction: "mean", "sum" or "none".
        beta: Where the square ends.
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        beta: float = 1.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of `input` against `target`, both of one shape."""
        return functional.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(Loss):
    """The squared difference near 0, straight beyond.

    Args:
        reduction: "mean", "sum" or "none".
        delta: Where the square ends.

    Example:
        >>> import gradstep
        >>> HuberLoss()(gradstep.tensor([0.0]), gradstep.tensor([3.0]))
        tensor(2.5000)
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of `input` against `target`, both of one shape."""
        return functional.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class KLDivLoss(Loss):
    """The Kullback-Leibler divergence of log-probabilities from the target.

    Args:
        size_average: Former way to say `reduction`.
        reduce: Likewise.
        reduction: "batchmean" for the divergence itself, "mean", "sum" or "none".
        log_target: Whether the target is logarithms, too.
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


class PoissonNLLLoss(Loss):
    """The negative log-likelihood of counts under Poisson distributions.

    Args:
        log_input: Whether the input is logarithms of rates.
        full: Whether to add Stirling's approximation of the logarithm of the factorial.
        size_average: Former way to say `reduction`.
        eps: Added to the rate inside the logarithm.
        reduce: Like `size_average`.
        reduction: "mean", "sum" or "none".
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of rates, or their logarithms, against counts."""
        return functional.poisson_nll_loss(
            log_input, target, self.log_input, self.full, eps=self.eps, reduction=self.reduction
        )


class GaussianNLLLoss(Loss):
    """The negative log-likelihood of values under normal distributions.

    Args:
        full: Whether to add the constant term.
        eps: Least variance.
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
    """A loss that asks for a distance."""

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
        margin: How far apart is far enough.
        size_average: Former way to say `reduction`.
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
        margin: By how much one should rank above the other.
        size_average: Former way to say `reduction`.
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
        """Return the loss of two rankings against which should be above."""
        return functional.margin_ranking_loss(
            input1, input2, target, margin=self.margin, reduction=self.reduction
        )


class CosineEmbeddingLoss(MarginRankingLoss):
    """1 - cos for targets of 1, max(0, cos - margin) for targets of -1.

    Args:
        margin: Which cosine is small enough.
        size_average: Former way to say `reduction`.
        reduce: Likewise.
        reduction: "mean", "sum" or "none".
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Return the loss of pairs of vectors against targets of 1 and -1."""
        return functional.cosine_embedding_loss(
            input1, input2, target, margin=self.margin, reduction=self.reduction
        )


class TripletMarginLoss(Loss):
    """max(0, margin + the distance to the positive - the distance to the negative).

    Args:
        margin: By how much farther the negative should be.
        p: Of the norm that measures distances.
        eps: Added to each difference.
        swap: Whether the negative's distance to the positive counts if it is smaller.
        size_average: Former way to say `reduction`.
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
        dim: Of the vectors.
        eps: Least length of a vector to divide by.
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
        p: Of the norm.
        eps: Added to each difference.
        keepdim: Whether the dimension of the vectors stays, with size 1.
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Return the distances."""
        return functional.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
