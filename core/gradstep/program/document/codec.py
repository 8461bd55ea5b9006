"""Convert JSON bytes to a ProgramSpec and back; every error names its place."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec

from gradstep.errors import ProgramError
from gradstep.program.document.files import read_bytes, reject_other_file_types
from gradstep.program.document.json_tree import read_tree
from gradstep.program.document.validation_errors import (
    Json,
    json_type_name,
    printable,
    raise_program_error,
)
from gradstep.program.operation import MAX_PERIOD
from gradstep.program.schema.limits import MAX_NAMES
from gradstep.program.schema.program_spec import ProgramSpec
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["decode", "decode_outline", "encode", "read"]

_SECTIONS = ("data", "modules", "tensors", "losses", "metrics", "optimizers", "schedulers")
"""The sections whose keys are names; those of `init` are patterns."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}\Z")
_RESERVED = ("data", "generator", "input", "output", "target")
_LONGEST_SCRIPT_NAME = 256
_FREE_IN_MODULES = ("generator",)
"""Reserved as the address of the random generator; a module's parameters are addressed below its
name, as in `generator.0.weight`."""


def read(path: Path) -> ProgramSpec:
    """Read the program document at `path`.

    Args:
        path: A JSON file.

    Returns:
        The spec.

    Raises:
        ProgramError: If there is no such file, or it is not a program document.

    Example:
        >>> from pathlib import Path
        >>> read(Path("nowhere.json"))
        Traceback (most recent call last):
        gradstep.errors.ProgramError: there is no file nowhere.json; check the path
    """
    reject_other_file_types(path)
    return decode(read_bytes(path))


def decode(raw: bytes) -> ProgramSpec:
    """Read a program document.

    Args:
        raw: JSON in UTF-8.

    Returns:
        The spec: every field has a valid type and value. References between its parts, shapes and
        files are checked when a program is built from it.

    Raises:
        ProgramError: If the document is anything else; names the place.

    Example:
        >>> decode(b'{"gradstep": 1, "seed": -1}')
        Traceback (most recent call last):
        gradstep.errors.ProgramError: $.seed: the number is too small; write a whole number of at
        least 0
    """
    return _decode(raw, _check_section)


def decode_outline(raw: bytes) -> ProgramSpec:
    """Read what stands for a document in the session of a script, whose code chose the names.

    Args:
        raw: JSON in UTF-8.

    Returns:
        The spec. Its names can be any printable text, as in `losses["total"]`.

    Raises:
        ProgramError: If the document is anything else; names the place.

    Example:
        >>> list(decode_outline(b'{"gradstep": 1, "losses": {"output": {}}}').losses)
        ['output']
    """
    return _decode(raw, _check_script_names)


def _decode(raw: bytes, check_names: Callable[[str, dict[str, Any]], None]) -> ProgramSpec:
    tree = read_tree(raw, '{"gradstep": 1}')
    _check_top(tree, check_names)
    tree = _with_options(tree)
    try:
        return msgspec.convert(tree, ProgramSpec)
    except msgspec.ValidationError as error:
        raise_program_error(error, tree)
    except RecursionError:
        raise ProgramError("$", "nested too deeply", "use fewer brackets") from None


def encode(spec: ProgramSpec) -> bytes:
    r"""Return the document of a spec; `decode` reads it back as an equal spec.

    Example:
        >>> encode(decode(b'{"name": "tiny", "gradstep": 1, "seed": 0}'))
        b'{\n  "gradstep": 1,\n  "name": "tiny"\n}'
    """
    tree: dict[str, Any] = msgspec.to_builtins(spec)
    sections = (tree.get(section, {}) for section in ("init", "optimizers", "schedulers"))
    for entry in chain.from_iterable(section.values() for section in sections):
        for group in [*entry.get("params", []), entry]:
            if isinstance(group, dict):
                group.update(group.pop("options", {}))
    if "loop" in tree and tree["loop"] is not None:
        tree["loop"] = [{**line.pop("operation"), **line} for line in tree["loop"]]
    return msgspec.json.format(msgspec.json.encode({"gradstep": 1, **tree}))


