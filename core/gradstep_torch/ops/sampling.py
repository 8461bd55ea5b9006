"""Random sampling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gradstep.autograd import dtypes, grad_mode
from gradstep.autograd.creation import finish, shape_of
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.select import as_operand
from gradstep.autograd.sampling import _floating
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import ArgumentTypeError, TensorError
from gradstep.random import Generator, default_generator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike


__all__ = [
    "bernoulli",
    "get_rng_state",
    "multinomial",
    "normal",
    "randint",
    "randint_like",
    "randperm",
    "set_rng_state",
]


def get_rng_state() -> Tensor:
    """Return the state of the default generator."""
    return wrap(default_generator.get_state())


def set_rng_state(new_state: Tensor) -> None:
    """Restore a state that `get_rng_state` returned."""
    default_generator.set_state(new_state._array)


def randint(
    *bounds_and_size: int | Sequence[int],
    low: int | None = None,
    high: int | None = None,
    size: Sequence[int] | None = None,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return integers drawn uniformly from [low, high).

    Args:
        *bounds_and_size: `high, size` or `low, high, size`; each may be a keyword instead.
        low: The smallest integer; 0 by default.
        high: The upper bound, exclusive.
        size: The shape.
        generator: The source of randomness; by default the default generator.
        dtype: The element type; int64 by default.
        device: Only the CPU.
        requires_grad: For floating-point element types.

    Raises:
        ArgumentTypeError: `high` or `size` is missing, or there are too many arguments.
        TensorError: `low` is not less than `high`.

    Example:
        >>> from gradstep.random import manual_seed
        >>> _ = manual_seed(0)
        >>> randint(10, (3,))
        tensor([4, 9, 3])
        >>> randint(high=10, size=(3,))
        tensor([0, 3, 9])
    """
    given = list(bounds_and_size)
    if given and size is None and not isinstance(given[-1], int):
        size = cast("Sequence[int]", given.pop())
    if given and high is None:
        high = cast("int", given.pop())
    if given and low is None:
        low = cast("int", given.pop())
    if high is None or size is None or given:
        missing = "high" if high is None else "size" if size is None else ""
        raise ArgumentTypeError(
            f"randint() is missing {missing}" if missing else "randint() got too many arguments",
            "write randint(high, (2, 3)) or randint(low, high, (2, 3))",
        )
    array = (generator or default_generator).integers(low or 0, high, shape_of((size,)))
    kind = np.dtype(np.int64) if dtype is None else dtypes.numpy_dtype(dtype)
    return finish(array.astype(kind), requires_grad, device)


def randint_like(
    input: Tensor,
    *bounds: int,
    low: int | None = None,
    high: int | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return integers in the shape and type of `input`; bounds as for `randint`."""
    kind = input._array.dtype if dtype is None else dtype
    return randint(
        *bounds,
        low=low,
        high=high,
        size=input._array.shape,
        dtype=kind,
        device=device,
        requires_grad=requires_grad,
    )


def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
) -> Tensor:
    """Return 0 ... n - 1 in random order."""
    kind = np.dtype(np.int64) if dtype is None else dtypes.numpy_dtype(dtype)
    return finish((generator or default_generator).permutation(n).astype(kind), device=device)


def normal(
    mean: Tensor | float,
    std: Tensor | float = 1.0,
    size: Sequence[int] | None = None,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return numbers drawn from normal distributions with these means and standard deviations."""
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        like = mean if isinstance(mean, Tensor) else std
        assert isinstance(like, Tensor)
        return _normal_of_tensors(as_operand(mean, like), as_operand(std, like), generator)
    if std < 0:
        raise TensorError(f"normal expects std >= 0.0, but found std {std}")
    if size is None:
        raise TensorError("normal() of two numbers needs a size", "write normal(0.0, 1.0, (2, 3))")
    source = generator or default_generator
    array = source.normal(shape_of((size,)), _floating(dtype), mean, std)
    return finish(array, requires_grad, device)


def bernoulli(input: Tensor, *, generator: Generator | None = None) -> Tensor:
    """Return 1 with the probability given by each element, else 0."""
    p = input._array
    if np.any((p < 0) | (p > 1)):
        raise TensorError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false",
            "bernoulli() takes probabilities: apply sigmoid() first",
        )
    kind = p.dtype if p.dtype == np.float64 else np.dtype(np.float32)
    drawn = (generator or default_generator).uniform(p.shape, kind)
    out = wrap((drawn < p).astype(p.dtype))
    if grad_mode.current.enabled and input._requires_grad:
        record(BernoulliBackward0, out, (edge(input),), context=(p.shape,))
    return out


