"""Where breakpoints are evaluated: by default, after the Operations that write what they read."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from gradstep.errors import ArgumentError
from gradstep.history.reads_writes import parse
from gradstep.history.records.breakpoints import ANY
from gradstep.program.operation import Operation
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from gradstep.debugger.conditions.condition import Query
    from gradstep.history.debuggee import Debuggee

__all__ = ["KINDS", "Kinds", "default_kinds", "kinds_of", "written_addresses"]

KINDS: Mapping[str, type[Any]] = MappingProxyType(
    {kind.__struct_config__.tag: kind for kind in get_args(Operation)}
)
"""The kinds of Operations by their names in breakpoints, such as "zero_grad"."""

Kinds: TypeAlias = "str | type | Collection[str | type] | None"
"""One kind of Operation or several: "step", Step, ("forward", "backward"), "any", or None."""

_WRITERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "loss": ("forward",),
        "grad": ("backward",),
        "data": ("step", "set_value", "rebuild_module", "load_state"),
        "buffer": ("forward", "set_value", "rebuild_module", "load_state"),
        "state": ("step", "replace_optimizer", "load_state"),
        "event": (ANY,),
    }
)
"""The kinds of Operations that write each kind of value."""

_REMOVERS = ("zero_grad", "rebuild_module", "load_state")
"""The kinds of Operations that may leave `.grad` at None."""

_BY_NAME = MappingProxyType(
    {
        "loss": "loss",
        "any_grad": "grad",
        "grad": "grad",
        "any_data": "data",
        "data": "data",
        "buf": "state",
        "event": "event",
    }
)
_ORDER = (ANY, *KINDS)


def kinds_of(kinds: Kinds) -> tuple[str, ...]:
    """Return the names of kinds of Operations.

    Raises:
        ArgumentError: There is no such kind.

    Example:
        >>> kinds_of("step"), kinds_of(("forward", "Backward")), kinds_of(None)
        (('step',), ('forward', 'backward'), ())
        >>> kinds_of("stp")
        Traceback (most recent call last):
        gradstep.errors.ArgumentError: there is no kind of Operation 'stp'; did you mean 'step'?
    """
    several = (kinds,) if isinstance(kinds, (str, type)) else tuple(kinds or ())
    return tuple(dict.fromkeys(_kind(kind) for kind in several))


def _kind(kind: object) -> str:
    name = kind if isinstance(kind, str) else getattr(kind, "__struct_config__", kind)
    found = str(getattr(name, "tag", name)).strip().lower().replace(" ", "_")
    if found != ANY and found not in KINDS:
        known = (*KINDS, ANY)
        raise ArgumentError(f"there is no kind of Operation {kind!r}", nearest(found, known))
    return found


def default_kinds(query: Query) -> tuple[str, ...]:
    """Return the kinds of Operations after which to evaluate, in the order of a loop.

    Forward writes losses and the buffers of modules, Backward gradients, and Step parameters and
    optimizer state; where an optimizer computes the loss itself, Step writes all of them. Values
    are also written by hand, rebuilt and loaded. A condition that reads several is evaluated after
    each of these, one that reads none, such as a hyperparameter, after Step, and
    one about the last Event after every Operation. A condition with `is_none` is also evaluated
    where gradients are cleared; others are not, since zeros that Zero Grad has written say nothing
    about training.

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
        ('forward', 'step', 'rebuild_module', 'set_value', 'load_state')
        >>> default_kinds(Query('is_none(grad("x"))', context))
        ('zero_grad', 'backward', 'rebuild_module', 'load_state')
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


def written_addresses(query: Query) -> frozenset[str] | None:
    """Return the addresses whose writers matter to a condition; None when every Event may.

    Example:
        >>> from gradstep.debugger.conditions.condition import Query
        >>> from gradstep.debugger.conditions.evaluation_context import EvaluationContext
        >>> from gradstep.program.document.codec import decode
        >>> from gradstep.program.program import Program
        >>> context = EvaluationContext(Program.from_spec(decode(b'''{"gradstep": 1,
        ...     "tensors": {"x": {"value": 1, "requires_grad": true}},
        ...     "losses": {"train": {"expression": "x * x"}, "val": {"expression": "x"}}}''')))
        >>> written_addresses(Query("val < 1 and iteration > 3", context))
        frozenset({'val'})
        >>> sorted(written_addresses(Query("loss < 1", context)))
        ['train', 'val']
        >>> written_addresses(Query("any_grad > 1", context)) is None
        True
    """
    if query.is_about_the_event:
        return None
    losses = query.context.program.losses
    found: set[str] = set()
    for name in query.names:
        kind = "loss" if name in losses else _BY_NAME.get(name, "")
        if kind == "loss":
            every = set(losses).difference(query.context.program.spec.metrics)
            found.update((name,) if name in losses else every)
        elif kind:
            return None
    found.update(text for text in query.reads if parse(text, losses).kind in _WRITERS)
    return frozenset(found) or None


def _written_by(query: Query, program: Debuggee) -> Iterator[str]:
    """Yield the kinds of Operation that write each value that is read."""
    for name in query.names:
        kind = "loss" if name in program.losses else _BY_NAME.get(name, "")
        yield from _writers(kind, query)
    for text in query.reads:
        address = parse(text, program.losses)
        is_buffer = address.kind == "data" and address.name in program.buffers
        yield from _writers("buffer" if is_buffer else address.kind, query)


def _writers(kind: str, query: Query) -> tuple[str, ...]:
    removers = _REMOVERS if kind == "grad" and query.asks_for_none else ()
    return (*_WRITERS.get(kind, ()), *removers)
