"""What a step of a lesson asks to press: parsed, recognised in the History, and carried out."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import msgspec

from gradstep.errors import ArgumentError, ProgramError
from gradstep.history.records.what_if import Edits
from gradstep.pluralize import listed
from gradstep.program.document.validation_errors import explain_message, printable
from gradstep.program.operation import ExecutableOperation, Operation, Skip
from gradstep.program.suggestions import nearest
from gradstep.short_number import short_number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["Action", "operation_title", "parse_actions"]

_OPERATIONS: Mapping[str, type[Any]] = MappingProxyType(
    {kind.__struct_config__.tag: kind for kind in get_args(Operation) if kind is not Skip}
)
_TARGETS = ("loss", "optimizer", "scheduler", "module", "data", "tensor", "pattern")
_MAX_TIMES = 100_000

Verb: TypeAlias = Literal[
    "operation", "iterate", "into", "over", "out", "back", "checkout", "what_if", "remedy"
]

_MOVES: Mapping[str, Verb] = MappingProxyType(
    {
        "iterate": "iterate",
        "into": "into",
        "over": "over",
        "out": "out",
        "back": "back",
        "checkout": "checkout",
    }
)


class _WhatIf(msgspec.Struct, forbid_unknown_fields=True):
    """The edits of a what-if as JSON; see `Edits`."""

    at: int | None = None
    skip: tuple[int, ...] = ()
    insert: tuple[tuple[int, ExecutableOperation], ...] = ()
    move: tuple[tuple[int, int], ...] = ()
    set: dict[str, Any] = {}
    name: str = ""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that a step asks for.

    Attributes:
        verb: What it is; "operation" for an Operation.
        kind: The kind of the Operation, such as "backward"; empty for others.
        target: Its loss or optimizer; empty for any.
        fields: Other fields that the Operation must have.
        times: How often.
        edits: Of a what-if.
        finding: The id of the finding whose remedy is asked for.

    Example:
        >>> parse_actions(["forward loss_a", "iterate 20"], "$")[1]
        Action(verb='iterate', kind='', target='', times=20, finding='')
    """

    verb: Verb
    kind: str = ""
    target: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict, repr=False)
    times: int = 1
    edits: Edits = field(default_factory=Edits, repr=False)
    finding: str = ""

    @property
    def word(self) -> str:
        """What to press: the kind of the Operation, or the verb."""
        return self.kind or self.verb

    @property
    def is_of_events(self) -> bool:
        """Whether it is recognised by Events, one by one."""
        return self.verb in {"operation", "iterate"}

    @property
    def walks(self) -> bool:
        """Whether it moves inside an Operation."""
        return self.verb in {"into", "over", "out"}

    @property
    def title(self) -> str:
        """It as a title, such as "Backward with Retain Graph on".

        Example:
            >>> [action.title for action in parse_actions(["zero_grad", "iterate 20"], "$")]
            ['Zero Grad', '20 iterations']
        """
        if self.verb == "iterate":
            return "One Iteration" if self.times == 1 else f"{self.times:,} iterations"
        if self.verb == "operation":
            return _titled(self.kind, self.target, self.fields)
        titles = {
            "into": "Into",
            "over": "Over",
            "out": "Out",
            "back": "Back",
            "checkout": "the new branch",
            "what_if": "a What If",
            "remedy": "the remedy of the finding",
        }
        return titles[self.verb]

    def matches(self, operation: Operation) -> bool:
        """Return whether an Operation is the one asked for; always False for a verb such as "into".

        Example:
            >>> from gradstep.program.operation import Backward
            >>> (kept,) = parse_actions([{"op": "backward", "retain_graph": True}], "$")
            >>> kept.matches(Backward()), kept.matches(Backward(retain_graph=True))
            (False, True)
        """
        if self.verb != "operation" or not isinstance(operation, _OPERATIONS[self.kind]):
            return False
        if self.target and _target(operation) != self.target:
            return False
        return all(getattr(operation, name) == value for name, value in self.fields.items())

    def operation(self, following: Operation | None, loop: Sequence[Operation]) -> Operation:
        """Return the Operation to apply: the next one of the loop, if that is the one meant.

        Args:
            following: The next Operation of the loop.
            loop: The whole loop.

        Raises:
            ArgumentError: It needs more than its name, and is not a line of the loop.
        """
        if not self.fields:
            for known in (following, *loop):
                if known is not None and not isinstance(known, Skip) and self.matches(known):
                    return known
        kind = _OPERATIONS[self.kind]
        given = dict(self.fields)
        if self.target:
            given[_target_field(kind)] = self.target
        lacking = [
            item.encode_name
            for item in msgspec.structs.fields(kind)
            if item.required and item.name not in given
        ]
        if lacking:
            raise ArgumentError(
                f"{self.kind} needs {listed(lacking)}",
                f'write {{"op": "{self.kind}", "{lacking[0]}": ...}}',
            )
        made: Operation = kind(**given)
        return made


