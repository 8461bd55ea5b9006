"""Default evaluation points of a breakpoint: where what it reads is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.history.reads_writes import parse
from gradstep.history.records.breakpoints import ANY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradstep.debugger.conditions.condition import Query
    from gradstep.program.program import Program

__all__ = ["default_kinds"]

_BY_NAME = {
    "loss": "forward",
    "any_grad": "backward",
    "grad": "backward",
    "any_data": "step",
    "data": "step",
    "buf": "step",
    "event": ANY,
}
_BY_KIND = {"loss": "forward", "grad": "backward", "data": "step", "state": "step"}
_ORDER = (ANY, "forward", "backward", "step")


def default_kinds(query: Query) -> tuple[str, ...]:
    """Return the kinds of Operations after which to evaluate, in the order of a loop.

    Forward writes losses and the buffers of modules, Backward gradients, and Step parameters and
    optimizer state; where an optimizer computes the loss itself, Step writes all of them. A
    condition that reads several is evaluated after each of them, one that reads none, such as a
    hyperparameter, after Step, and one about the last Event after every Operation.

    Args:
        query: The compiled condition.

    Example:
        >>> from gradstep.debugger.conditions.condition import Query
        >>> from gradstep.debugger.conditions.evaluation_context import EvaluationContext
        >>> from gradstep.program.document.codec import decode
        >>> from gradstep.program.program import Program
        >>> context = EvaluationContext(Program.from_spec(decode(b'''{"gradstep": 1,
        ...     "tensors": {"x": {"value": 1, "requires_grad": true}},
        ...     "losses": {"loss": {"expression": "x * x"}}}''')))
        >>> default_kinds(Query("isnan(loss)", context)), default_kinds(Query("grad", context))
        (('forward',), ('backward',))
        >>> default_kinds(Query('loss > 9 and data("x") < 0', context))
        ('forward', 'step')
        >>> default_kinds(Query("raised", context)), default_kinds(Query("iteration == 5", context))
        (('any',), ('step',))
    """
    if query.is_about_the_event:
        return (ANY,)
    program = query.context.program
    found = set(_written_by(query, program))
    if found and any(optimizer.needs_closure for optimizer in program.optimizers.values()):
        found.add("step")
    return (ANY,) if ANY in found else tuple(kind for kind in _ORDER if kind in found) or ("step",)


def _written_by(query: Query, program: Program) -> Iterator[str]:
    """Yield the kind of Operation that writes each value that is read."""
    for name in query.names:
        if name in program.losses:
            yield "forward"
        elif name in _BY_NAME:
            yield _BY_NAME[name]
    for text in query.reads:
        address = parse(text, program.losses)
        if address.kind == "data" and address.name in program.buffers:
            yield "forward"
        elif address.kind in _BY_KIND:
            yield _BY_KIND[address.kind]
