"""Which code is the user's own, and what it calls an object."""

from __future__ import annotations

import sys
import sysconfig
from itertools import chain
from pathlib import Path
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

from gradstep_agent.object_parts import dictionary_of
from gradstep_agent.sites import variables_of_loops

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from types import CodeType, FrameType

_NOTEBOOKS = ("<ipython", "<cell")
_INSTALLED = ("site-packages", "dist-packages")
_LIBRARY_PATHS = ("stdlib", "platstdlib", "purelib", "platlib")
_DEPTH = 8
"""How many of the user's frames are searched for a name, the innermost first."""

_CONTAINERS = (list, tuple, dict)
_LONGEST = 100
"""Longer ones are not searched for a name."""

_NAMELESS = ("builtins", "torch", "gradstep_torch", "numpy")
"""Packages whose objects are not searched for the names of what they hold."""
_home = type.__dict__["__module__"].__get__  # also of a class whose metaclass has a property

_COMPREHENSIONS = ("<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>")
"""Their variables are another object a moment later."""

_PACKAGES = ("gradstep_agent", "gradstep", "gradstep_torch")
_libraries = tuple(
    {str(Path(__file__).resolve().parents[1] / name) for name in _PACKAGES}
    | {str(Path(sysconfig.get_path(name)).resolve()) for name in _LIBRARY_PATHS}
)
_known: dict[str, bool] = {}


def is_user_code(code: CodeType) -> bool:
    """Return whether a code object was written by the user, and not by a library."""
    file = code.co_filename
    known = _known.get(file)
    if known is None:
        known = _known[file] = is_user_file(file)
    return known


def is_user_file(name: str) -> bool:
    """Return whether a file was written by the user, and not by a library."""
    if name.startswith("<"):
        return name.startswith(_NOTEBOOKS)
    if getattr(sys, "frozen", False) and not Path(name).exists():
        return False  # modules of a bundle have names of files that are not there
    path = Path(name).resolve()
    if any(part in _INSTALLED for part in path.parts):
        return False
    return not any(str(path).startswith(folder + "/") for folder in _libraries)


def user_frame(frame: FrameType | None) -> FrameType | None:
    """Return the innermost frame of the user's own code, from this frame outwards."""
    known = _known
    while frame is not None:
        code = frame.f_code
        is_own = known.get(code.co_filename)
        if is_own is None:
            is_own = is_user_code(code)
        if is_own:
            return frame
        frame = frame.f_back
    return None


def failing_line(error: BaseException) -> tuple[FrameType, int] | None:
    """Return the user's innermost frame that an error came through, and the line in it."""
    lines = walk_tb(error.__traceback__)
    own = [(frame, line) for frame, line in lines if is_user_code(frame.f_code)]
    return own[-1] if own else None


def name_of(thing: object, frame: FrameType | None, passing: Collection[str] = ()) -> str:
    """Return the variable by which the user's frames know an object; "" when none does.

    Args:
        thing: The object.
        frame: The innermost frame.
        passing: Names that are not searched.
    """
    for names in _namespaces(frame):
        for name, value in list(names.items()):
            if value is thing and not name.startswith("__") and name not in passing:
                return name
    return ""


def place_of(thing: object, frame: FrameType | None) -> str:
    """Return where a list, dictionary or object has another: "models[0]"; "" if none has."""
    kind = type(thing)
    held = chain(held_in_variables(kind, frame), held_in_attributes(kind, frame))
    return next((name for name, value in held if value is thing), "")


def lasting_name_of(thing: object, frame: FrameType | None) -> str:
    """Return by which name the user's frames know an object, rather one that it keeps.

    In `for model in models: train(model)`, "model" means one object after another, as each name
    does in `train`; "models[0]" does not. "" when no name does.
    """
    passing: set[str] = set()
    loop = current = frame
    while current is not None:
        if is_user_code(current.f_code):
            names = current.f_locals
            found = {
                name
                for name in variables_of_loops(current.f_code, current.f_lineno)
                if names.get(name) is thing
            }
            if found:
                passing |= found
                loop = current
        current = current.f_back
    name = name_of(thing, frame)
    if passing:
        lasting = name_of(thing, loop, passing)
        return lasting or place_of(thing, frame) or name
    return name or place_of(thing, frame)


