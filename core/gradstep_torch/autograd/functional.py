"""Derivatives of functions of tensors: products with vectors, Jacobians, Hessians."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.engine import grad
from gradstep.autograd.ops.join import stack
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentTypeError, TensorError, UnsupportedError
from gradstep_torch.missing_names import missing_from

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Several: TypeAlias = "Tensor | tuple[Tensor, ...]"


def _tuple(value: Any, what: str, where: str) -> tuple[tuple[Tensor, ...], bool]:
    """Return tensors as a tuple, and whether they were given as a tuple or list."""
    several = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    for place, part in enumerate(several):
        if not isinstance(part, Tensor):
            raise ArgumentTypeError(
                f"The {what} given to {where} must be either a Tensor or a tuple of Tensors but "
                f"the value at index {place} has type {type(part).__name__}"
            )
    return several, isinstance(value, (tuple, list))


def _leaves(inputs: tuple[Tensor, ...], *, create_graph: bool) -> tuple[Tensor, ...]:
    """Return aliases of the inputs to differentiate by; detached unless `create_graph`."""
    if create_graph:
        return tuple(x.view_as(x) if x._requires_grad else x.detach() for x in inputs)
    return tuple(x.detach() for x in inputs)


def _prepared(inputs: tuple[Tensor, ...], *, create_graph: bool) -> tuple[Tensor, ...]:
    found = _leaves(inputs, create_graph=create_graph)
    for x in found:
        if not x._requires_grad:
            x.requires_grad = True
    return found


def _directions(
    v: Any,
    like: tuple[Tensor, ...],
    where: str,
) -> tuple[Tensor, ...]:
    """Return the vectors to multiply with; a one if `v` is None and the function has one value."""
    if v is None:
        if len(like) != 1 or like[0]._array.size != 1:
            raise TensorError(
                f"The vector v can only be None if the user-provided function of {where} has one "
                "value",
                "give a vector of the same shape as the outputs (vjp) or inputs (jvp, hvp)",
            )
        return (wrap(np.ones_like(like[0]._array)),)
    several, _ = _tuple(v, "v", where)
    if [t._array.shape for t in several] != [t._array.shape for t in like]:
        raise TensorError(
            f"v of {where} has the shapes {[list(t._array.shape) for t in several]}, but must "
            f"have {[list(t._array.shape) for t in like]}"
        )
    return several


def _gradients(
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    flowing: Sequence[Tensor | None] | None,
    *,
    create_graph: bool,
) -> tuple[Tensor, ...]:
    """Return gradients; zeros for inputs without a path to the outputs."""
    used = [n for n, output in enumerate(outputs) if output._requires_grad]
    if not used:
        return tuple(wrap(np.zeros_like(x._array)) for x in inputs)
    found = grad(
        [outputs[n] for n in used],
        inputs,
        None if flowing is None else [flowing[n] for n in used],
        retain_graph=True,
        create_graph=create_graph,
        allow_unused=True,
        materialize_grads=True,
    )
    return tuple(value for value in found if value is not None)


def _done(values: tuple[Tensor, ...], *, several: bool, create_graph: bool) -> Any:
    kept = values if create_graph else tuple(value.detach() for value in values)
    return kept if several else kept[0]


def vjp(
    func: Callable[..., Any],
    inputs: Several,
    v: Several | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the outputs of `func`, and the product of a vector with its Jacobian.

    Args:
        func: Takes the inputs and returns one or more tensors.
        inputs: The point at which to differentiate.
        v: The vector, of the shape of the output; optional if the output has one element.
        create_graph: Whether to record, so that the results can be differentiated.
        strict: Not supported.

    Example:
        >>> import gradstep_torch as torch
        >>> vjp(lambda x: x**2, torch.tensor([1.0, 3.0]), torch.ones(2))[1]
        tensor([2., 6.])
    """
    _check_strict(strict)
    given, several = _tuple(inputs, "inputs", "vjp")
    with grad_mode.enable_grad():
        leaves = _prepared(given, create_graph=create_graph)
        outputs, many = _tuple(func(*leaves), "outputs of the function", "vjp")
        directions = _directions(v, outputs, "vjp")
        found = _gradients(outputs, leaves, directions, create_graph=create_graph)
    return (
        _done(outputs, several=many, create_graph=create_graph),
        _done(found, several=several, create_graph=create_graph),
    )


