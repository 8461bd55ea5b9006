"""In-place operations: version counters, and the graph of views that share memory.

An in-place operation runs the out-of-place operation and writes its result into the input. When
recorded, the operation gets a copy of the input, so that its saved values stay intact.
"""

from __future__ import annotations

from functools import update_wrapper
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode, tensor
from gradstep.autograd.dtypes import scalar_name
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.assignment import put, scatter_to_zeros, store
from gradstep.autograd.ops.indexing import numpy_index
from gradstep.autograd.ops.operands import broadcast_error
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["in_place", "in_place_view", "overwrite", "setitem"]

_KIND_ORDER = {"b": 0, "u": 1, "i": 1, "f": 2}


class CopySlices(Node):
    """The base of a view that was modified in place."""

    __slots__ = ()
    rule = "base: grad, 0 where it was overwritten; part: what the overwriting made of grad"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """The base gets the gradient outside of the view, the part the gradient of the view."""
        places, shape = self.context
        flat = grad.reshape((-1,))
        kept = np.ones(flat.shape, np.bool_)
        kept[places] = False
        return (
            None if self.edges[0] is None else (flat * kept).reshape(self.shape),
            flat[places.reshape(-1)].reshape(shape),
        )


class AsStridedBackward0(Node):
    """A view whose base was modified in place after the view was taken."""

    __slots__ = ()
    rule = "base: grad, added at the places of the view"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Add the gradient at the view's elements of the base."""
        places, shape = self.context
        size = int(np.prod(shape, dtype=np.int64))
        flat = scatter_to_zeros(grad.reshape((-1,)), (size,), places.reshape(-1))
        return (flat.reshape(shape),)


def _addresses(array: NDArray[Any]) -> NDArray[np.int64]:
    """Return the memory address of each element."""
    found = np.array(array.__array_interface__["data"][0], np.int64)
    for size, stride in zip(array.shape, array.strides, strict=True):
        found = found[..., None] + np.arange(size) * stride
    return found


def _positions_in_base(view: Tensor, base: Tensor) -> NDArray[np.int64]:
    """Return, for each element of a view, its position in the flattened base."""
    of_base = _addresses(base._array).ravel()
    order = np.argsort(of_base)
    of_view = _addresses(view._array)
    found = np.searchsorted(of_base[order], of_view).clip(max=max(of_base.size - 1, 0))
    places = order[found] if of_base.size else found
    if of_view.size and not np.array_equal(of_base[places], of_view):
        raise TensorError(
            "a view no longer shares the memory of the tensor it was taken from",
            "create the view again after assigning .data",
        )
    return places


def _check_allowed(input: Tensor, part: str = "") -> None:
    """Raise TensorError if a recorded in-place operation on `input` would break autograd."""
    if input._requires_grad and input._grad_fn is None:
        raise TensorError(
            f"a {part}leaf Variable that requires grad is being used in an in-place operation",
            "wrap the change in gradstep.no_grad(), or work on a clone()",
        )
    base = input._base
    if base is None:
        return
    if base._requires_grad and base._grad_fn is None:
        raise TensorError(
            "a view of a leaf Variable that requires grad is being used in an in-place operation",
            "wrap the change in gradstep.no_grad(), or take the view of a clone()",
        )
    if base._requires_grad and not input._requires_grad:
        raise TensorError(
            "A view was created in no_grad mode and is being modified inplace with grad mode "
            "enabled",
            "take the view outside no_grad(), or change it inside",
        )


def _rebase_history(input: Tensor, made: Tensor) -> None:
    """Set the grad_fn of `input` to that of the values written, and update its base and views."""
    if not made._requires_grad:
        return
    base = input._base
    if base is None:
        base = input
        input._grad_fn, input._requires_grad = made._grad_fn, True
    else:
        shape = input._array.shape
        record(
            CopySlices,
            base,
            (edge(base), edge(made)),
            context=(_positions_in_base(input, base), shape),
        )
    for reference in base._views or ():
        view = reference()
        if view is not None:
            record(
                AsStridedBackward0,
                view,
                (edge(base),),
                context=(_positions_in_base(view, base), base._array.shape),
            )


def _copy_in_graph(input: Tensor) -> Tensor:
    """Return a copy of `input` with the same grad_fn."""
    out = wrap(input._array.copy())
    out._grad_fn = input._grad_fn
    out._requires_grad = input._requires_grad
    return out


def _bump_version(input: Tensor) -> None:
    """Increment the version counter of a tensor."""
    if input._version_counter[0] < tensor.first_version:
        raise TensorError(
            "Inplace update to inference tensor outside InferenceMode is not allowed",
            "clone() it to get a normal tensor",
        )
    input._version_counter[0] += 1


