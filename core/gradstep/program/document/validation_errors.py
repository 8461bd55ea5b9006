"""Translate validation errors of msgspec into ProgramErrors with a place and a remedy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias, get_args, get_origin

import msgspec

from gradstep.errors import ProgramError
from gradstep.pluralize import pluralize
from gradstep.program.operation import LoopLine, Operation
from gradstep.program.schema.criteria import Criterion
from gradstep.program.schema.data_sets import Data
from gradstep.program.schema.layers.basic import Layer
from gradstep.program.schema.program_spec import (
    GroupSpec,
    InitSpec,
    Layers,
    LossSpec,
    MetricSpec,
    OptimizerSpec,
    ProgramSpec,
    SchedulerSpec,
    TensorSpec,
)
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "Json",
    "explain_message",
    "json_type_name",
    "message_and_place",
    "printable",
    "raise_program_error",
]

Json: TypeAlias = Any
"""A piece of a JSON document: an object, a list, a text, a number, a truth value or null."""

_LONG = 80

_ENTRY: dict[str, Any] = {
    "data": Data,
    "modules": Layers,
    "tensors": TensorSpec,
    "losses": LossSpec,
    "metrics": MetricSpec,
    "optimizers": OptimizerSpec,
    "schedulers": SchedulerSpec,
    "init": InitSpec,
}
_PLACE = re.compile(r"(?P<message>.*?)(?: - at `(?:key in )?\$(?P<place>.*)`)?\Z", re.DOTALL)


def raise_program_error(error: msgspec.ValidationError, tree: Json) -> NoReturn:
    """Raise the ProgramError for an error of msgspec.

    msgspec does not name the entry of a section in which it found the error: it reports
    `$.optimizers[...].kind`. Therefore each entry is validated on its own.

    Args:
        error: The error that msgspec raised for the whole document.
        tree: The document, with its open-ended fields moved into `options` and `operation`.
    """
    for section, kind in _ENTRY.items():
        for name, entry in tree.get(section, {}).items():
            try:
                msgspec.convert(entry, kind)
            except msgspec.ValidationError as inner:
                _raise_located(inner, f"$.{section}.{name}", entry)
    _raise_located(error, "$", tree)


def message_and_place(error: msgspec.ValidationError) -> tuple[str, str]:
    """Return what an error of msgspec says, and where: a path after the root, or empty.

    Example:
        >>> message_and_place(msgspec.ValidationError("Expected `int` - at `$.steps[2]`"))
        ('Expected `int`', '.steps[2]')
    """
    found = _PLACE.match(str(error))
    return (found["message"], found["place"] or "") if found else (str(error), "")


def _raise_located(error: msgspec.ValidationError, place: str, tree: Json) -> NoReturn:
    """Raise the ProgramError for an error of msgspec, with its place and the remedy."""
    message, rest = message_and_place(error)
    inner = rest.replace(".options", "").replace(".operation", "")
    inner = inner.replace("[...]", ".*")
    unknown = re.match(r"Object contains unknown field `(.*)`\Z", message, re.DOTALL)
    if unknown:
        name = unknown[1]
        fields = _fields_at(rest, tree, place)
        raise ProgramError(
            f"{place}{inner}.{printable(name)}", "no such field", nearest(name, fields)
        )
    value = re.match(r"Invalid (?:enum )?value '?(.*?)'?\Z", message, re.DOTALL)
    if value and rest.endswith((".kind", ".op")):
        kinds = _tags(rest, place)
        raise ProgramError(
            f"{place}{inner}", f"no kind {printable(value[1])!r}", nearest(value[1], kinds)
        )
    if rest.endswith(".every") and (value or _OTHER.match(message)):
        raise ProgramError(
            f"{place}{inner}",
            f"{printable(value[1])!r} is not a number of iterations"
            if value
            else explain_message(message)[0],
            'write a number, "epoch" or [4, "epoch"]',
        )
    if value:
        remedy = nearest(value[1], _values_at(rest, tree, place))
        raise ProgramError(f"{place}{inner}", f"no value {printable(value[1])!r}", remedy)
    raise ProgramError(f"{place}{inner}", *explain_message(message))


def _values_at(rest: str, tree: Json, place: str) -> list[str]:
    """Return the strings that the field at a place may have."""
    owner, _, name = re.sub(r"(\[[.\d]+\])+\Z", "", rest).rpartition(".")
    for field in msgspec.structs.fields(_struct_at(owner, tree, place)):
        if field.encode_name == name:
            return list(_literals(field.type))
    return []


def _literals(kind: Any) -> Iterator[str]:  # noqa: ANN401 - a type, or a form of typing
    if get_origin(kind) is Literal:
        yield from map(str, get_args(kind))
    else:
        for part in get_args(kind):
            yield from _literals(part)


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
    """Return the fields of the Struct that msgspec was validating at a place."""
    return [field.encode_name for field in msgspec.structs.fields(_struct_at(rest, tree, place))]


def _struct_at(rest: str, tree: Json, place: str) -> type[msgspec.Struct]:
    """Return the Struct that msgspec was validating at a place."""
    if not rest and place == "$":
        return ProgramSpec
    for part in re.findall(r"\.(\w+)|\[(\d+)\]", rest):
        tree = tree[part[0]] if part[0] else tree[int(part[1])]
    for tag_field, union in (("kind", Data | Layer | Criterion), ("op", Operation)):
        for struct in get_args(union) if isinstance(tree, dict) else ():
            if tree.get(tag_field) == _tag(struct):
                found: type[msgspec.Struct] = struct
                return found
    section = place.split(".")[1] if "." in place else "loop"
    named: type[msgspec.Struct] = {**_ENTRY, "loop": LoopLine}.get(section, GroupSpec)
    return named


def json_type_name(value: Json) -> str:
    """Return the JSON type of a value, with its article."""
    kinds = {dict: "an object", list: "a list", str: "a string", bool: "true or false"}
    return "null" if value is None else kinds.get(type(value), "a number")


def printable(name: str) -> str:
    """Return a name for an error message: printable, and truncated if it is long."""
    plain = name if name.isprintable() else ascii(name)[1:-1]
    return plain if len(plain) <= _LONG else f"{plain[: _LONG - 3]}..."


_TYPE_NAMES = {
    "int": "a whole number",
    "float": "a number",
    "str": "a string",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_OTHER = re.compile(r"Expected `(?P<wanted>[\w |]+)`, got `(?P<found>\w+)`\Z")
_RANGE = re.compile(r"Expected `(?P<kind>\w+)` (?P<sign>>=|<=|>|<) (?P<bound>[-+.\de]+)\Z")
_LENGTH = re.compile(r"Expected `(?P<kind>\w+)` of length (?P<sign>>=|<=) (?P<bound>\d+)\Z")
_EXACT = re.compile(r"Expected `array` of length (?P<wanted>\d+), got (?P<found>\d+)\Z")
_MISSING = re.compile(r"Object missing required field `(?P<name>\w+)`\Z")
_BOUNDS = {">=": "of at least", "<=": "of at most", ">": "above", "<": "below"}


def explain_message(message: str) -> tuple[str, str]:
    """Return the error in plain words, and a remedy.

    Args:
        message: The message of msgspec, without the place.

    Example:
        >>> explain_message("Expected `int | null`, got `str`")
        ('expected a whole number or null, not a string', 'write a whole number or null')
        >>> explain_message("Expected `int` >= 0")
        ('the number is too small', 'write a whole number of at least 0')
        >>> explain_message("Expected `array` of length <= 1000")
        ('the list is too long', 'write a list of at most 1,000 items')
        >>> explain_message("Object missing required field `criterion`")
        ('the field `criterion` is missing', 'add it')
    """
    if other := _OTHER.match(message):
        wanted = _either(other["wanted"])
        return f"expected {wanted}, not {_found(other['found'])}", (f"write {wanted}")
    if bound := _RANGE.match(message):
        size = "small" if bound["sign"].startswith(">") else "large"
        number = float(bound["bound"])
        text = f"{number:,.0f}" if number.is_integer() else bound["bound"]
        return f"the number is too {size}", (
            f"write {_TYPE_NAMES[bound['kind']]} {_BOUNDS[bound['sign']]} {text}"
        )
    if length := _LENGTH.match(message):
        kind, unit = ("list", "item") if length["kind"] == "array" else ("string", "character")
        size = "short" if length["sign"] == ">=" else "long"
        many = pluralize(int(length["bound"]), unit)
        return f"the {kind} is too {size}", f"write a {kind} {_BOUNDS[length['sign']]} {many}"
    if exact := _EXACT.match(message):
        many = pluralize(int(exact["wanted"]), "item")
        return f"the list has {pluralize(int(exact['found']), 'item')}", f"write a list of {many}"
    if missing := _MISSING.match(message):
        return f"the field `{missing['name']}` is missing", "add it"
    return message, ""


def _found(kind: str) -> str:
    return "a decimal number" if kind == "float" else _TYPE_NAMES.get(kind, kind)


def _either(kinds: str) -> str:
    words = [_TYPE_NAMES.get(kind, kind) for kind in kinds.split(" | ")]
    if "a number" in words and "a whole number" in words:
        words.remove("a whole number")
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
