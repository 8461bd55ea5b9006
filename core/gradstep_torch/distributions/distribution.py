"""Distribution: the base class, which checks parameters and values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import dtypes
from gradstep.autograd.grad_mode import no_grad
from gradstep.autograd.ops.operands import broadcast_error
from gradstep.autograd.size import Size
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TENSOR_REMEDY, ArgumentError, ArgumentTypeError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gradstep_torch.distributions.constraint import Constraint

__all__ = [
    "Distribution",
    "broadcast",
    "broadcast_shapes",
    "check_one_given",
    "clamp_probs",
    "need_tensor",
]


class Distribution:
    """A batch of distributions of one kind.

    Args:
        parameters: The tensors it is made from, with their constraints, by name.
        batch_shape: The shape of the batch.
        event_shape: The shape of one sample.
        validate_args: Check parameters and values (None: yes).

    Attributes:
        has_rsample: Whether gradients flow through its samples.
    """

    has_rsample = False

    def __init__(
        self,
        parameters: Mapping[str, tuple[Tensor, Constraint]],
        batch_shape: Sequence[int] = (),
        event_shape: Sequence[int] = (),
        validate_args: bool | None = None,
    ) -> None:
        self._parameters = {name: value for name, (value, _) in parameters.items()}
        self.batch_shape = Size(batch_shape)
        self.event_shape = Size(event_shape)
        self._validates = validate_args is not False
        if not self._validates:
            return
        for name, (value, constraint) in parameters.items():
            found = constraint.holds(value._array)
            if not found.all():
                raise ArgumentError(
                    f"Expected parameter {name} (Tensor of shape {tuple(value._array.shape)}) of "
                    f"distribution {self!r} to satisfy the constraint {constraint!r}, "
                    f"but found invalid values: {_shown(value)}"
                )

    # -- what subclasses define ----------------------------------------------------------------

    @property
    def support(self) -> Constraint:
        """The support: the set of possible samples."""
        raise UnsupportedError(f"{type(self).__name__} defines no support")

    @property
    def mean(self) -> Tensor:
        """The mean of each distribution in the batch."""
        raise UnsupportedError(f"{type(self).__name__} has no mean")

    @property
    def variance(self) -> Tensor:
        """The variance of each distribution in the batch."""
        raise UnsupportedError(f"{type(self).__name__} has no variance")

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:  # noqa: ARG002 - subclasses use it
        """Draw samples through which gradients flow to the parameters.

        Raises:
            UnsupportedError: The samples are discrete.
        """
        raise UnsupportedError(
            f"{type(self).__name__} has no rsample(): gradients do not flow through its samples",
            "use sample() with log_prob(), the score function",
        )

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples, of shape sample_shape + batch_shape + event_shape."""
        with no_grad():
            return self.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:  # noqa: ARG002 - likewise
        """Return the logarithm of the density (or the probability) of values."""
        raise UnsupportedError(f"{type(self).__name__} has no log_prob()")

    def entropy(self) -> Tensor:
        """Return the entropy of each distribution, in nats."""
        raise UnsupportedError(f"{type(self).__name__} has no entropy()")

    # -- derived from the above --------------------------------------------------------------------

    @property
    def stddev(self) -> Tensor:
        """The standard deviation of each distribution in the batch."""
        return self.variance.sqrt()

    def perplexity(self) -> Tensor:
        """Return the perplexity: e to the power of the entropy."""
        return self.entropy().exp()

    def _extended(self, sample_shape: Sequence[int]) -> tuple[int, ...]:
        if isinstance(sample_shape, int):
            raise ArgumentTypeError(
                f"sample_shape must be a sequence, not the number {sample_shape}",
                f"write ({sample_shape},)",
            )
        return (*sample_shape, *self.batch_shape, *self.event_shape)

    def _check_value(self, value: Tensor) -> None:
        """Raise for a value that cannot be a sample."""
        if not self._validates:
            return
        if not isinstance(value, Tensor):
            raise ArgumentError(
                f"The value argument to log_prob must be a Tensor, but it is {type(value).__name__}"
            )
        shape, own = tuple(value._array.shape), (*self.batch_shape, *self.event_shape)
        last = len(self.event_shape)
        if last and shape[-last:] != tuple(self.event_shape):
            raise ArgumentError(
                "The right-most size of value must match event_shape: "
                f"{list(shape)} vs {list(self.event_shape)}"
            )
        try:
            np.broadcast_shapes(shape, own)
        except ValueError:
            raise ArgumentError(
                "Value is not broadcastable with batch_shape+event_shape: "
                f"{list(shape)} vs {list(own)}"
            ) from None
        if not self.support.holds(value._array).all():
            raise ArgumentError(
                f"Expected value argument (Tensor of shape {shape}) to be within the support "
                f"({self.support!r}) of the distribution {self!r}, "
                f"but found invalid values: {_shown(value)}"
            )

    def __repr__(self) -> str:
        own = vars(self)
        known = {name: own[name] for name in ("probs", "logits") if name in own}  # once computed
        named = ", ".join(
            f"{name}: {_brief(value)}" for name, value in (known or self._parameters).items()
        )
        return f"{type(self).__name__}({named})"


