"""Convert JSON to a Lesson and back; every error names its place, as those of programs do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NoReturn, get_args

import msgspec

from gradstep.errors import ProgramError
from gradstep.lessons.actions import parse_actions
from gradstep.lessons.schema import (
    GROUPS,
    MAX_LESSON_BYTES,
    SUFFIX,
    Choice,
    Lesson,
    Question,
    Step,
)
from gradstep.program.document import codec
from gradstep.program.document.files import read_bytes
from gradstep.program.document.json_tree import read_tree
from gradstep.program.document.layout import format_tree
from gradstep.program.document.validation_errors import (
    Json,
    explain_message,
    json_type_name,
    message_and_place,
    printable,
)
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from pathlib import Path

    from gradstep.history.records.lesson import LessonState
    from gradstep.program.schema.program_spec import ProgramSpec

__all__ = [
    "decode",
    "encode",
    "format_lesson",
    "is_lesson",
    "lesson_id",
    "program_of",
    "questions_in",
    "read",
]

_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`\Z", re.DOTALL)
_VALUE = re.compile(r"Invalid (?:enum )?value '?(.*?)'?\Z", re.DOTALL)


def is_lesson(path: Path) -> bool:
    """Return whether a file is called as lessons are.

    Example:
        >>> from pathlib import Path
        >>> is_lesson(Path("01_who_does_what.lesson.json")), is_lesson(Path("iris.json"))
        (True, False)
    """
    return path.name.lower().endswith(SUFFIX)


def lesson_id(path: Path) -> str:
    """Return the name of a lesson in reports: that of its file.

    Example:
        >>> from pathlib import Path
        >>> lesson_id(Path("lessons/01_who_does_what.lesson.json"))
        '01_who_does_what'
    """
    return path.name[: -len(SUFFIX)] if is_lesson(path) else path.stem


def read(path: Path) -> Lesson:
    """Read the lesson in a file.

    Args:
        path: The file.

    Raises:
        ProgramError: There is no such file, or it is not a lesson.
    """
    return decode(read_bytes(path))


def decode(raw: bytes) -> Lesson:
    """Read a lesson's document.

    Args:
        raw: JSON in UTF-8.

    Returns:
        The lesson. Its expressions are checked when a `LessonRun` begins it.

    Raises:
        ProgramError: The document is anything else; names the place.

    Example:
        >>> decode(b'''{"gradstep_lesson": 1, "title": "T", "program": "p.json",
        ...     "steps": [{"d": 1}]}''')
        Traceback (most recent call last):
        gradstep.errors.ProgramError: $.steps[0].d: no such field; did you mean 'do'?
    """
    tree = read_tree(raw, '{"gradstep_lesson": 1}', MAX_LESSON_BYTES)
    if not isinstance(tree, dict):
        raise ProgramError(
            "$",
            f"an object is expected, not {json_type_name(tree)}",
            'write {"gradstep_lesson": 1}',
        )
    try:
        lesson = msgspec.convert(tree, Lesson)
    except msgspec.ValidationError as error:
        _raise_located(error, tree)
    if lesson.group and lesson.group not in GROUPS:
        raise ProgramError(
            "$.group", f"no group {printable(lesson.group)!r}", nearest(lesson.group, GROUPS)
        )
    for number, step in enumerate(lesson.steps):
        parse_actions(step.do, f"$.steps[{number}].do")
    return lesson


def encode(lesson: Lesson) -> bytes:
    r"""Return the document of a lesson; `decode` reads it back as an equal one.

    Example:
        >>> encode(Lesson(gradstep_lesson=1, title="T", program="p.json", steps=[Step(text="Go")]))
        b'{\n  "gradstep_lesson": 1,\n  "title": "T",\n  "program": "p.json",\n  "steps": [\n    {\n      "text": "Go"\n    }\n  ]\n}'
    """  # noqa: E501 - the text as it is
    return msgspec.json.format(msgspec.json.encode(lesson))


def format_lesson(lesson: Lesson) -> str:
    r"""Return the document of a lesson for its author: short lines, and the program last.

    Example:
        >>> print(format_lesson(Lesson(gradstep_lesson=1, title="T", program={"gradstep": 1},
        ...     steps=[Step(text="Go", do=["forward"])])))
        {
          "gradstep_lesson": 1,
          "title": "T",
          "steps": [
            {"text": "Go", "do": ["forward"]}
          ],
          "program": {
            "gradstep": 1
          }
        }
    """
    tree = msgspec.json.decode(msgspec.json.encode(lesson))
    if isinstance(lesson.program, dict):
        tree["program"] = tree.pop("program")
    return format_tree(tree)


def questions_in(state: LessonState) -> int:
    """Return how many questions the lesson of a session has; 0 if it is not a valid one.

    Example:
        >>> from gradstep.history.records.lesson import LessonState
        >>> questions_in(LessonState("mine", "{}"))
        0
    """
    try:
        steps = decode(state.document.encode()).steps
    except ProgramError:
        return 0
    return sum(step.question is not None for step in steps)


def program_of(lesson: Lesson, folder: Path | None) -> ProgramSpec:
    """Return the program of a lesson.

    Args:
        lesson: The lesson.
        folder: The folder of its file, in which the program's file is; None for neither.

    Raises:
        ProgramError: The program cannot be read, or its file is outside the folder.
    """
    if isinstance(lesson.program, dict):
        try:
            return codec.decode(msgspec.json.encode(lesson.program))
        except ProgramError as error:
            place = "$.program" + error.place.removeprefix("$")
            reason = error.message.removeprefix(f"{error.place}: ")
            raise ProgramError(place, reason, error.remedy) from None
    name = lesson.program
    if folder is None:
        raise ProgramError(
            "$.program", f"the lesson is not saved, so {name!r} cannot be found", "save it first"
        )
    if "/" in name or "\\" in name or name in {".", ".."} or "\0" in name:
        raise ProgramError(
            "$.program",
            f"{printable(name)!r} is not the name of a file",
            "put it beside the lesson",
        )
    return codec.read(folder / name)


def _raise_located(error: msgspec.ValidationError, tree: Json) -> NoReturn:
    """Raise the ProgramError for an error of msgspec, with its place and the remedy."""
    message, rest = message_and_place(error)
    if unknown := _UNKNOWN.match(message):
        fields = [field.name for field in msgspec.structs.fields(_struct_at(rest, tree))]
        raise ProgramError(
            f"${rest}.{printable(unknown[1])}", "no such field", nearest(unknown[1], fields)
        )
    if (value := _VALUE.match(message)) and rest.endswith(".kind"):
        kinds = [str(kind.__struct_config__.tag) for kind in get_args(Question)]
        raise ProgramError(f"${rest}", f"no kind {printable(value[1])!r}", nearest(value[1], kinds))
    if value and rest == ".gradstep_lesson":
        raise ProgramError("$.gradstep_lesson", f"version {value[1]} is not supported", "write 1")
    raise ProgramError(f"${rest}", *explain_message(message))


def _struct_at(rest: str, tree: Json) -> type[msgspec.Struct]:
    """Return the Struct that msgspec was validating at a place."""
    if not rest:
        return Lesson
    if ".choices[" in rest:
        return Choice
    if not rest.endswith(".question"):
        return Step
    place: Any = tree["steps"][int(rest.partition("[")[2].partition("]")[0])]["question"]
    kinds = {kind.__struct_config__.tag: kind for kind in get_args(Question)}
    named: type[msgspec.Struct] = kinds[place["kind"]]
    return named
