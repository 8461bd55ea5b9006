"""JSON text as a tree of lists and objects, for every document: each error names its place."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NoReturn

import msgspec

from gradstep.errors import NotTextError, ProgramError
from gradstep.program.document.validation_errors import Json, printable
from gradstep.program.schema.limits import MAX_BYTES

__all__ = ["read_tree"]


class _DuplicateName(dict[str, Any]):
    """A JSON object in which `name` occurs more than once."""

    name = ""


def read_tree(raw: bytes, smallest: str, limit: int = MAX_BYTES) -> Json:
    """Return the tree of a document.

    Args:
        raw: JSON in UTF-8.
        smallest: The smallest document of the kind, to suggest for an empty one.
        limit: The most bytes.

    Raises:
        ProgramError: It is not JSON, an object has a name twice, or it is too large or too deep.

    Example:
        >>> read_tree(b'{"steps": [1, 2]}', "{}")
        {'steps': [1, 2]}
        >>> read_tree(b'{"steps": NaN}', "{}")
        Traceback (most recent call last):
        gradstep.errors.ProgramError: NaN is not valid JSON; write a finite number
    """
    if len(raw) > limit:
        raise ProgramError("$", f"more than {_size(limit)}", "use a smaller document")
    if not raw.strip():
        raise ProgramError("$", "the document is empty", f"start with {smallest}")
    try:
        text = raw.decode("utf-8-sig")
        tree = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
        msgspec.json.encode(tree)
    except UnicodeEncodeError:
        raise ProgramError(
            "$", "a string contains a lone surrogate", r"remove \ud800 to \udfff"
        ) from None
    except RecursionError:
        raise ProgramError("$", "nested too deeply", "use fewer brackets") from None
    except UnicodeDecodeError as error:
        raise NotTextError(
            "$", f"byte {error.start} is not UTF-8 text", "save the file as UTF-8"
        ) from None
    except json.JSONDecodeError as error:
        raise ProgramError(
            "$", f"line {error.lineno}, column {error.colno}: {error.msg}", "write valid JSON"
        ) from None
    except ValueError as error:
        raise ProgramError("$", *_explain_number(error)) from None
    _check_names(tree, "$")
    return tree


def _size(limit: int) -> str:
    return f"{limit >> 20} MB" if limit >> 20 else f"{limit >> 10} kB"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    repeated = _DuplicateName(found)
    repeated.name = Counter(name for name, _ in pairs).most_common(1)[0][0]
    return repeated


def _explain_number(error: ValueError) -> tuple[str, str]:
    if "limit" in str(error):
        return "a number of more than 4300 digits", "write fewer digits"
    return str(error), "write a finite number"


def _no_constant(name: str) -> NoReturn:
    message = f"{name} is not valid JSON"
    raise ValueError(message)


def _check_names(tree: Json, place: str) -> None:
    """Reject a document that contains an object with a duplicate name."""
    if isinstance(tree, _DuplicateName):
        raise ProgramError(
            f"{place}.{printable(tree.name)}", "the name occurs twice", "keep one of the two"
        )
    if isinstance(tree, dict):
        for name, value in tree.items():
            _check_names(value, f"{place}.{printable(name)}")
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            if isinstance(value, (dict, list)):
                _check_names(value, f"{place}[{index}]")