def broadcast(*values: Tensor | float) -> tuple[Tensor, ...]:
    """Return tensors of one shape and type; plain numbers get the default type.

    Raises:
        ArgumentError: Something is neither a tensor nor a number.
        TensorError: The shapes cannot be broadcast.
    """
    for value in values:
        if not isinstance(value, (Tensor, int, float)):
            raise ArgumentError(
                "Input arguments must all be instances of Number or Tensor, but one is "
                f"{type(value).__name__}"
            )
    kinds = [value._array.dtype for value in values if isinstance(value, Tensor)]
    kind = kinds[0] if kinds else dtypes.default
    tensors = [v if isinstance(v, Tensor) else wrap(np.array(v, kind)) for v in values]
    shape = broadcast_shapes(*(tensor._array.shape for tensor in tensors))
    return tuple(tensor.expand(shape) for tensor in tensors)


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that all of these broadcast to.

    Raises:
        TensorError: The shapes cannot be broadcast.

    Example:
        >>> broadcast_shapes((3, 1), (2,))
        (3, 2)
    """
    common: tuple[int, ...] = ()
    for shape in shapes:
        try:
            common = np.broadcast_shapes(common, shape)
        except ValueError:
            raise broadcast_error(common, shape) from None
    return common


def need_tensor(name: str, given: Tensor) -> Tensor:
    """Return a parameter of a distribution; raise if it is not a tensor.

    Raises:
        ArgumentTypeError: It is a list or a number.
    """
    if not isinstance(given, Tensor):
        raise ArgumentTypeError(
            f"`{name}` must be a Tensor, not {type(given).__name__}", TENSOR_REMEDY
        )
    return given


def clamp_probs(probs: Tensor) -> Tensor:
    """Return probabilities clamped to [eps, 1 - eps] for the eps of their type.

    Example:
        >>> import gradstep_torch as torch
        >>> clamp_probs(torch.tensor([0.0, 0.5])).tolist()
        [1.1920928955078125e-07, 0.5]
    """
    least = float(np.finfo(probs._array.dtype).eps)
    return probs.clamp(least, 1 - least)


def check_one_given(probs: Tensor | float | None, logits: Tensor | float | None) -> None:
    """Raise unless exactly one of `probs` and `logits` is given."""
    if (probs is None) == (logits is None):
        raise ArgumentError("Either `probs` or `logits` must be specified, but not both.")


def _brief(value: Tensor) -> Tensor | Size:
    return value if value._array.size == 1 else value.shape


def _shown(value: Tensor) -> str:
    return str(value.item()) if not value._array.ndim else repr(value.detach())
