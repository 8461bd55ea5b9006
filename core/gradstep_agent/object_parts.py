"""What an object holds, read without running any code of its class.

Neither properties nor `__getattr__`, `__iter__`, `__len__` or `__repr__` are called: everything is
read by the descriptors and methods of the built-in types.
"""

from __future__ import annotations

import sys
from collections import deque
from itertools import islice
from types import GetSetDescriptorType, MemberDescriptorType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_PARTS = 200
"""Parts of one object that are looked at: of a longer list the first."""
LONGEST_STEP = 80
"""Characters of a key; an element with a longer one is known by its position."""

_namespace = type.__dict__["__dict__"].__get__  # also of a class whose metaclass has a property
_bases = type.__dict__["__mro__"].__get__
_name = type.__dict__["__name__"].__get__

_SIMPLE = (bool, int, float, complex, str, bytes, type(None), type(...), range)
_LARGEST_INTEGER = 1 << 4000
_BUILT_IN: tuple[Any, ...] = (list, tuple, dict, set, frozenset, deque, bytes, bytearray)
_SEQUENCES: tuple[Any, ...] = (list, tuple, deque)
_MODULE_PARTS = ("_parameters", "_buffers", "_modules")
_MODULE_ENDS = (
    *("_hooks", "_hook", "_hooks_with_kwargs", "_hooks_always_called"),
    *("_buffers_set", "_unsaved_buffers"),
)


def bases_of(kind: type) -> tuple[type, ...]:
    """Return the classes that a class derives from, itself first."""
    found: tuple[type, ...] = _bases(kind)
    return found


def name_of_kind(kind: type) -> str:
    """Return the name of a class."""
    return str.__str__(_name(kind))


def has_own(kind: type, name: str) -> bool:
    """Return whether a class itself, and not one that it derives from, defines an attribute."""
    return name in _namespace(kind)


def is_a(value: object, kind: type) -> bool:
    """Return whether an object's class is, or derives from, a class; not what it claims to be."""
    return any(base is kind for base in bases_of(type(value)))


def count_of(value: object) -> int | None:
    """Return the number of elements of a built-in container; None for anything else.

    Example:
        >>> count_of([1, 2]), count_of("ab")
        (2, None)
    """
    for base in _BUILT_IN:
        if is_a(value, base):
            return int(base.__len__(value))
    return None


def dictionary_of(value: object) -> dict[str, Any]:
    """Return the attributes in an object's own dictionary; empty where it has none.

    Example:
        >>> class Point:
        ...     def __init__(self):
        ...         self.x = 1
        ...
        ...     __dict__ = property(lambda self: 1 / 0)
        >>> dictionary_of(Point()), dictionary_of(3)
        ({}, {})
    """
    for base in bases_of(type(value)):
        descriptor = _namespace(base).get("__dict__")
        if type(descriptor) is GetSetDescriptorType:
            held = _read(descriptor, value)
            return held if type(held) is dict else {}
    return {}


def parts_of(value: object) -> Iterator[tuple[str, Any]]:
    """Yield what an object holds: its elements and attributes, as the text that leads there.

    Of a module, its parameters, buffers and modules are attributes, as in the script.

    Example:
        >>> dict(parts_of({"lr": 0.1, 2: [3]}))
        {"['lr']": 0.1, '[2]': [3]}
        >>> class Point:
        ...     __slots__ = ("x", "y")
        >>> point = Point()
        >>> point.x = 1
        >>> list(parts_of(point)), list(parts_of(["a"]))
        ([('.x', 1)], [('[0]', 'a')])
    """
    if type(value) in _SIMPLE:
        return
    yield from _elements(value)
    attributes = _attributes(value)
    if all(is_a(attributes.get(name), dict) for name in _MODULE_PARTS):
        for held in [attributes.pop(name) for name in _MODULE_PARTS]:
            yield from ((f".{name}", part) for name, part in _pairs(held) if type(name) is str)
        attributes = {name: part for name, part in attributes.items() if not _is_inner(name)}
    for name, part in attributes.items():
        yield (f".{name}" if name.isidentifier() else f".{_key(name) or '?'}"), part


def part_at(value: object, path: str) -> Any:
    """Return what a path leads to, such as ".model[0].weight" of an object.

    Raises:
        LookupError: It leads nowhere.

    Example:
        >>> part_at({"a": [1, 2, 5]}, "['a'][2]")
        5
    """
    while path:
        value, path = _next_part(parts_of(value), path)
    return value


def named_part(names: Iterator[tuple[str, Any]], path: str) -> Any:
    """Return what a path leads to that begins with a name.

    Raises:
        LookupError: It leads nowhere.
    """
    value, rest = _next_part(names, path)
    return part_at(value, rest)


def _next_part(parts: Iterator[tuple[str, Any]], path: str) -> tuple[Any, str]:
    """Return the part at the beginning of a path, and the rest of the path."""
    fitting = [
        (len(step), part)
        for step, part in parts
        if path.startswith(step) and path[len(step) : len(step) + 1] in {"", ".", "["}
    ]
    if not fitting:
        raise LookupError(path)
    length, part = max(fitting, key=lambda item: item[0])
    return part, path[length:]


