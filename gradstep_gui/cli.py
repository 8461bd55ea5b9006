"""The command line: reads the arguments, and loads Qt only when a window is wanted."""

from __future__ import annotations

import gradstep_gui.numeric_threads  # noqa: F401 - sets them, before NumPy is imported

# isort: split
import argparse
import os
import re
import sys
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from gradstep.errors import GradStepError, ProgramError
from gradstep_gui.command_line.experiment_arguments import (
    COMMANDS,
    add_compare,
    add_resume_check,
    add_what_if,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["main"]

DONE, BAD_INPUT, NO_DISPLAY, INTERRUPTED = 0, 2, 3, 130
_MOST_MEGABYTES = 1_000_000
_MOST_ITERATIONS = 100_000_000
_LARGEST_SIDE = 16_384
# Platforms of Qt that draw somewhere else than on a screen.
_WITHOUT_SCREEN = {"offscreen", "minimal", "minimalegl", "vnc", "linuxfb", "eglfs"}


_COMMAND_LIKE = re.compile(r"\w[\w-]*")
"""A first word that was meant as a command: paths have a dot or a slash, options a hyphen first."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see {self.prog} --help\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run `gradstep`.

    Args:
        argv: The arguments; those of the process when None.

    Returns:
        The exit status: 0 done, 1 a finding, 2 bad usage or bad input, 3 no display.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        options = _parsed(words)
        status: int = options.command(options)
        sys.stdout.flush()  # here, where a reader that has gone is no error
    except GradStepError as error:
        inside = isinstance(error, ProgramError) and error.place.startswith("$")
        file = getattr(options, "file", None) if inside else None
        return _refuse(f"{file}: {error}" if file else str(error))
    except OSError as error:
        return _failed(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as asked:  # argparse: after --help, or after an error it has told
        return int(asked.code or DONE)
    return status


def _failed(error: OSError) -> int:
    if isinstance(error, BrokenPipeError):
        # Whoever read the output has gone; keep Python from complaining about it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    name = f"{error.filename}: " if error.filename else ""
    return _refuse(f"{name}{error.strerror or error}")


def _refuse(message: str) -> int:
    sys.stderr.write(f"gradstep: {' '.join(message.split())}\n")
    return BAD_INPUT


def _parsed(words: list[str]) -> argparse.Namespace:
    commands: dict[str, Callable[[list[str]], argparse.Namespace]] = {
        "run": _parsed_run,
        "report": _parsed_report,
        "export": _parsed_export,
        "explain": _parsed_explain,
        "what-if": _parsed_what_if,
        "compare": _parsed_compare,
        "resume-check": _parsed_resume_check,
        "gallery": _parsed_gallery,
        "kinds": _parsed_kinds,
    }
    if words and words[0] in commands:
        return commands[words[0]](words[1:])
    if words and _COMMAND_LIKE.fullmatch(words[0]) and not Path(words[0]).exists():
        close = get_close_matches(words[0], commands, n=1)
        remedy = f"did you mean {close[0]!r}?" if close else "see gradstep --help"
        raise GradStepError(f"there is no command or file {words[0]!r}", remedy)
    return _parsed_window(words)


def _parsed_window(words: list[str]) -> argparse.Namespace:
    parser = _Parser(
        prog="gradstep",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="A debugger for gradient descent.",
        epilog=(
            "without a window (each has --help, and most have --json):\n"
            "  gradstep run FILE                 run a program here\n"
            "  gradstep report FILE              summary and findings\n"
            "  gradstep explain FILE PARAMETER   why a parameter has moved or not\n"
            "  gradstep what-if FILE             the rest of a run with something done otherwise\n"
            "  gradstep compare A B              where two sessions part\n"
            "  gradstep resume-check FILE        whether a run could have been resumed\n"
            "  gradstep export FILE [OUT.py]     the program as a PyTorch script\n"
            "  gradstep gallery                  the programs that ship\n"
            "  gradstep kinds [KIND]             what programs may name\n\n"
            "exit status: 0 done; 1 a finding, a difference, or a run that ended at an error;\n"
            "2 bad usage or bad input; 3 no display"
        ),
    )
    parser.add_argument("file", nargs="?", type=Path, help="a program or a session")
    parser.add_argument("--version", action="store_true", help="tell the version and exit")
    parser.add_argument(
        "--screenshot", type=Path, metavar="OUT.png", help="draw the window to a file and exit"
    )
    parser.add_argument("--dock", metavar="NAME", help="draw only this dock")
    parser.add_argument(
        "--size", type=_size, default=(1280, 800), metavar="WxH", help="of the picture, in pixels"
    )
    parser.add_argument(
        "--theme", choices=("light", "dark"), default="light", help="of the picture"
    )
    _add_iterations(parser, "none; run before the picture is drawn")
    parser.add_argument(
        "--press",
        action="append",
        default=[],
        metavar="ID",
        help="an action to trigger after them, such as debug.step_into; may be repeated",
    )
    options = parser.parse_args(words)
    if options.screenshot is None and (options.dock or options.iterations or options.press):
        parser.error("--dock, --iterations and --press go with --screenshot")
    drawn = _open_window if options.screenshot is None else _draw_window
    options.command = _tell_version if options.version else drawn
    return options


def _parsed_run(words: list[str]) -> argparse.Namespace:
    parser = _command("run", "Run the loop of a program, or go on with a session.", "run_program")
    _add_file(parser)
    _add_iterations(parser, "as many as the program suggests")
    parser.add_argument(
        "--memory",
        type=_megabytes,
        metavar="MB",
        help="the most that the states kept to go back to may take; default: 256",
    )
    parser.add_argument(
        "--break",
        action="append",
        default=[],
        dest="breaks",
        metavar="CONDITION",
        help='stop where it holds, such as "loss > 10"; may be given again',
    )
    parser.add_argument(
        "--watch",
        action="append",
        default=[],
        dest="watches",
        metavar="EXPRESSION",
        help="tell its value at the end; may be given again",
    )
    parser.add_argument("--save", type=_session_path, metavar="OUT.gradstep", help="the session")
    _add_json(parser)
    return parser.parse_args(words)


def _parsed_report(words: list[str]) -> argparse.Namespace:
    parser = _command(
        "report",
        "Tell what happened in a session and what is wrong; exit 1 when a contract is broken. "
        "A program is run first.",
        "report",
    )
    _add_file(parser)
    _add_iterations(parser, "a program's own suggestion, and none for a session")
    _add_json(parser)
    return parser.parse_args(words)


def _parsed_export(words: list[str]) -> argparse.Namespace:
    parser = _command(
        "export",
        "Write the program's loop, or what a session has recorded, as a PyTorch script.",
        "export",
    )
    _add_file(parser)
    parser.add_argument(
        "out", nargs="?", type=Path, metavar="OUT.py", help="the script; default: standard output"
    )
    parser.add_argument(
        "--test", action="store_true", help="write a test that asserts the recorded numbers"
    )
    return parser.parse_args(words)


def _parsed_explain(words: list[str]) -> argparse.Namespace:
    parser = _command(
        "explain",
        "Tell why a parameter has moved or not, what its gradient is made of, and who holds it. "
        "A program is run first.",
        "explain",
        "explain_command",
    )
    _add_file(parser)
    parser.add_argument("parameter", metavar="PARAMETER", help="such as model.0.weight")
    parser.add_argument("--at", type=_event, metavar="EVENT", help="default: the last")
    _add_iterations(parser, "a program's own suggestion, and none for a session")
    _add_json(parser)
    return parser.parse_args(words)


def _parsed_what_if(words: list[str]) -> argparse.Namespace:
    parser = _experiment("what-if", "what_if")
    _add_file(parser)
    add_what_if(parser)
    _add_iterations(parser, "a program's own suggestion, and none for a session")
    _add_json(parser)
    return parser.parse_args(words)


def _parsed_compare(words: list[str]) -> argparse.Namespace:
    parser = _experiment("compare", "compare")
    add_compare(parser)
    _add_json(parser)
    return parser.parse_args(words)


def _parsed_resume_check(words: list[str]) -> argparse.Namespace:
    parser = _experiment("resume-check", "resume_check")
    _add_file(parser)
    add_resume_check(parser)
    _add_iterations(parser, "a program's own suggestion, and none for a session")
    _add_json(parser)
    return parser.parse_args(words)


def _experiment(name: str, function: str) -> _Parser:
    return _command(name, COMMANDS[name], function, "experiment_commands")


def _parsed_gallery(words: list[str]) -> argparse.Namespace:
    parser = _command("gallery", "List the programs that ship.", "gallery")
    _add_json(parser)
    return parser.parse_args(words)


def _parsed_kinds(words: list[str]) -> argparse.Namespace:
    parser = _command(
        "kinds",
        "List what programs may name: data sets, layers, criteria, optimizers, schedulers and "
        "operations, each with its fields.",
        "kinds",
    )
    parser.add_argument("kind", nargs="?", metavar="KIND", help="only this one, such as Linear")
    _add_json(parser)
    return parser.parse_args(words)


def _command(name: str, description: str, function: str, module: str = "commands") -> _Parser:
    """Return a parser whose result carries a function of a module of `command_line`."""
    parser = _Parser(prog=f"gradstep {name}", description=description)

    def run(options: argparse.Namespace) -> int:
        found = import_module(
            f"gradstep_gui.command_line.{module}"
        )  # here: --help needs none of the library
        return int(getattr(found, function)(options))

    parser.set_defaults(command=run)
    return parser


def _add_file(parser: _Parser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a program or a session")


def _add_iterations(parser: _Parser, default: str) -> None:
    parser.add_argument(
        "--iterations", type=_count, metavar="N", help=f"passes of the loop; default: {default}"
    )


def _add_json(parser: _Parser) -> None:
    parser.add_argument("--json", action="store_true", help="for other programs to read")


def _event(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not the index of an Event")
    return int(text)


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > _MOST_ITERATIONS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of iterations, 0 to 10^8")
    return int(text)


def _megabytes(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) <= _MOST_MEGABYTES:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of megabytes, 1 to {_MOST_MEGABYTES}"
        )
    return int(text)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    sides = [int(side) for side in (width, height) if side.isascii() and side.isdigit()]
    if len(sides) != 2 or not all(0 < side <= _LARGEST_SIDE for side in sides):  # noqa: PLR2004
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 1280x800")
    return sides[0], sides[1]


def _session_path(text: str) -> Path:
    if Path(text).suffix != ".gradstep":
        raise argparse.ArgumentTypeError(f"{text!r} does not end in .gradstep")
    return Path(text)


def _tell_version(_options: argparse.Namespace) -> int:
    from gradstep.version import version  # noqa: PLC0415 - it is asked for seldom

    sys.stdout.write(f"gradstep {version()}\n")
    return DONE


def _open_window(options: argparse.Namespace) -> int:
    if options.file is not None and not options.file.exists():
        raise GradStepError(f"there is no file {options.file}", "check the path")
    if not _has_display():
        sys.stderr.write(
            "gradstep: there is no display to open a window on; use gradstep run FILE, "
            "or gradstep --screenshot OUT.png [FILE]\n"
        )
        return NO_DISPLAY
    from gradstep_gui import app  # noqa: PLC0415 - Qt is loaded for a window alone

    return app.run([sys.argv[0], *([str(options.file)] if options.file else [])])


def _draw_window(options: argparse.Namespace) -> int:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from gradstep_gui import app  # noqa: PLC0415 - likewise

    app.screenshot(
        options.screenshot,
        options.file,
        dock=options.dock,
        size=options.size,
        theme=options.theme,
        iterations=options.iterations or 0,
        press=options.press,
    )
    return DONE


def _has_display() -> bool:
    if os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0] in _WITHOUT_SCREEN:
        return True
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
