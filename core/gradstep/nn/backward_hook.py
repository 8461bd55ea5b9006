"""Identity nodes around a module's call, where backward hooks see the gradients."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops.join import cat
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["BackwardHook"]


class BackwardHookFunctionBackward(Node):
    """The identity: a place in the graph for hooks."""

    __slots__ = ()
    rule = "input: grad"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return the gradient unchanged."""
        return (grad,)


class BackwardHook:
    """Routes one call's inputs and outputs through identity nodes that report their gradients.

    Args:
        module: The module that is called.
        before: Functions of (module, grad_output); what they return replaces it.
        after: Functions of (module, grad_input, grad_output); what they return replaces grad_input.
    """

    def __init__(
        self,
        module: object,
        before: Sequence[Callable[..., Any]],
        after: Sequence[Callable[..., Any]],
    ) -> None:
        self._module = module
        self._before = before
        self._after = after
        self._input_count = 0
        self._inputs_report = False
        self._grad_output: tuple[Tensor | None, ...] = ()

    def setup_input_hook(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments, with those that need gradients routed through an identity node."""
        self._input_count = len(args)
        routed = _routed(args, self._on_inputs, _zeros_like)
        self._inputs_report = routed is not args
        return routed

    def setup_output_hook(self, output: Any) -> Any:
        """Return the output, routed through an identity node where it needs gradients."""
        if isinstance(output, Tensor):
            return _routed((output,), self._on_outputs, _nothing)[0]
        if isinstance(output, tuple):
            routed = _routed(output, self._on_outputs, _nothing)
            return type(output)(*routed) if hasattr(output, "_fields") else routed
        warnings.warn(
            "For backward hooks to be called, module output should be a Tensor or a tuple of "
            f"Tensors but received {type(output).__name__}",
            stacklevel=4,
        )
        return output

    def _on_outputs(self, grads: tuple[Tensor | None, ...]) -> tuple[Tensor | None, ...]:
        for hook in self._before:
            grads = _replaced(grads, hook(self._module, grads), "grad_output")
        self._grad_output = grads
        if not self._inputs_report:
            for hook in self._after:
                if hook(self._module, (None,) * self._input_count, grads) is not None:
                    raise TensorError(
                        "a backward hook returned gradients, but no input of the module needs one",
                        "return None, or set requires_grad on the input",
                    )
        return grads

    def _on_inputs(self, grads: tuple[Tensor | None, ...]) -> tuple[Tensor | None, ...]:
        for hook in self._after:
            grads = _replaced(grads, hook(self._module, grads, self._grad_output), "grad_input")
        return grads


def _replaced(
    grads: tuple[Tensor | None, ...],
    returned: Any,
    what: str,
) -> tuple[Tensor | None, ...]:
    if returned is None:
        return grads
    changed = returned if isinstance(returned, tuple) else (returned,)
    if len(changed) != len(grads):
        raise TensorError(
            f"a backward hook returned {len(changed)} values for {what}, expected {len(grads)}"
        )
    return changed


def _zeros_like(tensor: Tensor) -> Tensor:
    return wrap(np.zeros_like(tensor._array))


def _nothing(_: Tensor) -> None:
    """Return None: the gradient of an output that the loss did not use."""


def _routed(
    values: tuple[Any, ...],
    report: Callable[[tuple[Tensor | None, ...]], tuple[Tensor | None, ...]],
    absent: Callable[[Tensor], Tensor | None],
) -> tuple[Any, ...]:
    """Return `values` with the tensors that need gradients behind one node.

    Several tensors go through one node as one flat tensor, so that it is visited once, when the
    gradients of all of them are complete.

    Args:
        values: The inputs or outputs of a call.
        report: Called with their gradients; may return others.
        absent: Makes the gradient to report for a tensor that none has reached.
    """
    places = [
        place
        for place, value in enumerate(values)
        if isinstance(value, Tensor) and value.requires_grad
    ]
    if not places or not grad_mode.current.enabled:
        return values
    tensors = [values[place] for place in places]
    single = len(tensors) == 1
    joined = tensors[0] if single else cat([tensor.reshape(-1) for tensor in tensors])
    passed = wrap(joined._array)
    passed._version_counter = joined._version_counter
    record(BackwardHookFunctionBackward, passed, (edge(joined),))

    reached: set[int] = set()

    def on_gradient(grad: Tensor) -> Tensor:
        pieces = [grad] if single else _pieces(grad, tensors)
        reported = [absent(value) if isinstance(value, Tensor) else None for value in values]
        for place, piece in zip(places, pieces, strict=True):
            if single or place in reached:
                reported[place] = piece
        reached.clear()
        answer = report(tuple(reported))
        kept = []
        for place, piece in zip(places, pieces, strict=True):
            changed = answer[place]
            kept.append(piece if changed is None else changed)
        return kept[0] if single else cat([piece.reshape(-1) for piece in kept])

    passed.register_hook(on_gradient)
    routed = list(values)
    for place, piece in zip(places, [passed] if single else _pieces(passed, tensors), strict=True):
        routed[place] = piece
        if not single:
            piece.register_hook(_mark(reached, place))
    return tuple(routed)


def _mark(reached: set[int], place: int) -> Callable[[Tensor], None]:
    return lambda _: reached.add(place)


def _pieces(flat: Tensor, like: Sequence[Tensor]) -> list[Tensor]:
    pieces = []
    start = 0
    for tensor in like:
        stop = start + tensor._array.size
        pieces.append(flat[start:stop].reshape(tensor._array.shape))
        start = stop
    return pieces