def operation_title(operation: Operation, like: Action | None = None) -> str:
    """Return an Operation as a title, with its differences from an Action of the same kind.

    Example:
        >>> from gradstep.program.operation import Forward
        >>> operation_title(Forward("loss_b"))
        'Forward'
        >>> operation_title(Forward("loss_b"), *parse_actions(["forward loss_a"], "$"))
        'Forward of loss_b'
    """
    kind = str(type(operation).__struct_config__.tag)
    if like is None or like.kind != kind:
        return _titled(kind, "", {})
    fields = {name: getattr(operation, name) for name in like.fields}
    return _titled(kind, _target(operation) if like.target else "", fields)


def parse_actions(written: Sequence[str | dict[str, Any]], place: str) -> tuple[Action, ...]:
    """Return what a step asks to press.

    Args:
        written: Words and objects, as in the document.
        place: The place of the list in the document.

    Raises:
        ProgramError: One of them is not known; names the place.

    Example:
        >>> parse_actions(["backwrd"], "$.steps[0].do")
        Traceback (most recent call last):
        gradstep.errors.ProgramError: $.steps[0].do[0]: nothing is called 'backwrd'; did you mean
        'backward'?
    """
    return tuple(
        _parse_word(entry, f"{place}[{number}]")
        if isinstance(entry, str)
        else _parse_object(entry, f"{place}[{number}]")
        for number, entry in enumerate(written)
    )


def _parse_word(text: str, place: str) -> Action:
    word, _, rest = text.strip().partition(" ")
    rest = rest.strip()
    if word in _MOVES:
        if not rest:
            return Action(_MOVES[word])
        times = int(rest) if rest.isdecimal() and len(rest) <= len(str(_MAX_TIMES)) else 0
        if not 1 <= times <= _MAX_TIMES or word == "checkout":
            raise ProgramError(
                place, f"{printable(rest)!r} is not how often", f'write "{word}" or "{word} 3"'
            )
        return Action(_MOVES[word], times=times)
    if word not in _OPERATIONS:
        known = (*_OPERATIONS, *_MOVES)
        raise ProgramError(place, f"nothing is called {printable(word)!r}", nearest(word, known))
    kind = _OPERATIONS[word]
    if rest and not _target_field(kind):
        raise ProgramError(place, f"{word} takes no name", f'write "{word}"')
    return Action("operation", word, rest)


def _parse_object(written: dict[str, Any], place: str) -> Action:
    if "what_if" in written and len(written) == 1:
        edits: _WhatIf = _converted(written["what_if"], _WhatIf, f"{place}.what_if")
        return Action("what_if", edits=Edits(**msgspec.structs.asdict(edits)))
    if "remedy" in written and len(written) == 1:
        finding = _converted(written["remedy"], str, f"{place}.remedy")
        return Action("remedy", finding=finding)
    if "op" not in written:
        raise ProgramError(place, "not something to do", 'write {"op": ...}, {"what_if": ...}')
    kind = str(written["op"])
    if kind not in _OPERATIONS:
        raise ProgramError(
            f"{place}.op", f"no kind {printable(kind)!r}", nearest(kind, _OPERATIONS)
        )
    made: Any = _converted(written, _OPERATIONS[kind], place)
    target = _target_field(_OPERATIONS[kind])
    names = {item.encode_name: item.name for item in msgspec.structs.fields(made)}
    fields = {names[name]: getattr(made, names[name]) for name in written if name != "op"}
    wanted = str(fields.pop(target) or "") if target in fields else ""
    return Action("operation", kind, wanted, fields)


