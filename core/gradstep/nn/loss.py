"""Losses as modules."""

from __future__ import annotations

from gradstep.autograd.tensor import Tensor
from gradstep.errors import ArgumentError, TensorError
from gradstep.nn import functional
from gradstep.nn.module import Module

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CrossEntropyLoss",
    "HuberLoss",
    "L1Loss",
    "MSELoss",
    "NLLLoss",
    "PoissonNLLLoss",
    "SmoothL1Loss",
]


class Loss(Module):
    """A loss whose terms are averaged, summed, or returned one by one.

    `size_average` and `reduce` are deprecated forms of `reduction`.
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        if isinstance(size_average, Tensor) or isinstance(reduce, Tensor):
            name = type(self).__name__
            raise TensorError(
                f"Boolean value of Tensor with more than one value is ambiguous: {name}(...) "
                "constructs the loss and takes options, not tensors",
                f"construct it first, then call it: {name}()(input, target)",
            )
        if size_average is not None or reduce is not None:
            reduction = "none" if reduce is False else "sum" if size_average is False else "mean"
        if reduction not in ("none", "mean", "sum"):
            raise ArgumentError(
                f"{reduction} is not a valid value for reduction", "use 'mean', 'sum' or 'none'"
            )
        self.reduction = reduction


class L1Loss(Loss):
    """The mean absolute difference.

    Args:
        size_average: Deprecated; use `reduction`.
        reduce: Likewise.
        reduction: "mean", "sum" or "none".
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of `input` against `target`, both of one shape."""
        return functional.l1_loss(input, target, reduction=self.reduction)


class MSELoss(Loss):
    """The mean squared difference.

    Args:
        size_average: Deprecated; use `reduction`.
        reduce: Likewise.
        reduction: "mean", "sum" or "none".

    Example:
        >>> import gradstep
        >>> MSELoss()(gradstep.tensor([1.0, 3.0]), gradstep.tensor([0.0, 0.0]))
        tensor(5.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of `input` against `target`, both of one shape."""
        return functional.mse_loss(input, target, reduction=self.reduction)


class WeightedLoss(Loss):
    """A loss with a weight per class or element, kept as a buffer."""

    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class NLLLoss(WeightedLoss):
    """Minus the log-probability of the right class.

    Args:
        weight: Of shape (classes,), a factor per class.
        size_average: Deprecated; use `reduction`.
        ignore_index: Targets with this value are ignored.
        reduce: Like `size_average`.
        reduction: "mean" (weighted), "sum" or "none".
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of log-probabilities (N, classes) against class numbers (N,)."""
        return functional.nll_loss(
            input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction
        )


class CrossEntropyLoss(WeightedLoss):
    """LogSoftmax and NLLLoss in one: from raw scores to the loss.

    Args:
        weight: Of shape (classes,), a factor per class.
        size_average: Deprecated; use `reduction`.
        ignore_index: Targets with this value are ignored.
        reduce: Like `size_average`.
        reduction: "mean" (weighted), "sum" or "none".
        label_smoothing: The fraction of the target spread evenly over all classes.

    Example:
        >>> import gradstep
        >>> CrossEntropyLoss()(gradstep.zeros(1, 4), gradstep.tensor([2]))
        tensor(1.3863)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of scores (N, classes) against class numbers (N,) or probabilities."""
        return functional.cross_entropy(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class BCELoss(WeightedLoss):
    """Binary cross entropy of probabilities.

    Args:
        weight: A factor per element.
        size_average: Deprecated; use `reduction`.
        reduce: Likewise.
        reduction: "mean", "sum" or "none".
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of probabilities against targets between 0 and 1."""
        return functional.binary_cross_entropy(input, target, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(WeightedLoss):
    """Sigmoid and BCELoss in one, computed without overflow.

    Args:
        weight: A factor per element.
        size_average: Deprecated; use `reduction`.
        reduce: Likewise.
        reduction: "mean", "sum" or "none".
        pos_weight: A factor for the positive targets.

    Example:
        >>> import gradstep
        >>> BCEWithLogitsLoss()(gradstep.zeros(3), gradstep.ones(3))
        tensor(0.6931)
    """

    pos_weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of raw scores against targets between 0 and 1."""
        return functional.binary_cross_entropy_with_logits(
            input, target, self.weight, reduction=self.reduction, pos_weight=self.pos_weight
        )


class SmoothL1Loss(Loss):
    """The squared difference near 0, the absolute difference beyond.

    Args:
        size_average: Deprecated; use `reduction`.
        reduce: Likewise.
        reduction: "mean", "sum" or "none".
        beta: Where the quadratic part ends.
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
    """The squared difference near 0, linear beyond.

    Args:
        reduction: "mean", "sum" or "none".
        delta: Where the quadratic part ends.

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


class PoissonNLLLoss(Loss):
    """The negative log-likelihood of counts under Poisson distributions.

    Args:
        log_input: Whether the input is logarithms of rates.
        full: Whether to add Stirling's approximation of the logarithm of the factorial.
        size_average: Deprecated; use `reduction`.
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
