"""Arguments that several commands share, and the checks of their values."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

__all__ = [
    "add_file",
    "add_iterations",
    "add_json",
    "add_python",
    "add_recording",
    "add_script",
    "event_index",
    "insertion",
    "iteration_count",
    "megabytes",
    "move",
    "picture_size",
    "session_path",
    "setting",
]

_MOST_ITERATIONS = 100_000_000
_MOST_MEGABYTES = 1_000_000
_LARGEST_SIDE = 16_384


def add_file(parser: argparse.ArgumentParser) -> None:
    """Add FILE: a program or a session."""
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="a program or a session; - for a program on stdin"
    )


def add_iterations(
    parser: argparse.ArgumentParser,
    default: str = "the number in the program; none for a session",
    purpose: str = "iterations to run first",
) -> None:
    """Add --iterations."""
    parser.add_argument(
        "--iterations",
        type=iteration_count,
        metavar="N",
        help=f"{purpose} (default: {default})",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add --json."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def event_index(text: str) -> int:
    """Read the index of an Event.

    Raises:
        argparse.ArgumentTypeError: It is not a whole number from 0 on.

    Example:
        >>> event_index("13")
        13
    """
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not an Event number (0, 1, 2, ...)")
    return int(text)


def iteration_count(text: str) -> int:
    """Read a number of iterations.

    Raises:
        argparse.ArgumentTypeError: It is not a whole number from 0 to 10^8.
    """
    if not text.isascii() or not text.isdigit() or int(text) > _MOST_ITERATIONS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of iterations, 0 to 10^8")
    return int(text)


def megabytes(text: str) -> int:
    """Read an amount of memory.

    Raises:
        argparse.ArgumentTypeError: It is not a whole number from 1 to 10^6.
    """
    if not text.isascii() or not text.isdigit() or not 0 < int(text) <= _MOST_MEGABYTES:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of megabytes, 1 to {_MOST_MEGABYTES}"
        )
    return int(text)


def picture_size(text: str) -> tuple[int, int]:
    """Read a size in pixels.

    Raises:
        argparse.ArgumentTypeError: It is not two numbers from 1 to 16384 with an x between them.

    Example:
        >>> picture_size("1280x800")
        (1280, 800)
    """
    width, _, height = text.partition("x")
    sides = [int(side) for side in (width, height) if side.isascii() and side.isdigit()]
    if len(sides) != 2 or not all(0 < side <= _LARGEST_SIDE for side in sides):  # noqa: PLR2004
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 1280x800")
    return sides[0], sides[1]


def session_path(text: str) -> Path:
    """Read the path of a session that is to be written.

    Raises:
        argparse.ArgumentTypeError: It does not end in .gradstep.
    """
    from gradstep.session.schema import SUFFIX  # noqa: PLC0415 - --help is quick without it

    if Path(text).suffix != SUFFIX:
        raise argparse.ArgumentTypeError(f"{text!r} does not end in {SUFFIX}")
    return Path(text)


def insertion(text: str) -> tuple[int, str]:
    """Read an Event and the Operation to insert before it.

    Raises:
        argparse.ArgumentTypeError: It is not a number, a colon and an Operation.

    Example:
        >>> insertion("13:zero_grad")
        (13, 'zero_grad')
    """
    event, colon, operation = text.partition(":")
    if not colon or not operation.strip():
        raise argparse.ArgumentTypeError(
            f"{text!r} is not an Event and an Operation, such as 13:zero_grad"
        )
    return event_index(event), operation.strip()


def move(text: str) -> tuple[int, int]:
    """Read the Event to move and the Event to move it before.

    Raises:
        argparse.ArgumentTypeError: It is not two numbers with a colon between them.

    Example:
        >>> move("14:12")
        (14, 12)
    """
    event, colon, before = text.partition(":")
    if not colon:
        raise argparse.ArgumentTypeError(f"{text!r} is not two Events, such as 14:12")
    return event_index(event), event_index(before)


def setting(text: str) -> tuple[str, Any]:
    """Read a name and a value, which is JSON or else the text itself.

    Raises:
        argparse.ArgumentTypeError: It has no name or no equals sign.

    Example:
        >>> setting("optimizer.lr=0.1"), setting("optimizer.kind=Adam")
        (('optimizer.lr', 0.1), ('optimizer.kind', 'Adam'))
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a name and a value, such as optimizer.lr=0.1"
        )
    try:
        return name.strip(), json.loads(value)
    except ValueError:
        return name.strip(), value.strip()


def add_script(parser: argparse.ArgumentParser) -> None:
    """Add the script that is run, its arguments, and what stands before it."""
    parser.add_argument(
        "-m", "--module", action="store_true", help="SCRIPT is the name of a module"
    )
    parser.add_argument(
        "--stand-in",
        action="store_true",
        help="run it without PyTorch: its torch is gradstep_torch, in GradStep's own Python",
    )
    parser.add_argument(
        "words",
        nargs=argparse.REMAINDER,
        metavar="SCRIPT",
        help="a script, a notebook (.ipynb), or torchrun; and its arguments",
    )


def add_python(parser: argparse.ArgumentParser) -> None:
    """Add --python, which may also follow the script."""
    parser.add_argument(
        "--python",
        metavar="PATH",
        help="the Python that runs the script (default: that of the active virtual environment, "
        "of ./.venv, or python3)",
    )


def add_recording(parser: argparse.ArgumentParser) -> None:
    """Add the options of a recording, which may also follow the script."""
    parser.add_argument(
        "-o",
        "--output",
        type=session_path,
        metavar="OUT.gradstep",
        help="the session to write (default: the script's name, in the working folder)",
    )
    add_python(parser)
    add_json(parser)
