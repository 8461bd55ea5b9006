"""Micro-steps of the Operations that change gradients in place: Zero Grad and clipping."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from gradstep.autograd.zero_grad import clear_gradients
from gradstep.formula import Formula
from gradstep.nn.clip_grad import clipping_by_norm, clipping_by_value, get_total_norm
from gradstep.program.micro_step import MicroStep, array_copies
from gradstep.program.operations.clipping import clipping_targets

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor
    from gradstep.program.micro_step import Walk
    from gradstep.program.operation import ClipGradNorm, ClipGradValue, ZeroGrad
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["walk_clip_norm", "walk_clip_value", "walk_zero_grad"]

_FACTOR = Formula("min(1, max_norm / (total_norm + 1e-06))", makes="factor")
_SCALED = Formula("factor * grad", makes="grad")
_CLAMPED = Formula("clamp(grad, -clip_value, clip_value)", makes="grad")
_CLEARED = {
    True: Formula("grad = None", r"g \leftarrow \text{None}"),
    False: Formula("grad = 0", r"g \leftarrow 0"),
}
_NOTHING_TO_CLEAR = Formula("grad was already None", "")


def walk_zero_grad(live: LiveObjects, operation: ZeroGrad) -> Walk:
    """Clear the gradients of an optimizer's parameters, one by one."""
    name, to_none = operation.optimizer, operation.set_to_none
    for number, group in enumerate(live.optimizer(name).param_groups):
        for parameter in group["params"]:
            address = live.addresses[parameter]
            before = array_copies([("grad", _array(parameter._grad))])
            clear_gradients((parameter,), to_none)
            after = array_copies([("grad", _array(parameter._grad))])
            yield MicroStep(
                "parameter",
                address,
                (name, f"group {number}"),
                _CLEARED[to_none] if before else _NOTHING_TO_CLEAR,
                before,
                after,
                none=(() if before else ("grad",), () if after else ("grad",)),
                writes=(f"{address}.grad",) if before else (),
            )


def _array(gradient: Any) -> Any:  # noqa: ANN401 - a Tensor's array, or None
    return None if gradient is None else gradient._array


def walk_clip_norm(live: LiveObjects, operation: ClipGradNorm) -> Walk:
    """Yield the total norm, the scale factor, and each scaled gradient."""
    held, addresses = clipping_targets(live, operation)
    if not held:
        return
    grads = [_gradient(parameter) for parameter in held]
    before = [grad._array.copy() for grad in grads]
    total = get_total_norm(grads, operation.norm_type)
    path, bounds = (operation.optimizer,), {"max_norm": operation.max_norm}
    norm = MicroStep(
        "term",
        "total_norm",
        path,
        _norm(operation.norm_type),
        array_copies(zip(addresses, before, strict=True)),
        array_copies([("total_norm", total._array)]),
        writes=(addresses[0],),  # already scaled when the factor is known
    )
    scaling = clipping_by_norm(zip(held, grads, strict=True), operation.max_norm, total)
    for number, (parameter, factor) in enumerate(scaling):
        if number == 0:
            yield norm
            read = array_copies([*bounds.items(), ("total_norm", total._array)])
            yield MicroStep(
                "term", "factor", path, _FACTOR, read, array_copies([("factor", factor)])
            )
        read = array_copies([("factor", factor), ("grad", before[number])])
        yield _changed(live, parameter, path, _SCALED, read)


def walk_clip_value(live: LiveObjects, operation: ClipGradValue) -> Walk:
    """Yield each clamped gradient."""
    held, _ = clipping_targets(live, operation)
    grads = [_gradient(parameter) for parameter in held]
    before = [grad._array.copy() for grad in grads]
    clamping = clipping_by_value(zip(held, grads, strict=True), operation.clip_value)
    for number, parameter in enumerate(clamping):
        read = array_copies([("clip_value", operation.clip_value), ("grad", before[number])])
        yield _changed(live, parameter, (operation.optimizer,), _CLAMPED, read)


def _changed(
    live: LiveObjects,
    parameter: Tensor,
    path: tuple[str, ...],
    formula: Formula,
    read: Any,  # noqa: ANN401 - arrays by name
) -> MicroStep:
    address = live.addresses[parameter]
    made = array_copies([("grad", _gradient(parameter)._array)])
    writes = (f"{address}.grad",)
    return MicroStep("parameter", address, path, formula, read, made, writes=writes)


def _gradient(parameter: Tensor) -> Tensor:
    gradient = parameter._grad
    assert gradient is not None  # only parameters with a gradient are clipped
    return gradient


def _norm(exponent: float) -> Formula:
    order = r"\infty" if exponent == inf else f"{exponent:g}"
    return Formula(
        "the norm of all gradients together",
        rf"\left\lVert g \right\rVert_{{{order}}}",
        makes="total_norm",
    )