def overwrite(input: Tensor, array: Any) -> Tensor:  # noqa: ANN401 - an array, or a number
    """Write values into a tensor without recording, and increment its version."""
    _bump_version(input)
    try:
        input._array[...] = array
    except ValueError:
        raise TensorError(
            "unsupported operation: more than one element of the written-to tensor refers to a "
            "single memory location (it is an expanded view), or its memory is read-only",
            "clone() the tensor before writing to it",
        ) from None
    return input


def _write(input: Tensor, array: NDArray[Any]) -> None:
    target = input._array
    if array.shape != target.shape:
        raise TensorError(
            f"output with shape {list(target.shape)} doesn't match the broadcast shape "
            f"{list(array.shape)}",
            "an in-place operation cannot change the shape of its tensor",
        )
    if _KIND_ORDER[array.dtype.kind] > _KIND_ORDER[target.dtype.kind]:
        raise TensorError(
            f"result type {scalar_name(array.dtype)} can't be cast to the desired output type "
            f"{scalar_name(target.dtype)}",
            "convert the tensor first, or use the out-of-place operation",
        )
    overwrite(input, array)


def in_place(operation: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return the in-place form of an operation, which writes its result into the first operand.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0, -2.0])
        >>> in_place(gradstep.abs)(x)
        tensor([1., 2.])
        >>> x._version
        1
    """

    def run(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:  # noqa: ANN401 - the operation's
        if not grad_mode.current.enabled:
            _write(input, operation(input, *args, **kwargs)._array)
            return input
        recorded = input._requires_grad or any(
            isinstance(value, Tensor) and value._requires_grad
            for value in (*args, *kwargs.values())
        )
        if not recorded and (input._base is None or not input._base._requires_grad):
            _write(input, operation(input, *args, **kwargs)._array)
            return input
        _check_allowed(input)
        made = operation(_copy_in_graph(input), *args, **kwargs)
        _write(input, made._array)
        _rebase_history(input, made)
        return input

    update_wrapper(run, operation)  # for the signature
    run.__name__ = f"{operation.__name__}_"
    run.__doc__ = f"Do `{operation.__name__}` in place and return the tensor."
    return run


def in_place_view(operation: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return the in-place form of a view operation, which changes the tensor's own shape.

    Example:
        >>> import gradstep
        >>> x = gradstep.ones(2)
        >>> in_place_view(gradstep.Tensor.unsqueeze)(x, 0).shape
        gradstep.Size([1, 2])
    """

    def run(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:  # noqa: ANN401 - the operation's
        if grad_mode.current.enabled:
            _check_allowed(input)
        same = wrap(input._array)
        same._grad_fn, same._requires_grad = input._grad_fn, input._requires_grad
        made = operation(same, *args, **kwargs)
        input._array = made._array
        input._version_counter[0] += 1
        if made._grad_fn is not None:
            input._grad_fn = made._grad_fn
        return input

    update_wrapper(run, operation)  # for the signature
    run.__name__ = f"{operation.__name__}_"
    run.__doc__ = f"Do `{operation.__name__}` in place and return the tensor."
    return run


class FillBackward0(Node):
    """A tensor filled with one value, or with the elements of another tensor."""

    __slots__ = ()
    rule = "input: 0 * grad; value: sum(grad)"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """The input gets 0; the value gets the gradient, summed where it was broadcast."""
        before, source = self.edges
        return (
            None if before is None else generic.zeros_like(grad),
            None if source is None else generic.unbroadcast(grad, self.context),
        )


def filled(input: Tensor, value: Tensor | float) -> Tensor:
    """Return a tensor like `input` filled with `value`, broadcast."""
    source = value._array if isinstance(value, Tensor) else np.asarray(value)
    try:
        out = wrap(np.broadcast_to(source, input._array.shape).astype(input._array.dtype))
    except ValueError:
        raise broadcast_error(input._array.shape, source.shape) from None
    by_value = edge(value) if isinstance(value, Tensor) else None
    if grad_mode.current.enabled and (input._requires_grad or by_value is not None):
        record(FillBackward0, out, (edge(input), by_value), context=source.shape)
    return out


def zeroed(input: Tensor) -> Tensor:
    """Return zeros like `input`."""
    return filled(input, 0)


def replaced(input: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:  # noqa: ARG001 - torch's name
    """Return the elements of `src`, broadcast to the shape of `input`."""
    return filled(input, src)


_put_in_place = in_place(put)


def setitem(input: Tensor, index: Any, value: Tensor | float) -> None:  # noqa: ANN401 - an index
    """Do `input[index] = value`.

    Example:
        >>> import gradstep
        >>> x = gradstep.zeros(3)
        >>> x[1:] = 5
        >>> x
        tensor([0., 5., 5.])
    """
    plain = numpy_index(index)
    recorded = grad_mode.current.enabled and (
        input._requires_grad
        or (input._base is not None and input._base._requires_grad)
        or (isinstance(value, Tensor) and value._requires_grad)
    )
    if recorded:
        _check_allowed(input, "view of a ")
        _put_in_place(input, plain, value)
    else:
        _bump_version(input)
        store(input._array, plain, value)
