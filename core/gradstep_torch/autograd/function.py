"""Function: a custom operation with its own gradient, and the context of its two passes."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops.operands import UNVERSIONED
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.autograd.traversal import attached
from gradstep.errors import ArgumentTypeError, TensorError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from numpy.typing import NDArray

__all__ = ["Function", "FunctionCtx", "once_differentiable"]

_ONE_OF_SEVERAL = -2
"""The source of a saved tensor that is one of several outputs."""


class FunctionCtx:
    """The `ctx` of a Function: it carries values from forward to backward.

    Users may set attributes on it.

    Args:
        needs_input_grad: For each argument of forward, whether it requires a gradient.
        shapes: The shape of each argument; `()` for one that is not a tensor.
    """

    def __init__(
        self, needs_input_grad: tuple[bool, ...], shapes: tuple[tuple[int, ...], ...]
    ) -> None:
        self.needs_input_grad = needs_input_grad
        self.shapes = shapes
        self.sources: tuple[int | None, ...] = ()
        self.results: list[tuple[tuple[int, ...], np.dtype[Any]] | None] = []
        self._materialize = True
        self._saved: tuple[Tensor | None, ...] = ()
        self._constant: tuple[Tensor, ...] = ()
        self._dirty: tuple[Tensor, ...] = ()

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Save tensors for backward, which raises if they were changed in place since."""
        for tensor in tensors:
            if tensor is not None and not isinstance(tensor, Tensor):
                raise ArgumentTypeError(
                    f"save_for_backward can only save variables, but got {type(tensor).__name__}",
                    "set anything else as an attribute of ctx",
                )
        self._saved = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Mark outputs as not differentiable."""
        self._constant = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Mark inputs that forward changed in place."""
        self._dirty = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Set whether backward gets zeros or None for an output without a gradient."""
        self._materialize = value

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """The tensors given to `save_for_backward`."""
        return self._saved

    def is_constant(self, tensor: Tensor) -> bool:
        """Return whether an output was marked as not differentiable."""
        return any(tensor is other for other in self._constant)

    def is_dirty(self, tensor: Tensor) -> bool:
        """Return whether an input was marked as changed in place."""
        return any(tensor is other for other in self._dirty)

    def describe(
        self, inputs: list[Tensor | None], outputs: list[Tensor], results: tuple[Any, ...]
    ) -> tuple[tuple[NDArray[Any] | None, ...], tuple[list[int], ...]]:
        """Record which input or output each saved tensor is, so that no tensor stays alive.

        Returns:
            The saved arrays, and their version counters.
        """
        self.results = [
            (result._array.shape, result._array.dtype) if isinstance(result, Tensor) else None
            for result in results
        ]
        sources: list[int | None] = []
        for tensor in self._saved:
            source = next((n for n, t in enumerate(inputs) if t is tensor), None)
            if source is None and any(output is tensor for output in outputs):
                source = -1 if len(results) == 1 else _ONE_OF_SEVERAL
            sources.append(source)
        self.sources = tuple(sources)
        return (
            tuple(None if tensor is None else tensor._array for tensor in self._saved),
            tuple(
                UNVERSIONED if tensor is None else tensor._version_counter for tensor in self._saved
            ),
        )

    def restore(self, node: Node, saved: tuple[Value, ...]) -> None:
        """Make `saved_tensors` readable during a backward."""
        found: list[Tensor | None] = []
        for value, source in zip(saved, self.sources, strict=True):
            if source == _ONE_OF_SEVERAL and grad_mode.current.enabled:
                raise UnsupportedError(
                    f"{node.name()} saved one of its several outputs, which cannot be "
                    "differentiated twice",
                    "save the inputs instead and compute the output again in backward",
                )
            if value is None or isinstance(value, Tensor):
                found.append(value)
            elif source is None or source == _ONE_OF_SEVERAL:
                found.append(wrap(value))
            else:
                found.append(attached(value, node if source < 0 else node.edges[source]))
        self._saved = tuple(found)

    def forget(self) -> None:
        """Drop the references to tensors."""
        self._saved = ()
        self._constant = self._dirty = ()

    def zeros_for(self, place: int) -> Tensor | None:
        """Return the gradient that backward gets for an output that received none."""
        result = self.results[place]
        if result is None or not self._materialize:
            return None
        return wrap(np.zeros(*result))


class OutputGrads:
    """The gradients of some outputs of one node, by output number; they can be added."""

    __slots__ = ("grads",)

    def __init__(self, grads: dict[int, Value]) -> None:
        self.grads = grads

    def __add__(self, other: OutputGrads) -> OutputGrads:
        grads = dict(self.grads)
        for place, grad in other.grads.items():
            grads[place] = grads[place] + grad if place in grads else grad
        return OutputGrads(grads)

    @property
    def recorded(self) -> bool:
        """Whether the gradients are tensors of a recorded backward pass."""
        return any(isinstance(grad, Tensor) for grad in self.grads.values())

    def filled(self, ctx: FunctionCtx) -> tuple[Tensor | None, ...]:
        """Return a gradient for every output."""
        return tuple(
            (grad if isinstance(grad, Tensor) else wrap(grad))
            if (grad := self.grads.get(place)) is not None
            else ctx.zeros_for(place)
            for place in range(len(ctx.results))
        )

    def __array__(
        self, dtype: np.dtype[Any] | None = None, copy: bool | None = None
    ) -> np.ndarray[Any, Any]:
        flat = [
            np.ravel(grad._array if isinstance(grad, Tensor) else grad)
            for _, grad in sorted(self.grads.items())
        ]
        return np.array(np.concatenate(flat), dtype, copy=copy)


class FunctionNode(Node):
    """The node of a recorded Function; each Function gets a subclass named after it.

    `context` is the pair (Function, ctx).
    """

    __slots__ = ()
    rule = "inputs: what the backward of the function returns"

    def __repr__(self) -> str:
        return f"<gradstep_torch.autograd.function.{self.name()} object at 0x{id(self):x}>"

    @property
    def sources(self) -> tuple[int | None, ...]:  # type: ignore[override]  # differs by node
        """Which input each saved tensor is; -1 is the output, None is neither."""
        sources: tuple[int | None, ...] = self.context[1].sources
        return sources

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Call the user's backward with tensors, and check the gradients it returns."""
        function, ctx = self.context
        recorded = isinstance(grad, Tensor) or (isinstance(grad, OutputGrads) and grad.recorded)
        incoming = grad.filled(ctx) if isinstance(grad, OutputGrads) else (_tensor(grad),)
        try:
            with grad_mode.set_grad_enabled(recorded):
                ctx.restore(self, saved)
                given = function.backward(ctx, *incoming)
        finally:
            ctx.forget()
        several = given if isinstance(given, tuple) else (given,)
        return self._checked(several, recorded=recorded)

    def _checked(self, given: tuple[Tensor | None, ...], *, recorded: bool) -> tuple[Value, ...]:
        count = len(self.edges)
        if len(given) < count or any(extra is not None for extra in given[count:]):
            raise TensorError(
                f"function {self.name()} returned an incorrect number of gradients "
                f"(expected {count}, got {len(given)})",
                "return one gradient, or None, for each argument of forward",
            )
        values: list[Value] = []
        for place, (value, target) in enumerate(zip(given, self.edges, strict=False)):
            if value is None or target is None:
                values.append(None)
                continue
            shape = self.context[1].shapes[place]
            if not isinstance(value, Tensor) or value._array.shape != shape:
                found = list(value._array.shape) if isinstance(value, Tensor) else type(value)
                raise TensorError(
                    f"Function {self.name()} returned an invalid gradient at index {place} - got "
                    f"{found} but expected shape compatible with {list(shape)}"
                )
            # a copy: the user may keep the tensor, or return it twice
            values.append(value if recorded else value._array.copy())
        return tuple(values)