def _elements(value: object) -> Iterator[tuple[str, Any]]:
    if is_a(value, dict):
        for number, (key, item) in enumerate(_pairs(value)):
            yield f"[{_key(key) or f'#{number}'}]", item
    for base in _SEQUENCES:
        if is_a(value, base):
            for number, item in enumerate(_first(base.__iter__(value))):
                yield f"[{number}]", item


def _pairs(held: Any) -> list[tuple[Any, Any]]:
    """Return the first items of a dictionary."""
    return _first(iter(dict.items(held)))


def _first(items: Iterator[Any]) -> list[Any]:
    try:
        return list(islice(items, MOST_PARTS))
    except RuntimeError:  # another thread has just changed the container
        return []


def _key(key: object) -> str:
    """Return a plain key as text; empty for another one."""
    if type(key) is tuple and all(type(item) in _SIMPLE for item in key):
        text = f"({', '.join(simple_text(item, LONGEST_STEP) for item in key)})"
    else:
        text = simple_text(key, LONGEST_STEP) if type(key) in _SIMPLE else ""
    return text if len(text) < LONGEST_STEP else ""


def _attributes(value: object) -> dict[str, Any]:
    """Return the attributes that an object itself has, in its dictionary and in slots."""
    held = _pairs(dictionary_of(value))
    found = {name: part for name, part in held if type(name) is str}
    for base in bases_of(type(value)):
        for name, descriptor in list(_namespace(base).items()):
            if type(descriptor) is MemberDescriptorType and name[:2] != "__":
                part = _read(descriptor, value)
                if part is not _UNSET:
                    found.setdefault(name, part)
    return found


_UNSET = object()


def _read(descriptor: Any, value: object) -> Any:
    try:
        return descriptor.__get__(value)
    except (AttributeError, TypeError):  # the slot is empty, or belongs to another class
        return _UNSET


def _is_inner(name: str) -> bool:
    """Return whether an attribute of a module is PyTorch's own."""
    return name[:1] == "_" and name.endswith(_MODULE_ENDS)


def plain_text(value: object, longest: int) -> str:
    """Return the text of a plain value, or of a container of such; empty for anything else.

    Example:
        >>> plain_text([1, "a"], 20), plain_text({"k": None}, 20), plain_text([[]], 20)
        ("[1, 'a']", "{'k': None}", '')
        >>> plain_text("a" * 9, 6), plain_text(object(), 20)
        ("'aaaaa", '')
    """
    kind = type(value)
    if kind in _SIMPLE:
        return simple_text(value, longest)
    if kind is dict:
        assert isinstance(value, dict)
        pairs = [_key_and_value(*pair, longest) for pair in _pairs(value)]
        return _joined(value, "{", pairs, "}", longest)
    if kind in {list, tuple, set}:
        assert isinstance(value, (list, tuple, set))
        first = list(islice(value, MOST_PARTS))
        texts = [simple_text(item, longest) if type(item) in _SIMPLE else "" for item in first]
        if kind is tuple:
            return _joined(value, "(", texts, ",)" if len(texts) == 1 else ")", longest)
        opens, closes = ("[", "]") if kind is list else ("{", "}")
        return _joined(value, opens, texts, closes, longest) if texts or kind is list else "set()"
    return ""


def _key_and_value(key: object, item: object, longest: int) -> str:
    if type(key) not in _SIMPLE or type(item) not in _SIMPLE:
        return ""
    return f"{simple_text(key, longest)}: {simple_text(item, longest)}"


def _joined(value: Any, opens: str, texts: list[str], closes: str, longest: int) -> str:
    if len(value) > len(texts) or not all(texts):
        return ""
    return f"{opens}{', '.join(texts)}{closes}"[:longest]


def simple_text(value: Any, longest: int) -> str:
    """Return the text of a simple value, without writing more of it than is shown."""
    if type(value) in {str, bytes} and len(value) > longest:
        return repr(value[:longest])[:longest]
    if type(value) is int and not -_LARGEST_INTEGER < value < _LARGEST_INTEGER:
        return f"an integer of {value.bit_length():,} bits"
    if type(value) is range and not _is_short(value):
        return "a range of large integers"
    return repr(value)[:longest]


def _is_short(found: range) -> bool:
    ends = (found.start, found.stop, found.step)
    return all(-_LARGEST_INTEGER < end < _LARGEST_INTEGER for end in ends)


def numpy_text(value: object) -> str:
    """Return the layout of an array of NumPy's, or the text of its numbers; else empty.

    Example:
        >>> import numpy
        >>> numpy_text(numpy.zeros((2, 3))), numpy_text(object())
        ('float64 [2, 3]', '')
    """
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return ""
    if type(value) is getattr(numpy, "ndarray", None):
        return f"{value.dtype} {list(value.shape)}"  # type: ignore[attr-defined]
    known = getattr(numpy, "sctypeDict", {})
    if any(type(value) is kind for kind in known.values()):
        return simple_text(value.item(), LONGEST_STEP)  # type: ignore[attr-defined]
    return ""
