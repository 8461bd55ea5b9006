"""Backward passes: to the end, step by step, or for chosen inputs only."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd.graph import Node, Value
from gradstep.autograd.ops.join import stack
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.autograd.traversal import accumulate, traverse
from gradstep.errors import ArgumentError, TensorError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["Accumulation", "Visit", "backward", "grad", "visits"]


@dataclass(frozen=True, slots=True)
class Visit:
    """A node was visited: `incoming` is its output's gradient, `outgoing` each input's."""

    node: Node
    incoming: NDArray[Any]
    outgoing: tuple[NDArray[Any] | None, ...]


@dataclass(frozen=True, slots=True)
class Accumulation:
    """A leaf's `.grad` changed from `before` (None if there was none) to `after` by `added`."""

    leaf: Tensor
    before: NDArray[Any] | None
    added: NDArray[Any]
    after: NDArray[Any]


def visits(
    tensors: Sequence[Tensor],
    gradients: Sequence[Tensor | None] | None = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
) -> Iterator[Visit | Accumulation]:
    """Run a backward pass step by step.

    Args:
        tensors: The tensors to start from, usually one loss.
        gradients: The gradient that flows into each; None for a tensor of one element.
        retain_graph: Whether to keep the nodes' saved values; None means as `create_graph`.
        create_graph: Whether to record the backward pass itself.

    Yields:
        A Visit for each node, an Accumulation for each leaf. The arrays of a Visit belong to the
        engine and are valid until the next step. If the pass is abandoned, leaves that were not
        reached stay unchanged.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0, 2.0], requires_grad=True)
        >>> for step in visits([(100 * x).sum()]):
        ...     print(type(step).__name__, getattr(step, "added", ""))
        Visit
        Visit
        Accumulation [100. 100.]
    """
    roots, values = _start(tensors, gradients, create_graph)
    retain = create_graph if retain_graph is None else retain_graph
    before: dict[Tensor, NDArray[Any] | None] = {}
    for place, incoming, outgoing in traverse(roots, values, retain, create_graph, watched=True):
        if isinstance(place, Node):
            for leaf in place.edges:
                if leaf is not None and not isinstance(leaf, Node) and leaf not in before:
                    before[leaf] = None if leaf._grad is None else leaf._grad._array.copy()
            yield Visit(place.as_kind(), _plain(incoming), tuple(map(_plain_or_none, outgoing)))
        else:
            held = place._grad
            assert held is not None
            yield Accumulation(place, before.get(place), _plain(incoming), held._array.copy())


