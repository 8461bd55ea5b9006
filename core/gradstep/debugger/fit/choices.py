"""The losses whose outputs can be compared with targets, and why there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.history.records.fit import FitChoice
from gradstep.program.schema.program_spec import MetricSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradstep.program.program import Program
    from gradstep.program.schema.program_spec import LossSpec

__all__ = ["choices_of", "obstacle_of"]


def choices_of(program: Program) -> tuple[FitChoice, ...]:
    """Return one loss for each output that can be compared with targets, in order.

    Losses that compute the same output for the same data, such as one on held-out rows or a metric,
    are one choice: a loss on training rows where there is one.
    """
    computed = program.spec.computed
    found: dict[object, FitChoice] = {}
    for name, loss in sorted(computed.items(), key=lambda item: _rank(item[1])):
        if loss.data is not None and not _problem(program, name):
            key = loss.data, tuple(loss.chain), loss.output
            found.setdefault(key, FitChoice(name, loss.data))
    order = {name: place for place, name in enumerate(computed)}
    return tuple(sorted(found.values(), key=lambda choice: order[choice.loss]))


def obstacle_of(program: Program) -> str:
    """Return why nothing can be compared, when `choices_of` is empty.

    Example:
        >>> from gradstep.program.document.codec import decode
        >>> from gradstep.program.program import Program
        >>> program = Program.from_spec(decode(b'''{"gradstep": 1,
        ...     "tensors": {"x": {"value": [1.0], "requires_grad": true}},
        ...     "losses": {"loss": {"expression": "sum(x)"}}}'''))
        >>> obstacle_of(program)
        'This program has no data: its losses are computed from its own tensors alone.'
    """
    if not program.spec.data:
        return "This program has no data: its losses are computed from its own tensors alone."
    return "\n".join(_problems(program)) or "This program has no loss."


def _rank(loss: LossSpec) -> tuple[bool, bool]:
    """Order losses on training rows first, then those on held-out rows, then metrics."""
    return isinstance(loss, MetricSpec), loss.rows == "validation"


def _problems(program: Program) -> Iterator[str]:
    for name, loss in program.spec.losses.items():
        if loss.data is not None:
            yield _problem(program, name)


def _problem(program: Program, name: str) -> str:
    """Return why the output of a loss with data cannot be compared; empty if it can."""
    data = program.spec.computed[name].data
    if program.dataset(data or "").targets is None:
        return f"{data} has no targets that the output of {name} could be compared with."
    if not program.predicts(name):
        return (
            f"{name} has no output that could be compared with the targets of {data}: "
            'its document gives neither a "chain" nor an "output".'
        )
    return ""