def jvp(
    func: Callable[..., Any],
    inputs: Several,
    v: Several | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the outputs of `func`, and the product of its Jacobian with a vector.

    The vector-Jacobian product is linear in its vector, so its derivative is the product from the
    other side.

    Example:
        >>> import gradstep_torch as torch
        >>> jvp(lambda x: x**2, torch.tensor([1.0, 3.0]), torch.ones(2))[1]
        tensor([2., 6.])
    """
    _check_strict(strict)
    given, _ = _tuple(inputs, "inputs", "jvp")
    directions = _directions(v, given, "jvp")
    with grad_mode.enable_grad():
        leaves = _prepared(given, create_graph=create_graph)
        outputs, many = _tuple(func(*leaves), "outputs of the function", "jvp")
        probes = tuple(wrap(np.zeros_like(y._array)).requires_grad_() for y in outputs)
        backward = _gradients(outputs, leaves, probes, create_graph=True)
        found = _gradients(backward, probes, directions, create_graph=create_graph)
    return (
        _done(outputs, several=many, create_graph=create_graph),
        _done(found, several=many, create_graph=create_graph),
    )


def jacobian(
    func: Callable[..., Any],
    inputs: Several,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """Return the derivative of each element of the output by each element of the input.

    Args:
        func: Takes the inputs and returns one or more tensors.
        inputs: The point at which to differentiate.
        create_graph: Whether to record, so that the result can be differentiated.
        strict: Not supported.
        vectorize: Ignored; for compatibility with torch.
        strategy: Only "reverse-mode".

    Returns:
        A tensor of the output's shape followed by the input's; a tuple of these for several
        inputs, and a tuple over the outputs for several outputs.

    Example:
        >>> import gradstep_torch as torch
        >>> jacobian(lambda x: x**2, torch.tensor([1.0, 3.0]))
        tensor([[2., 0.],
                [0., 6.]])
    """
    del vectorize
    _check_strict(strict)
    if strategy != "reverse-mode":
        raise UnsupportedError(f"strategy {strategy!r} is not supported", 'use "reverse-mode"')
    given, several = _tuple(inputs, "inputs", "jacobian")
    with grad_mode.enable_grad():
        leaves = _prepared(given, create_graph=create_graph)
        outputs, many = _tuple(func(*leaves), "outputs of the function", "jacobian")
        rows = [_rows(output, leaves, create_graph=create_graph) for output in outputs]
    found = [_done(row, several=several, create_graph=create_graph) for row in rows]
    return tuple(found) if many else found[0]


def _rows(output: Tensor, leaves: tuple[Tensor, ...], *, create_graph: bool) -> tuple[Tensor, ...]:
    """Return the Jacobians of one output by every input."""
    shape = output._array.shape
    flat = output.reshape(-1)
    each = [
        _gradients([flat[place]], leaves, None, create_graph=create_graph)
        for place in range(flat._array.size)
    ]
    if not each:
        return tuple(wrap(np.zeros((*shape, *x._array.shape), x._array.dtype)) for x in leaves)
    return tuple(
        stack([row[place] for row in each]).reshape((*shape, *leaf._array.shape))
        for place, leaf in enumerate(leaves)
    )


def hessian(
    func: Callable[..., Tensor],
    inputs: Several,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Return the second derivatives of a scalar function.

    Example:
        >>> import gradstep_torch as torch
        >>> hessian(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]))
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    _, several = _tuple(inputs, "inputs", "hessian")

    def slope(*point: Tensor) -> Any:
        found = jacobian(_single(func, "hessian"), point, create_graph=True)
        return found if several else found[0]

    return jacobian(slope, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)


def _single(func: Callable[..., Tensor], where: str) -> Callable[..., Tensor]:
    def checked(*point: Tensor) -> Tensor:
        value = func(*point)
        if not isinstance(value, Tensor) or value._array.size != 1:
            raise TensorError(
                f"The Tensor returned by the function given to {where} should contain a single "
                "element",
                "reduce it with .sum()",
            )
        return value.reshape(())

    return checked


def hvp(
    func: Callable[..., Tensor],
    inputs: Several,
    v: Several | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Tensor, Any]:
    """Return the value of `func`, and the product of its Hessian with a vector.

    Example:
        >>> import gradstep_torch as torch
        >>> hvp(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]), torch.ones(2))[1]
        tensor([ 6., 12.])
    """
    _check_strict(strict)
    given, several = _tuple(inputs, "inputs", "hvp")
    directions = _directions(v, given, "hvp")
    with grad_mode.enable_grad():
        leaves = _prepared(given, create_graph=create_graph)
        value = _single(func, "hvp")(*leaves)
        slopes = _gradients([value], leaves, None, create_graph=True)
        found = _gradients(slopes, leaves, directions, create_graph=create_graph)
    return (
        value if create_graph else value.detach(),
        _done(found, several=several, create_graph=create_graph),
    )


vhp = hvp  # a Hessian is symmetric


def _check_strict(strict: bool) -> None:
    if strict:
        raise UnsupportedError("strict=True is not supported", "omit it")


if not TYPE_CHECKING:  # type checkers must see only the real names
    __getattr__ = missing_from(__name__)