def backward(
    tensors: Tensor | Sequence[Tensor],
    gradients: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """Run a backward pass, adding to the `.grad` of the leaves (or only of `inputs`).

    Args:
        tensors: The tensor or tensors to start from, usually one loss.
        gradients: The gradient that flows into each; None for a tensor of one element.
        retain_graph: Whether to keep the nodes' saved values; None means as `create_graph`.
        create_graph: Whether to record the pass itself.
        inputs: The leaf or leaves to accumulate into; None for all.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0, 2.0], requires_grad=True)
        >>> backward((x * x).sum())
        >>> x.grad
        tensor([2., 4.])
    """
    starts = (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)
    given = (gradients,) if isinstance(gradients, Tensor) else gradients
    roots, values = _start(starts, given, create_graph)
    _run(roots, values, retain_graph, create_graph, inputs)


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """Return the gradients of the sum of `outputs` with respect to `inputs`, touching no `.grad`.

    Args:
        outputs: The tensors to differentiate.
        inputs: The tensors to differentiate with respect to.
        grad_outputs: The gradient that flows into each output.
        retain_graph: Whether to keep the saved values; None means as `create_graph`.
        create_graph: Whether to record the pass, so that the result can be differentiated again.
        only_inputs: Ignored, as in torch: other leaves are never changed.
        allow_unused: Return None for an input that the outputs do not depend on.
        is_grads_batched: Whether the first dimension of `grad_outputs`, and of the results, is a
            batch of gradients; each takes one backward pass.
        materialize_grads: Return zeros instead of None.

    Raises:
        TensorError: An input does not require grad, or was not used.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor(3.0, requires_grad=True)
        >>> (first,) = grad(x**3, x, create_graph=True)
        >>> (second,) = grad(first, x)
        >>> first.item(), second.item()
        (27.0, 18.0)
    """
    if not only_inputs:
        warnings.warn(
            "only_inputs=False is ignored: use backward() to accumulate into other leaves",
            FutureWarning,
            stacklevel=2,
        )
    if is_grads_batched:
        options = (create_graph, only_inputs, allow_unused, False, materialize_grads)
        return _one_by_one(outputs, inputs, grad_outputs, retain_graph, options)
    if allow_unused is False and materialize_grads:
        raise ArgumentError(
            "materialize_grads=True contradicts allow_unused=False", "omit allow_unused"
        )
    starts = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
    wanted = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    given = (grad_outputs,) if isinstance(grad_outputs, Tensor) else grad_outputs
    roots, values = _start(starts, given, create_graph)
    for tensor in wanted:
        if not tensor._requires_grad:
            raise TensorError(
                "One of the differentiated Tensors does not require grad",
                "set requires_grad on it before computing the output",
            )
    retain = create_graph if retain_graph is None else retain_graph
    captured = _capture(wanted, roots, values, retain, create_graph)
    found: list[Tensor | None] = []
    for number, tensor in enumerate(wanted):
        value = captured[_place(tensor)]
        if value is not None:
            found.append(value if isinstance(value, Tensor) else wrap(np.array(value)))
        elif materialize_grads:
            found.append(wrap(np.zeros_like(tensor._array)))
        elif allow_unused:
            found.append(None)
        else:
            raise TensorError(
                f"The differentiated Tensor at index {number} appears to not have been used in "
                "the graph",
                "pass allow_unused=True to get None for it",
            )
    return tuple(found)


def _one_by_one(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    batched: Tensor | Sequence[Tensor | None] | None,
    retain_graph: bool | None,
    options: tuple[Any, ...],
) -> tuple[Tensor | None, ...]:
    """Return the stacked results of `grad` for each gradient in a batch."""
    given = (batched,) if isinstance(batched, Tensor) else tuple(batched or ())
    flows = [flow for flow in given if flow is not None and flow._array.ndim]
    counts = {len(flow) for flow in flows}
    if len(flows) != len(given) or len(counts) != 1 or 0 in counts:
        raise ArgumentError(
            "is_grads_batched needs grad_outputs whose first dimensions are equal and not 0"
        )
    (count,) = counts
    retain = options[0] if retain_graph is None else retain_graph
    rows = [
        grad(outputs, inputs, [flow[n] for flow in flows], retain or n < count - 1, *options)
        for n in range(count)
    ]
    return tuple(None if part[0] is None else stack(part) for part in zip(*rows, strict=True))


def backward_from(
    tensor: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """Add the gradients of this tensor to the `.grad` of every leaf it was computed from.

    Args:
        tensor: The tensor to start from.
        gradient: Its incoming gradient, of its shape; optional for a single element.
        retain_graph: Whether to keep the saved values, so that backward can run again.
        create_graph: Whether to record the backward pass itself, for higher derivatives.
        inputs: Accumulate only into these.

    Raises:
        TensorError: There is no graph, it was freed, or a saved tensor was changed in place.
    """
    value = _root_gradient(tensor, gradient, 0, create_graph)
    _run([tensor._grad_fn or tensor], [value], retain_graph, create_graph, inputs)


def _run(
    roots: list[Node | Tensor],
    values: list[Value],
    retain_graph: bool | None,
    create_graph: bool,
    inputs: Tensor | Sequence[Tensor] | None,
) -> None:
    """Run a backward pass to the end."""
    retain = create_graph if retain_graph is None else retain_graph
    if inputs is None:
        for _ in traverse(roots, values, retain, create_graph):
            pass
        return
    wanted = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    if not wanted:
        raise TensorError("`inputs` argument to `backward` cannot be empty", "omit it")
    captured = _capture(wanted, roots, values, retain, create_graph)
    for tensor in dict.fromkeys(wanted):
        value = captured[_place(tensor)]
        if value is not None:
            accumulate(tensor, value, value, create_graph)


def _place(tensor: Tensor) -> Node | Tensor:
    return tensor._grad_fn or tensor


def _capture(
    wanted: Sequence[Tensor],
    roots: list[Node | Tensor],
    values: list[Value],
    retain: bool,
    create: bool,
) -> dict[Node | Tensor, Value]:
    captured: dict[Node | Tensor, Value] = dict.fromkeys(map(_place, wanted))
    for _ in traverse(roots, values, retain, create, captured):
        pass
    return captured


class _SingleOnes(dict[np.dtype[Any], "NDArray[Any]"]):
    """A shared 0-d one of each type: nothing writes into an incoming gradient."""

    def __missing__(self, kind: np.dtype[Any]) -> NDArray[Any]:
        one = self[kind] = np.ones((), kind)
        one.flags.writeable = False
        return one


_SINGLE_ONES = _SingleOnes()


def _ones(like: NDArray[Any]) -> NDArray[Any]:
    """Return the gradient of a root with respect to itself; it must have one element."""
    if like.size != 1:
        raise TensorError(
            f"grad can be implicitly created only for scalar outputs, not for shape "
            f"{list(like.shape)}",
            "reduce it with .sum() or .mean(), or pass gradient=",
        )
    return np.ones(like.shape, like.dtype)


def _start(
    tensors: Sequence[Tensor], gradients: Sequence[Tensor | None] | None, create: bool
) -> tuple[list[Node | Tensor], list[Value]]:
    """Return the roots, and the gradient that flows into each."""
    if gradients is None:
        gradients = (None,) * len(tensors)
    elif len(gradients) != len(tensors):
        raise TensorError(f"got {len(tensors)} tensors and {len(gradients)} gradients")
    values = [
        _root_gradient(tensor, gradient, number, create)
        for number, (tensor, gradient) in enumerate(zip(tensors, gradients, strict=True))
    ]
    return [_place(tensor) for tensor in tensors], values


def _root_gradient(tensor: Tensor, gradient: Tensor | None, number: int, create: bool) -> Value:
    """Return the gradient of a root: a copy, because no leaf may own the caller's array."""
    if not tensor._requires_grad:
        raise TensorError(
            f"element {number} of tensors does not require grad and does not have a grad_fn",
            "set requires_grad=True on the parameters and compute it again, outside no_grad() and "
            "without detach(), .data, .item(), NumPy, argmax or comparisons in between",
        )
    array = tensor._array
    if gradient is None:
        value = _ones(array) if array.ndim else _SINGLE_ONES[array.dtype]
        return wrap(value) if create else value
    if gradient._array.shape != array.shape:
        raise TensorError(
            f"Mismatch in shape: grad_output[{number}] has a shape of "
            f"{list(gradient._array.shape)} and output[{number}] has a shape of "
            f"{list(array.shape)}"
        )
    return gradient if create else gradient._array.astype(array.dtype)


def _plain(value: Value) -> NDArray[Any]:
    return value._array if isinstance(value, Tensor) else np.asarray(value)


def _plain_or_none(value: Value) -> NDArray[Any] | None:
    return None if value is None else _plain(value)