def _converted(written: Any, kind: Any, place: str) -> Any:  # noqa: ANN401 - JSON, and any type
    try:
        return msgspec.convert(written, kind)
    except msgspec.ValidationError as error:
        message, _, inner = str(error).partition(" - at `$")
        unknown = message.startswith("Object contains unknown field")
        reason = ("no such field", "") if unknown else explain_message(message)
        name = f".{printable(message.split('`')[1])}" if unknown else ""
        raise ProgramError(f"{place}{inner.removesuffix('`')}{name}", *reason) from None


def _target_field(kind: type[Any]) -> str:
    """Return the field that names the target of an Operation; empty for none."""
    known = {item.name for item in msgspec.structs.fields(kind)}
    return next((name for name in _TARGETS if name in known), "")


def _target(operation: Operation) -> str:
    name = _target_field(type(operation))
    return str(getattr(operation, name) or "") if name else ""


def _titled(kind: str, target: str, fields: Mapping[str, Any]) -> str:
    own = _TITLES.get(kind)
    if own is not None and fields:
        return own(target, fields)
    title = kind.replace("_", " ").title()
    if kind in {"freeze", "rebuild_module"} and target:
        return f"{title} {target}"
    of = f" of {target}" if target else ""
    how = ", ".join(f"{name} = {value}" for name, value in fields.items())
    return f"{title}{of} with {how}" if how else f"{title}{of}"


def _of(title: str, target: str) -> str:
    return f"{title} of {target}" if target else title


def _zero_grad(target: str, fields: Mapping[str, Any]) -> str:
    written = "None" if fields.get("set_to_none", True) else "zeros"
    return f"{_of('Zero Grad', target)} that writes {written}"


def _forward(target: str, fields: Mapping[str, Any]) -> str:
    batch = fields.get("batch", "next")
    if batch == "current":
        return f"{_of('Forward', target)} with the current batch"
    return f"{_of('Forward', target)} with Hold Batch {'on' if batch == 'held' else 'off'}"


def _backward(target: str, fields: Mapping[str, Any]) -> str:
    switch = "on" if fields.get("retain_graph") else "off"
    return f"{_of('Backward', target)} with Retain Graph {switch}"


def _hyperparameter(_target: str, fields: Mapping[str, Any]) -> str:
    value = fields.get("value")
    shown = short_number(value) if isinstance(value, float) else value
    return f"{fields.get('name')} = {shown}"


def _freeze(target: str, fields: Mapping[str, Any]) -> str:
    return f"{'Freeze' if fields.get('frozen', True) else 'Thaw'} {target}".strip()


def _load_state(_target: str, fields: Mapping[str, Any]) -> str:
    parts = fields.get("parts")
    only = "" if parts is None else f", only {listed(parts)}"
    return f"Load State of event {fields.get('event')}{only}"


def _batch_size(target: str, fields: Mapping[str, Any]) -> str:
    size = fields.get("size")
    return f"{_of('Set Batch Size', target)} to {'all rows' if size is None else size}"


def _replace_optimizer(_target: str, fields: Mapping[str, Any]) -> str:
    bound = " on the current tensors" if fields.get("rebind") else ""
    return f"Replace Optimizer by {fields.get('kind')}{bound}"


_TITLES: Mapping[str, Callable[[str, Mapping[str, Any]], str]] = MappingProxyType(
    {
        "zero_grad": _zero_grad,
        "forward": _forward,
        "backward": _backward,
        "set_hyperparameter": _hyperparameter,
        "freeze": _freeze,
        "load_state": _load_state,
        "set_batch_size": _batch_size,
        "replace_optimizer": _replace_optimizer,
    }
)
"""How an Operation with more than its name is called, as its menu or its button does."""
