"""Function: an operation of the user's own, with its own gradient."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import TensorError, UnsupportedError
from gradstep_torch.autograd.function_context import FunctionCtx, Parts

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

__all__ = ["Function", "FunctionCtx", "once_differentiable"]


class FunctionNode(Node):
    """What a Function recorded; each Function has a kind of its own, named after it.

    `context` is the Function and its ctx.
    """

    __slots__ = ()
    rule = "inputs: what the backward of the function returns"

    def __repr__(self) -> str:
        return f"<gradstep_torch.autograd.function.{self.name()} object at 0x{id(self):x}>"

    @property
    def sources(self) -> tuple[int | None, ...]:  # type: ignore[override]  # each has its own
        """Where each saved tensor stands."""
        sources: tuple[int | None, ...] = self.context[1].sources
        return sources

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Call the user's backward with tensors, and check what it gives."""
        function, ctx = self.context
        recorded = isinstance(grad, Tensor) or (isinstance(grad, Parts) and grad.recorded)
        incoming = grad.filled(ctx) if isinstance(grad, Parts) else (_tensor(grad),)
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
            # a copy: the user may keep the tensor, and give it more than once
            values.append(value if recorded else value._array.copy())
        return tuple(values)


class OutputNode(Node):
    """One of several outputs of a Function: hands its gradient on together with its number."""

    __slots__ = ()
    rule = "function: grad"

    def name(self) -> str:
        """Return the name of the Function it belongs to."""
        owner = self.edges[0]
        return owner.name() if isinstance(owner, Node) else "Output"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """The gradient, with the number of the output."""
        return (Parts({self.context: grad}),)


def _tensor(value: Value) -> Tensor:
    return value if isinstance(value, Tensor) else wrap(value)


class Function:
    """An operation whose forward and backward you write yourself.

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
        """Refuse the call of an instance: that was the way of torch before 1.3."""
        raise TensorError(
            "Legacy autograd function with non-static forward method is deprecated",
            f"call {type(self).__name__}.apply(...), and make forward and backward staticmethods",
        )

    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ARG004 - the user's own
        """Compute the results; operations in here are not recorded."""
        raise UnsupportedError("You must implement the forward function for custom Function")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Save what backward needs, when forward takes no ctx."""

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:  # noqa: ARG004 - the user's own
        """Return the gradient of each argument of forward."""
        raise UnsupportedError("You must implement the backward function for custom Function")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Call forward and record the call."""
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
        if grad_mode.enabled and any(needs):
            _record(cls, ctx, tensors, found)
        ctx.forget()
        return found if isinstance(result, tuple) else found[0]


def _own(output: Any, inputs: list[Tensor | None], ctx: FunctionCtx) -> Any:
    """Return an output that may be given a history of its own."""
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
