"""Maximum and minimum, of all elements or along dimensions, with indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.gather import gather_index
from gradstep.autograd.ops.indexing import IndexBackward0, advanced_index
from gradstep.autograd.ops.operands import axes, axis
from gradstep.autograd.ops.reduce import kept_shape
from gradstep.autograd.ops.select import maximum, minimum
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError, TensorIndexError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from numpy.typing import NDArray

    from gradstep.autograd.dtypes import Dims

__all__ = ["amax", "amin", "argmax", "argmin", "max", "min"]


class _Pair(NamedTuple):
    values: Tensor
    indices: Tensor


class ValuesAndIndices(_Pair):
    """The result of max, min, sort and topk along a dimension."""

    __slots__ = ()
    node: ClassVar[type[IndexBackward0]]
    """The node class to record."""

    @classmethod
    def at(cls, input: Tensor, places: NDArray[Any], dim: int, *, keepdim: bool = True) -> Self:
        """Return the elements at positions along `dim`, which `places` keeps with any `keepdim`."""
        index = gather_index(places, dim)
        if not keepdim:
            back = dim - places.ndim
            index = tuple(part.squeeze(back) if part.ndim >= -back else part for part in index)
            places = places.squeeze(dim)
        return cls(advanced_index(cls.node, input, index), wrap(places))

    def __repr__(self) -> str:
        name = f"gradstep.return_types.{type(self).__name__.lower()}"
        return f"{name}(\nvalues={self.values!r},\nindices={self.indices!r})"


class MaxBackward0(IndexBackward0):
    """The largest elements along a dimension."""

    __slots__ = ()


class MinBackward0(IndexBackward0):
    """The smallest elements along a dimension."""

    __slots__ = ()


class Max(ValuesAndIndices):
    """The result of max along a dimension."""

    __slots__ = ()
    node = MaxBackward0


class Min(ValuesAndIndices):
    """The result of min along a dimension."""

    __slots__ = ()
    node = MinBackward0


class MaxBackward1(Node):
    """The largest element; `context` holds each element's share of the gradient."""

    __slots__ = ()
    rule = "input: grad at the chosen elements, shared evenly among equals, 0 elsewhere"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """The extreme elements get the gradient; ties share it evenly."""
        share, kept = self.context
        return (generic.masked(grad.reshape(kept) * share, share != 0),)


class MinBackward1(MaxBackward1):
    """The smallest element."""

    __slots__ = ()


class AmaxBackward0(MaxBackward1):
    """The largest elements along dimensions."""

    __slots__ = ()
    rule = "input: grad at the chosen elements, shared evenly among equals, 0 elsewhere"


class AminBackward0(MaxBackward1):
    """The smallest elements along dimensions."""

    __slots__ = ()


def _extreme(
    kind: type[Node],
    reduction: Callable[..., Any],
    input: Tensor,
    dim: Dims,
    keepdim: bool,
) -> Tensor:
    x = input._array
    dims = axes(tuple(range(x.ndim)) if dim is None or dim == () else dim, x.ndim)
    if not all(x.shape[place] for place in dims):
        error = TensorError if dim is None or dim == () else TensorIndexError
        raise error(
            f"{reduction.__name__}(): Expected reduction dim to be specified for input.numel() == 0"
        )
    found = reduction(x, dims, keepdims=True)
    kept = kept_shape(x.shape, dims)
    out = wrap(
        found if keepdim else found.reshape([n for a, n in enumerate(x.shape) if a not in dims])
    )
    if grad_mode.current.enabled and input._requires_grad:
        chosen = (x == found) | (np.isnan(found) & np.isnan(x))
        share = chosen / chosen.sum(dims, keepdims=True)
        record(kind, out, (input._grad_fn or input,), context=(share.astype(x.dtype), kept))
    return out


def amax(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Return the largest elements along `dim`; ties share the gradient."""
    return _extreme(AmaxBackward0, np.max, input, dim, keepdim)


def amin(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Return the smallest elements along `dim`; ties share the gradient."""
    return _extreme(AminBackward0, np.min, input, dim, keepdim)


def _with_indices(
    kind: type[ValuesAndIndices],
    find: Callable[..., NDArray[Any]],
    input: Tensor,
    dim: int,
    keepdim: bool,
) -> ValuesAndIndices:
    place = axis(dim, input._array.ndim)
    if not input._array.ndim:
        return kind(input.clone(), wrap(np.array(0)))
    if input._array.shape[place] == 0:
        raise TensorIndexError(f"Expected reduction dim {dim} to have non-zero size")
    return kind.at(input, find(input._array, place, keepdims=True), place, keepdim=keepdim)


def max(input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False) -> Any:  # noqa: ANN401 - a Tensor, or values and indices with `dim`
    """Return the largest element; with `dim`, the largest along it and their indices.

    Ties share the gradient of the overall maximum; along a dimension the first one gets it.
    Given another tensor, return the elementwise maximum.

    Example:
        >>> import gradstep
        >>> max(gradstep.tensor([[1.0, 3.0], [5.0, 2.0]]), 1).indices
        tensor([1, 0])
    """
    if isinstance(dim, Tensor):
        return maximum(input, dim)
    if dim is None:
        return _extreme(MaxBackward1, np.max, input, None, keepdim=False)
    return _with_indices(Max, np.argmax, input, dim, keepdim)


def min(input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False) -> Any:  # noqa: ANN401 - a Tensor, or values and indices with `dim`
    """Return the smallest element; with `dim`, the smallest along it and their indices.

    Given another tensor, return the elementwise minimum.
    """
    if isinstance(dim, Tensor):
        return minimum(input, dim)
    if dim is None:
        return _extreme(MinBackward1, np.min, input, None, keepdim=False)
    return _with_indices(Min, np.argmin, input, dim, keepdim)


def _arg(find: Callable[..., Any], input: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    x = input._array
    if x.size == 0:
        raise TensorIndexError(f"{find.__name__}(): Expected reduction dim to have non-zero size")
    if dim is None:
        return wrap(np.asarray(find(x)).reshape((1,) * x.ndim if keepdim else ()))
    if not x.ndim:
        axis(dim, 0)
        return wrap(np.array(0))
    return wrap(find(x, axis(dim, x.ndim), keepdims=keepdim))


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Return the index of the largest element, in the flattened tensor or along `dim`.

    Example:
        >>> import gradstep
        >>> argmax(gradstep.tensor([1.0, 3.0, 2.0]))
        tensor(1)
    """
    return _arg(np.argmax, input, dim, keepdim)


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Return the index of the smallest element, in the flattened tensor or along `dim`."""
    return _arg(np.argmin, input, dim, keepdim)