def variables_of_type(kind: type, frame: FrameType | None) -> Iterator[tuple[str, Any]]:
    """Yield the variables of the user's frames that hold an object of a type.

    `isinstance` would also ask an object for its class, and so run code of a proxy's.
    """
    for names in _namespaces(frame):
        for name, value in list(names.items()):
            if issubclass(type(value), kind):
                yield name, value


def held_in_variables(
    kind: type, frame: FrameType | None, containers: tuple[type, ...] = _CONTAINERS
) -> Iterator[tuple[str, Any]]:
    """Yield what short lists, tuples and dictionaries of the user's frames hold of a type."""
    for container in containers:
        for name, value in variables_of_type(container, frame):
            if not name.startswith("__"):
                for place, item in held_in(value):
                    if issubclass(type(item), kind):
                        yield f"{name}{subscript(place)}", item


def lasting_variables(kind: type, frame: FrameType | None) -> Iterator[tuple[str, Any]]:
    """Yield the variables of a type, and what lists and dictionaries hold of it.

    What a tuple holds is mostly unpacked later, into variables whose names are better.
    """
    yield from variables_of_type(kind, frame)
    yield from held_in_variables(kind, frame, (list, dict))


def held_in_attributes(kind: type, frame: FrameType | None) -> Iterator[tuple[str, Any]]:
    """Yield what the attributes of objects hold of a type, and short lists and the like in them.

    In `for agent in agents`, "agent" is one object after another: "agents[0].model" comes first.
    """
    passing = _variables_of_loops(frame)
    owners = [
        pair
        for pair in chain(variables_of_type(object, frame), held_in_variables(object, frame))
        if not pair[0].startswith("__") and _may_have_attributes(type(pair[1]))
    ]
    owners.sort(key=lambda pair: pair[0] in passing)
    for name, owner in owners:
        for attribute, value in list(dictionary_of(owner).items()):
            if attribute.startswith("_"):
                continue
            if issubclass(type(value), kind):
                yield f"{name}.{attribute}", value
            for place, item in held_in(value):
                if issubclass(type(item), kind):
                    yield f"{name}.{attribute}{subscript(place)}", item


def _variables_of_loops(frame: FrameType | None) -> set[str]:
    found: set[str] = set()
    while frame is not None:
        if is_user_code(frame.f_code):
            found.update(variables_of_loops(frame.f_code, frame.f_lineno))
        frame = frame.f_back
    return found


def _may_have_attributes(kind: type) -> bool:
    """Return whether a class is neither one of Python's own nor of torch's, which name nothing."""
    home = str(_home(kind)).partition(".")[0]
    return home not in _NAMELESS


def held_in(container: Any) -> Iterator[tuple[int | str, Any]]:
    """Yield the places and items of a short list, tuple or dictionary; of anything else nothing."""
    if type(container) not in _CONTAINERS or len(container) > _LONGEST:
        return  # a subclass may run code of its own
    places = container.items() if type(container) is dict else enumerate(container)
    for place, item in list(places):
        if type(place) in (int, str):
            yield place, item


def subscript(place: int | str) -> str:
    r"""Return a place in a list or dictionary as a script writes it, without slashes in a key.

    These stand between the parts of an address.

    Example:
        >>> print(subscript(0), subscript("gen"), subscript('a/"b"'))
        [0] ["gen"] ["a\x2f\"b\""]
    """
    if isinstance(place, int):
        return f"[{place}]"
    key = repr(f'"{place}')[2:-1].replace("\\'", "'").replace('"', '\\"').replace("/", "\\x2f")
    return f'["{key}"]'


def _namespaces(frame: FrameType | None) -> Iterator[Mapping[str, Any]]:
    """Yield the user's variables: of functions, of their `self`, and of the module at last."""
    depth = _DEPTH
    modules = []
    while frame is not None and depth:
        if is_user_code(frame.f_code) and frame.f_code.co_name not in _COMPREHENSIONS:
            depth -= 1
            local = frame.f_locals
            yield local
            owner = dictionary_of(local.get("self"))
            yield owner
            yield owner.get("_modules") or {}
            if frame.f_globals is not local:
                modules.append(frame.f_globals)
        frame = frame.f_back
    yield from modules
