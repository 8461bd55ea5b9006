"""What msgspec found wrong with a program document, told with its place and its remedy."""

from __future__ import annotations

import re
from typing import Any, NoReturn, TypeAlias, get_args

import msgspec

from gradstep.errors import ProgramError
from gradstep.program.document.complaint import in_words
from gradstep.program.operation import Operation
from gradstep.program.schema.criteria import Criterion
from gradstep.program.schema.data_sets import Data
from gradstep.program.schema.layers.basic import Layer
from gradstep.program.schema.program_spec import (
    GroupSpec,
    Layers,
    LoopLine,
    LossSpec,
    OptimizerSpec,
    SchedulerSpec,
    TensorSpec,
)
from gradstep.program.suggestions import nearest

__all__ = ["Json", "kind_of", "refuse", "shown"]

Json: TypeAlias = Any
"""A piece of a JSON document: an object, a list, a text, a number, a truth value or null."""

_LONG = 80

_ENTRY: dict[str, Any] = {
    "data": Data,
    "modules": Layers,
    "tensors": TensorSpec,
    "losses": LossSpec,
    "optimizers": OptimizerSpec,
    "schedulers": SchedulerSpec,
}
_PLACE = re.compile(r"(?P<message>.*?)(?: - at `(?:key in )?\$(?P<place>.*)`)?\Z", re.DOTALL)


def refuse(error: msgspec.ValidationError, tree: Json) -> NoReturn:
    """Raise the ProgramError that tells what msgspec found.

    msgspec does not name the entry of a section in which it found something: it says
    `$.optimizers[...].kind`. So each entry is tried by itself.

    Args:
        error: What msgspec raised for the whole document.
        tree: The document, its open-ended fields gathered under `options` and `operation`.
    """
    for section, kind in _ENTRY.items():
        for name, entry in tree.get(section, {}).items():
            try:
                msgspec.convert(entry, kind)
            except msgspec.ValidationError as inner:
                _refuse(inner, f"$.{section}.{name}", entry)
    _refuse(error, "$", tree)


def _refuse(error: msgspec.ValidationError, place: str, tree: Json) -> NoReturn:
    """Raise the ProgramError that tells what msgspec found, at its place, with the remedy."""
    found = _PLACE.match(str(error))
    message, rest = (found["message"], found["place"] or "") if found else (str(error), "")
    inner = rest.replace(".options", "").replace(".operation", "")
    inner = inner.replace("[...]", ".*")
    unknown = re.match(r"Object contains unknown field `(.*)`\Z", message, re.DOTALL)
    if unknown:
        name = unknown[1]
        fields = _fields_at(rest, tree, place)
        raise ProgramError(f"{place}{inner}.{shown(name)}", "no such field", nearest(name, fields))
    value = re.match(r"Invalid (?:enum )?value '?(.*?)'?\Z", message, re.DOTALL)
    if value and rest.endswith((".kind", ".op")):
        kinds = _tags(rest, place)
        raise ProgramError(
            f"{place}{inner}", f"no kind {shown(value[1])!r}", nearest(value[1], kinds)
        )
    raise ProgramError(f"{place}{inner}", *in_words(message))


def _tags(rest: str, place: str) -> list[str]:
    if rest.endswith(".op"):
        union: Any = Operation
    elif place.startswith("$.data."):
        union = Data
    else:
        union = Layer if place.startswith("$.modules.") else Criterion
    return [_tag(struct) for struct in get_args(union)]


def _tag(struct: type[msgspec.Struct]) -> str:
    return str(struct.__struct_config__.tag)


def _fields_at(rest: str, tree: Json, place: str) -> list[str]:
    """Return the fields of the Struct that msgspec was reading at a place."""
    for part in re.findall(r"\.(\w+)|\[(\d+)\]", rest):
        tree = tree[part[0]] if part[0] else tree[int(part[1])]
    for tag_field, union in (("kind", Data | Layer | Criterion), ("op", Operation)):
        for struct in get_args(union) if isinstance(tree, dict) else ():
            if tree.get(tag_field) == _tag(struct):
                return [field.encode_name for field in msgspec.structs.fields(struct)]
    section = place.split(".")[1] if "." in place else "loop"
    struct = {**_ENTRY, "loop": LoopLine}.get(section, GroupSpec)
    return [field.encode_name for field in msgspec.structs.fields(struct)]


def kind_of(value: Json) -> str:
    """Return what a value is, in words."""
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "a truth value"}
    return "null" if value is None else kinds.get(type(value), "a number")


def shown(name: str) -> str:
    """Return a name as it may stand in one line."""
    plain = name if name.isprintable() else ascii(name)[1:-1]
    return plain if len(plain) <= _LONG else f"{plain[: _LONG - 3]}..."