def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """Return indices drawn with the weights along the last dimension.

    Raises:
        TensorError: A weight is negative, infinite or NaN; or a row has only zeros, or fewer
            nonzero weights than samples without replacement.
    """
    if input._array.dtype.kind != "f":
        raise TensorError(
            f"multinomial only supports floating-point dtypes for input, got {input.dtype}",
            "convert it with .float()",
        )
    if input._array.ndim not in {1, 2}:
        raise TensorError(f"prob_dist must be 1 or 2 dim, got {input._array.ndim}")
    if num_samples <= 0:
        raise TensorError(f"cannot sample n_sample <= 0 samples, got {num_samples}")
    weights = np.atleast_2d(input._array.astype(np.float64))
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise TensorError(
            "probability tensor contains either `inf`, `nan` or element < 0",
            "check how the probabilities were computed",
        )
    if (weights.sum(-1) <= 0).any():
        raise TensorError("invalid multinomial distribution (sum of probabilities <= 0)")
    if not replacement and np.any((weights > 0).sum(-1) < num_samples):
        raise TensorError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement",
            "pass replacement=True, or ask for fewer samples",
        )
    drawn = (_with_replacement if replacement and num_samples > 1 else _without_replacement)(
        weights, num_samples, generator or default_generator
    )
    return wrap(drawn.reshape((*input._array.shape[:-1], num_samples)))


def _normal_of_tensors(mean: Tensor, std: Tensor, generator: Generator | None) -> Tensor:
    if (std._array < 0).any():
        raise TensorError("normal expects all elements of std >= 0.0")
    shape = np.broadcast_shapes(mean._array.shape, std._array.shape)
    kind = dtypes.result_dtype(mean._array, std._array)
    if kind.kind != "f":
        raise TensorError(
            f"normal expects floating-point tensors, but got {dtypes.from_numpy_dtype(kind)}",
            "convert them with .float() first",
        )
    drawn = (generator or default_generator).normal(shape, kind)
    out = wrap((drawn * std._array + mean._array).astype(kind, copy=False))
    if grad_mode.current.enabled and (mean._requires_grad or std._requires_grad):
        shapes = mean._array.shape, std._array.shape
        record(NormalBackward0, out, (edge(mean), edge(std)), context=shapes)
    return out


class NormalBackward0(Node):
    """Samples of a normal distribution; no gradient reaches its parameters."""

    __slots__ = ()
    rule = "mean: 0 * grad; std: 0 * grad"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return zeros."""
        return tuple(
            None if target is None else generic.unbroadcast(grad * 0.0, shape)
            for target, shape in zip(self.edges, self.context, strict=True)
        )


class BernoulliBackward0(NormalBackward0):
    """Samples of a Bernoulli distribution; no gradient reaches the probabilities."""

    __slots__ = ()
    rule = "probability: 0 * grad"


def _with_replacement(weights: NDArray[Any], count: int, source: Generator) -> NDArray[np.int64]:
    """Sample by inverting the cumulative distribution of each row."""
    uniform = source.uniform((len(weights), count), np.dtype(np.float64))
    shares = np.cumsum(weights, -1) / weights.sum(-1, keepdims=True)
    found = [
        np.minimum(np.searchsorted(share, drawn), np.flatnonzero(row)[-1])
        for row, share, drawn in zip(weights, shares, uniform, strict=True)
    ]
    return np.array(found, np.int64)


def _without_replacement(weights: NDArray[Any], count: int, source: Generator) -> NDArray[np.int64]:
    """Sample by sorting weight / exponential noise, the exponential race."""
    exponential = -np.log1p(-source.uniform(weights.shape, np.dtype(np.float64)))
    order = np.argsort(-(weights / exponential), -1, kind="stable")
    return order[:, :count]
