"""Names for changes: those of branches, and of the sides of a comparison."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from gradstep.program.operation import (
    EditLoop,
    Freeze,
    LoadState,
    LoopLine,
    RebuildModule,
    ReplaceOptimizer,
    ScriptCall,
    SetBatchSize,
    SetHyperparameter,
    SetMode,
    SetValue,
    Skip,
    loop_key,
)
from gradstep.short_number import short_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.history.log.event_log import EventLog
    from gradstep.program.operation import Operation

__all__ = [
    "change_name",
    "json_text",
    "kind_name",
    "long_name",
    "numbered_name",
    "setting_name",
    "short_name",
    "skipped_name",
    "value_name",
]

_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SHOWN = 60
"""Characters that are shown of a value."""

_MOST_NUMBERS = 2
"""Up to this many Events are named by their numbers; of more, only the count is given."""


def kind_name(operation: Operation) -> str:
    """Return the name of an Operation's kind; for a Skip, that of the skipped Operation.

    Example:
        >>> from gradstep.program.operation import ZeroGrad
        >>> kind_name(Skip(ZeroGrad()))
        'Zero Grad'
    """
    if isinstance(operation, Skip):
        return kind_name(operation.operation)
    if isinstance(operation, ScriptCall):
        return operation.call.replace("_", " ").capitalize()
    return _WORDS.sub(" ", type(operation).__name__)


def long_name(operation: Operation) -> str:
    """Return the name of an Operation with its target, and its options that are not the default.

    Example:
        >>> from gradstep.program.operation import Backward, Step, ZeroGrad
        >>> long_name(Skip(Step())), long_name(SetHyperparameter("lr", 0.1, out_of_loop=True))
        ('skipped Step optimizer', 'Set Hyperparameter lr 0.1 optimizer')
        >>> long_name(Backward(retain_graph=True)), long_name(ZeroGrad(set_to_none=False))
        ('Backward loss retain_graph', 'Zero Grad optimizer set_to_none: false')
    """
    if isinstance(operation, Skip):
        return f"skipped {long_name(operation.operation)}"
    fields = _options(operation, always=("optimizer", "loss", "at"))
    return " ".join([_WORDS.sub(" ", type(operation).__name__), *fields])


def setting_name(operation: Operation) -> str:  # noqa: PLR0911 - one case a kind
    """Return what an Operation sets for the following ones; empty for one that sets nothing.

    Example:
        >>> setting_name(SetHyperparameter("lr", 0.0375)), setting_name(Freeze("head.*"))
        ('lr 0.0375', 'head.* frozen')
        >>> setting_name(SetHyperparameter("lr", 1e-4, "optimizer_d", 1))
        'lr 0.0001 of optimizer_d[1]'
        >>> setting_name(ReplaceOptimizer("Adam", options={"lr": 0.1}))
        'Adam with lr 0.1'
        >>> setting_name(EditLoop(lines=()))
        'edited loop'
        >>> setting_name(SetValue("x", 3.0, (0, 1))), setting_name(SetBatchSize("data", None))
        ('x[0, 1] = 3', 'batches of all rows')
    """
    match operation:
        case SetHyperparameter(name=name, value=value, optimizer=optimizer, group=group):
            place = f"{optimizer}[{group}]" if group else optimizer
            return f"{name} {value_name(value)}{_of(place, 'optimizer')}"
        case SetBatchSize(data=data, size=size):
            size_name = "batches of all rows" if size is None else f"batch size {size:,}"
            return f"{size_name}{_of(data, 'data')}"
        case ReplaceOptimizer(kind=kind, optimizer=optimizer, options=options):
            chosen = [f"{name} {value_name(value)}" for name, value in options.items()]
            given = f" with {', '.join(chosen)}" if chosen else ""
            return f"{kind}{_of(optimizer, 'optimizer')}{given}"
        case Freeze(pattern=pattern, frozen=frozen):
            return f"{pattern} {'frozen' if frozen else 'thawed'}"
        case SetMode(training=training, module=module):
            mode = f"{'training' if training else 'eval'} mode"
            return f"{mode} of {module}" if module else mode
        case SetValue(tensor=tensor, value=value, index=index):
            place = "" if index is None else f"[{', '.join(map(str, index))}]"
            return f"{tensor}{place} = {value_name(value)}"
        case RebuildModule(module=module):
            return f"{module} rebuilt"
        case EditLoop():
            return "edited loop"
        case LoadState(event=event):
            return f"the state of #{event:,}"
    return ""


def short_name(operation: Operation) -> str:
    """Return the name of an Operation with its options that are not the default.

    Example:
        >>> from gradstep.program.operation import ClipGradNorm
        >>> short_name(ClipGradNorm(0.5))
        'Clip Grad Norm 0.5'
        >>> short_name(EditLoop(lines=(LoopLine(ClipGradNorm(1.0), enabled=False),)))
        'Edit Loop to (Clip Grad Norm)'
    """
    return " ".join([kind_name(operation), *_options(operation)])


def skipped_name(log: EventLog, events: Sequence[int]) -> str:
    """Return the name of a run without recorded Events.

    Args:
        log: Where they are recorded.
        events: Their numbers, at least one.

    Example:
        >>> from gradstep.history.log.vocabulary import Vocabulary
        >>> from gradstep.history.log.event_log import EventLog
        >>> from gradstep.program.operation import Step, ZeroGrad
        >>> log = EventLog(Vocabulary(()))
        >>> _ = [log.append(0, item) for item in (ZeroGrad(), Step(), ZeroGrad(), ZeroGrad())]
        >>> skipped_name(log, [1]), skipped_name(log, [1, 3]), skipped_name(log, [1, 3, 4])
        ('without Zero Grad #1', 'without Zero Grad #1, #3', 'without Zero Grad #1 and 2 more')
        >>> skipped_name(log, [1, 2])
        'without Zero Grad #1 and 1 more'
    """
    kinds = {kind_name(log.operation(event)) for event in events}
    first = numbered_name(log.operation(events[0]), events[0])
    if len(events) == 1:
        return f"without {first}"
    if len(kinds) == 1 and len(events) <= _MOST_NUMBERS:
        return f"without {first}, {', '.join(f'#{event:,}' for event in events[1:])}"
    return f"without {first} and {len(events) - 1:,} more"


def change_name(operation: Operation, log: EventLog, event: int) -> str:
    """Return the name of a branch that begins with an Operation, by what it changes.

    Args:
        operation: The first Operation of the branch.
        log: The Event log of the branch that it leaves.
        event: The number of the Operation's Event, and of the recorded Event in its place.

    Example:
        >>> from gradstep.history.log.vocabulary import Vocabulary
        >>> from gradstep.history.log.event_log import EventLog
        >>> from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
        >>> log = EventLog(Vocabulary(()))
        >>> _ = [log.append(0, item) for item in (ZeroGrad(), Forward(), Backward(), Step())]
        >>> change_name(SetHyperparameter("lr", 0.0375), log, 2), change_name(Forward(), log, 1)
        ('lr 0.0375 from #2', 'without Zero Grad #1')
        >>> change_name(Backward(retain_graph=True), log, 3), change_name(Step(), log, 2)
        ('with Backward retain_graph for #3', 'with Step before #2')
        >>> change_name(Skip(Step()), log, 4), change_name(Step(), log, 4)
        ('without Step #4', 'again from #4')
    """
    if isinstance(operation, Skip):
        return f"without {numbered_name(operation, event)}"
    recorded = [log.operation(at) for at in range(event, min(event + 1, len(log)) + 1)]
    if recorded and _is_again(operation, recorded[0]):
        return f"again from #{event:,}"
    setting = setting_name(operation)
    if setting:
        return f"{setting} from #{event:,}"
    if recorded and loop_key(operation) == loop_key(recorded[0]):
        return f"with {short_name(operation)} for #{event:,}"
    if len(recorded) > 1 and _is_again(operation, recorded[1]):
        return f"without {numbered_name(recorded[0], event)}"
    return f"with {short_name(operation)} before #{event:,}"


def numbered_name(operation: Operation, event: int) -> str:
    """Return the name of an Operation's kind with the number of its Event.

    Example:
        >>> from gradstep.program.operation import ZeroGrad
        >>> numbered_name(ZeroGrad(), 1234)
        'Zero Grad #1,234'
    """
    return f"{kind_name(operation)} #{event:,}"


def value_name(value: Any) -> str:  # noqa: ANN401 - a value of any setting
    """Return a value as short text.

    Example:
        >>> value_name(0.0375), value_name("Adam"), value_name([0.9, 0.999]), value_name(None)
        ('0.0375', 'Adam', '[0.9,0.999]', 'null')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return short_number(value)
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def json_text(value: Any) -> str:  # noqa: ANN401 - a part of a document
    """Return a value as JSON on one line; only the beginning of a long one."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=0).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _is_again(one: Operation, two: Operation) -> bool:
    """Return whether two Operations do the same, whatever their lines, in the loop or out of it."""
    one, two = (msgspec.structs.replace(item, out_of_loop=False, at="") for item in (one, two))
    return one == two


def _options(operation: Operation, always: Sequence[str] = ()) -> list[str]:
    """Return the options that are not the default, and those of some names; none that are empty."""
    if isinstance(operation, EditLoop):
        return [f"to {', '.join(map(_line, operation.lines))}"]
    found = [
        _option(field.name, getattr(operation, field.name))
        for field in msgspec.structs.fields(operation)
        if field.name in always
        or (
            field.name not in {"out_of_loop", "at"}
            and getattr(operation, field.name) != field.default
        )
    ]
    return [text for text in found if text]


def _line(line: LoopLine) -> str:
    """Return what a line of the loop does; in parentheses if it is switched off."""
    kind = kind_name(line.operation)
    return kind if line.enabled else f"({kind})"


def _option(name: str, value: Any) -> str:  # noqa: ANN401 - of any field
    """Return a field of an Operation: a name or a number alone, anything else with its name."""
    if value is True:
        return name
    if isinstance(value, str) or (isinstance(value, (int, float)) and value is not False):
        return f"{value}"
    return f"{name}: {json_text(value)}"


def _of(name: str, usual: str) -> str:
    """Return the name of a target after " of"; empty for the usual name."""
    return "" if name == usual else f" of {name}"
