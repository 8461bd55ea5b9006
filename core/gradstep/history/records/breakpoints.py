"""Breakpoints and watches as records, for sessions and views."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

if TYPE_CHECKING:
    from typing import Self

    from gradstep.history.records.tensor import TensorRecord

__all__ = [
    "ANY",
    "CONDITION_TERMS",
    "MAX_BREAKS",
    "BreakpointRecord",
    "BreakpointSpec",
    "Breaks",
    "LogLine",
    "StopKind",
    "Unknown",
    "WatchRecord",
    "WatchValue",
]

MAX_BREAKS = 200
"""The most breakpoints of one session, and also the most watches; a run evaluates them all."""

ANY = "any"
"""Stands for every kind of Operation."""

StopKind = Literal[
    "breakpoint",
    "iterations",
    "failed",
    "paused",
    "script_pause",
    "start",
    "end",
    "condition_error",
]
"""Why a run stopped: a breakpoint was hit, the requested iterations are done, an Operation failed,
the user paused it, a script called `gradstep_agent.pause()`, a run back reached the start, a script
or its recording ended, or a breakpoint could not be evaluated."""

CONDITION_TERMS: tuple[tuple[str, str], ...] = (
    ("loss", "the loss computed last; write the name of a loss for that loss"),
    ("iteration", "completed iterations of the loop"),
    ("epoch", "completed epochs of the data set whose batches the loop takes first"),
    ("event", "number of events so far"),
    ('data("x")', 'the values of a tensor; data("x")[0, 1] is one element'),
    ('grad("x")', "the gradient of a tensor"),
    (
        'activation("model.1")',
        "the output of a layer or module in the last Forward, or that of the loss given second",
    ),
    ("model.0.weight.grad, model.1.output", "the same as grad and activation of these names"),
    ("nets[0].weight.grad.norm()", "norm of that gradient; so with each function of values below"),
    (
        'since_best("val")',
        "how often a loss was computed since its lowest value, or a metric since its highest; "
        'choose with "min" or "max" as second argument',
    ),
    (
        'state("x", "exp_avg")',
        "an optimizer state buffer; put the optimizer first when several hold x",
    ),
    (
        'lr("optimizer")',
        "the learning rate of the first group, or of the group given as second argument",
    ),
    ('option("optimizer", "momentum")', "any hyperparameter, in the same way"),
    (
        "data, grad, buf",
        "the same for each parameter in turn; buf is its momentum_buffer or exp_avg",
    ),
    ("any_data, any_grad", "all elements of all parameters, of all gradients"),
    (
        'changed("x.grad")',
        "true when the last event changed it; also takes an element or an expression",
    ),
    ("raised", "true when the last operation failed"),
    ("non_finite", "true when the last event wrote a NaN or an Inf"),
    ("new_finding", "true when the last event led to a new finding"),
    ("is_none(...)", "true when there is no value: .grad is None, or no loss yet"),
    ("isnan, isinf, any", "true for any element"),
    ("isfinite, all", "true for all elements"),
    ("norm, sum, mean, std, min, max", "over all elements; std divides by n - 1, as in torch"),
    ("dot(a, b)", "the dot product of all elements"),
    ("abs, sign, sqrt, log, exp", "element by element"),
    ("+ - * / ** < <= == and or not", "as in Python; also the constants pi, inf, nan"),
)
"""The language of conditions, watches and log templates: each form, and its meaning.

A comparison with a missing value is false.
"""


class BreakpointSpec(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    repr_omit_defaults=True,
):
    """The definition of a breakpoint; sessions store it as JSON.

    Attributes:
        expression: The condition.
        before: Kinds of Operation before which it is evaluated, such as "backward"; "any" for all.
        after: Kinds of Operation after which it is evaluated.
        hits: It stops from this hit on; earlier hits are only counted.
        log: A text with `{expressions}` to log instead of stopping; None to stop.
        enabled: Whether it is evaluated at all.
        line: A line of a script, such as "train.py:13", or of a program's loop, such as "backward
            loss" (see `line_name`): it is evaluated before the Operations of this line only. Empty
            for all.
    """

    expression: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    hits: int = 1
    log: str | None = None
    enabled: bool = True
    line: str = ""

    @classmethod
    def at_line(cls, line: str) -> Self:
        """Return a breakpoint that stops before each Operation of a line.

        Example:
            >>> BreakpointSpec.at_line("train.py:13")
            BreakpointSpec(expression='True', before=('any',), line='train.py:13')
        """
        return cls("True", before=(ANY,), line=line)


@dataclass(frozen=True, slots=True)
class BreakpointRecord:
    """A breakpoint and its state.

    Attributes:
        id: Its number, which never changes.
        spec: Its definition.
        count: The number of hits so far.
        error: Why it cannot be evaluated; empty when it can.
        column: The column of the error in the expression, from 1; None when it has none.
        after: The kinds of Operation after which it is evaluated, including the defaults where
            `spec` names none.
    """

    id: int
    spec: BreakpointSpec
    count: int = 0
    error: str = ""
    column: int | None = None
    after: tuple[str, ...] = ()


class Unknown:
    """Marks a value that was not computed, as opposed to None."""


WatchValue: TypeAlias = "float | bool | TensorRecord | None"


@dataclass(frozen=True, slots=True)
class WatchRecord:
    """A watch and its value.

    Attributes:
        id: Its number, which never changes.
        expression: The watched expression.
        value: A number, a truth value, an array's record, or None for no value.
        before: The value before the last Event; `Unknown` when it was not computed.
        changed: Whether the last Event changed it.
        moved: The Euclidean norm of the last Event's change, for arrays; None otherwise.
        error: Why it cannot be evaluated; empty when it can.
        column: The column of the error in the expression, from 1; None when it has none.
    """

    id: int
    expression: str
    value: WatchValue = None
    before: WatchValue | type[Unknown] = Unknown
    changed: bool = False
    moved: float | None = None
    error: str = ""
    column: int | None = None


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line that a breakpoint logged instead of stopping.

    Attributes:
        event: The Event after which the breakpoint was hit.
        breakpoint: The number of the breakpoint.
        text: The text of the line.
    """

    event: int
    breakpoint: int
    text: str


@dataclass(frozen=True, slots=True)
class Breaks:
    """All breakpoints and watches, and why the last run stopped.

    Attributes:
        breakpoints: The breakpoints, oldest first.
        watches: The watches, oldest first.
        lines: The latest log lines, oldest first.
        sentence: Why the last run stopped, as a sentence; empty after any other action.
        kind: Why the last run stopped; empty after any other action.
        hit: The number of the breakpoint that stopped it; None for none.
        hits: The latest Events at which a breakpoint stopped a run.
    """

    breakpoints: tuple[BreakpointRecord, ...] = ()
    watches: tuple[WatchRecord, ...] = ()
    lines: tuple[LogLine, ...] = ()
    sentence: str = ""
    kind: StopKind | Literal[""] = ""
    hit: int | None = None
    hits: frozenset[int] = frozenset()