def _check_top(tree: Json, check_names: Callable[[str, dict[str, Any]], None]) -> None:
    if not isinstance(tree, dict):
        raise ProgramError(
            "$", f"an object is expected, not {json_type_name(tree)}", 'write {"gradstep": 1}'
        )
    known = [field.name for field in msgspec.structs.fields(ProgramSpec)]
    for name in tree:
        if name not in known:
            raise ProgramError(f"$.{printable(name)}", "no such field", nearest(name, known))
    if "gradstep" not in tree:
        raise ProgramError("$", "the field `gradstep` is missing", 'begin with "gradstep": 1')
    version = tree["gradstep"]
    if type(version) is int and version != 1:
        raise ProgramError(
            "$.gradstep",
            f"version {version} is not supported, only version 1",
            "open it with a newer GradStep" if version > 1 else "write 1",
        )
    for section in _SECTIONS:
        entries = tree.get(section, {})
        if not isinstance(entries, dict):
            raise ProgramError(
                f"$.{section}",
                f"an object is expected, not {json_type_name(entries)}",
                'write {"name": ...}',
            )
        check_names(section, entries)


def _check_section(section: str, entries: dict[str, Any]) -> None:
    if len(entries) > MAX_NAMES:
        raise ProgramError(f"$.{section}", f"{len(entries)} entries", f"use at most {MAX_NAMES}")
    for name in entries:
        _check_name(name, f"$.{section}.{printable(name)}")


def _check_script_names(section: str, entries: dict[str, Any]) -> None:
    for name in entries:
        if not (name.isprintable() and 0 < len(name) <= _LONGEST_SCRIPT_NAME):
            raise ProgramError(
                f"$.{section}.{printable(name)}",
                "not a valid name",
                f"use printable text of at most {_LONGEST_SCRIPT_NAME} characters",
            )


def _check_name(name: str, place: str) -> None:
    if not _NAME.match(name):
        raise ProgramError(
            place, "not a valid name", "use letters, digits and _ only, 64 at most, no digit first"
        )
    is_module = place.startswith("$.modules.") and name in _FREE_IN_MODULES
    if name in _RESERVED and not (is_module or place.startswith("$.data.")):
        raise ProgramError(place, f"{name!r} is reserved", "use another name")


def _with_options(tree: dict[str, Any]) -> dict[str, Any]:
    """Move the open-ended fields of each entry, such as an optimizer, into one field."""
    tree = dict(tree)
    for section, closed in (
        ("optimizers", ("kind", "params")),
        ("schedulers", ("kind", "optimizer")),
        ("init", ("kind",)),
    ):
        if section in tree:
            tree[section] = {
                name: _gather_options(entry, closed) for name, entry in tree[section].items()
            }
    if isinstance(tree.get("loop"), list):
        tree["loop"] = [_line(index, line) for index, line in enumerate(tree["loop"])]
    return tree


def _gather_options(entry: Json, closed: tuple[str, ...]) -> Json:
    if not isinstance(entry, dict):
        return entry
    known = {name: entry[name] for name in closed if name in entry}
    params = known.get("params")
    if isinstance(params, str):
        known["params"] = [params]
    elif isinstance(params, list) and "kind" in closed:
        known["params"] = [_gather_options(group, ("params",)) for group in params]
    return {**known, "options": {name: entry[name] for name in entry if name not in closed}}


def _line(index: int, line: Json) -> Json:
    if not isinstance(line, dict):
        return line
    own = {name: line[name] for name in ("every", "offset", "enabled") if name in line}
    every = own.get("every")
    if isinstance(every, list) and not (
        every[1:] == ["epoch"] and type(every[0]) is int and 0 < every[0] <= MAX_PERIOD
    ):
        raise ProgramError(
            f"$.loop[{index}].every",
            "a list is a number of batches and the word epoch",
            'write a number, "epoch" or [4, "epoch"]',
        )
    return {"operation": {name: line[name] for name in line if name not in own}, **own}