class OutputNode(Node):
    """One of several outputs of a Function: passes its gradient on with its output number."""

    __slots__ = ()
    rule = "function: grad"

    def name(self) -> str:
        """Return the name of its Function's node."""
        owner = self.edges[0]
        return owner.name() if isinstance(owner, Node) else "Output"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return the gradient tagged with the output number."""
        return (OutputGrads({self.context: grad}),)


def _tensor(value: Value) -> Tensor:
    return value if isinstance(value, Tensor) else wrap(value)


class Function:
    """A custom operation: subclass it and write forward and backward.

    Example:
        >>> import gradstep_torch as torch
        >>> class Cube(Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x**3
        ...
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         (x,) = ctx.saved_tensors
        ...         return 3 * x**2 * grad
        >>> x = torch.tensor(2.0, requires_grad=True)
        >>> Cube.apply(x).backward()
        >>> x.grad
        tensor(12.)
    """

    _kind: type[FunctionNode]

    def __init_subclass__(cls) -> None:
        body = {"__slots__": (), "__module__": cls.__module__, "__doc__": FunctionNode.__doc__}
        cls._kind = type(f"{cls.__name__}Backward", (FunctionNode,), body)

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        """Raise: instances were called only before torch 1.3."""
        raise TensorError(
            "Legacy autograd function with non-static forward method is deprecated",
            f"call {type(self).__name__}.apply(...), and make forward and backward staticmethods",
        )

    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ARG004 - for subclasses
        """Compute the outputs; operations in here are not recorded."""
        raise UnsupportedError("You must implement the forward function for custom Function")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Save what backward needs, when forward takes no ctx."""

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:  # noqa: ARG004 - for subclasses
        """Return the gradient of each argument of forward."""
        raise UnsupportedError("You must implement the backward function for custom Function")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Call forward, and record the call as one node."""
        tensors = [arg if isinstance(arg, Tensor) else None for arg in args]
        needs = tuple(arg is not None and arg._requires_grad for arg in tensors)
        ctx = FunctionCtx(needs, tuple(() if t is None else t._array.shape for t in tensors))
        separate = cls.setup_context is not Function.setup_context
        with grad_mode.no_grad():
            if separate:
                result = cls.forward(*args)
                cls.setup_context(ctx, args, result)
            else:
                result = cls.forward(ctx, *args)
        outputs = result if isinstance(result, tuple) else (result,)
        found = tuple(_own(output, tensors, ctx) for output in outputs)
        if grad_mode.current.enabled and any(needs):
            _record(cls, ctx, tensors, found)
        ctx.forget()
        return found if isinstance(result, tuple) else found[0]


def _own(output: Any, inputs: list[Tensor | None], ctx: FunctionCtx) -> Any:
    """Return an output that can get its own `grad_fn`: an alias if it is an unchanged input."""
    if not isinstance(output, Tensor):
        return output
    if any(output is tensor for tensor in inputs) and not ctx.is_dirty(output):
        alias = wrap(output._array)
        alias._version_counter = output._version_counter
        return alias
    return output


def _record(
    cls: type[Function], ctx: FunctionCtx, inputs: list[Tensor | None], outputs: tuple[Any, ...]
) -> None:
    edges = tuple(None if tensor is None else edge(tensor) for tensor in inputs)
    tracked = [
        (place, output)
        for place, output in enumerate(outputs)
        if isinstance(output, Tensor)
        and output._array.dtype.kind == "f"
        and not ctx.is_constant(output)
    ]
    if not tracked:
        return
    tensors = [output for output in outputs if isinstance(output, Tensor)]
    saved, counters = ctx.describe(inputs, tensors, outputs)
    node = record(cls._kind, tracked[0][1], edges, saved, counters, (cls, ctx)).as_kind()
    if len(outputs) > 1:
        for place, output in tracked:
            record(OutputNode, output, (node,), context=place).as_kind()


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a backward whose result cannot be differentiated again."""

    @wraps(backward)
    def unrecorded(ctx: FunctionCtx, *grads: Tensor) -> object:
        with grad_mode.no_grad():
            return backward(ctx, *grads)

    return unrecorded
