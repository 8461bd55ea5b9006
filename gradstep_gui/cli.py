"""The command line: parses the arguments, and loads Qt only to open a window."""

from __future__ import annotations

import gradstep_gui.numeric_threads  # noqa: F401 - sets them, before NumPy is imported

# isort: split
import argparse
import os
import re
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from gradstep.errors import GradStepError, ProgramError
from gradstep_gui.action_ids import LayoutId
from gradstep_gui.command_line.arguments import add_iterations, picture_size
from gradstep_gui.command_line.command_table import COMMANDS
from gradstep_gui.display import reason_for_no_window

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

DONE, BAD_INPUT, NO_DISPLAY, INTERRUPTED = 0, 2, 3, 130

_COMMAND_LIKE = re.compile(r"\w[\w-]*")
"""A first word that was meant as a command: paths have a dot or a slash, options a hyphen first."""


class _Parser(argparse.ArgumentParser):
    """Reports an error in one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see {self.prog} --help\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run `gradstep`.

    Args:
        argv: The arguments; those of the process when None.

    Returns:
        The exit status: 0 done, 1 a finding, 2 bad usage or bad input, 3 no window can be opened.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        options = _parsed(words)
        status: int = options.command(options)
        sys.stdout.flush()  # a closed pipe must raise here, where it is handled
    except GradStepError as error:
        inside = isinstance(error, ProgramError) and error.place.startswith("$")
        file = getattr(options, "file", None) if inside else None
        return _reject(f"{file}: {error}" if file else str(error))
    except OSError as error:
        return _failed(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as asked:  # argparse exits after --help and after an error
        return int(asked.code or DONE)
    return status


def _failed(error: OSError) -> int:
    if isinstance(error, BrokenPipeError):
        # The reader of the output has closed the pipe; keep Python from reporting it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    name = f"{error.filename}: " if error.filename else ""
    return _reject(f"{name}{error.strerror or error}")


def _reject(message: str) -> int:
    sys.stderr.write(f"gradstep: {' '.join(message.split())}\n")
    return BAD_INPUT


def _parsed(words: list[str]) -> argparse.Namespace:
    commands = {command.name: command for command in COMMANDS}
    first = words[0] if words else ""
    if first in commands:
        command = commands[first]
        parser = _Parser(prog=f"gradstep {first}", description=command.description)
        command.add_arguments(parser)
        parser.set_defaults(command=command.run)
        return parser.parse_args(words[1:])
    if _COMMAND_LIKE.fullmatch(first) and not Path(first).exists():
        close = get_close_matches(first, commands, n=1)
        remedy = f"did you mean {close[0]!r}?" if close else "see gradstep --help"
        raise GradStepError(f"there is no command or file {first!r}", remedy)
    return _parsed_window(words)


def _parsed_window(words: list[str]) -> argparse.Namespace:
    width = max(len(command.usage) for command in COMMANDS)
    listed = "\n".join(f"  gradstep {item.usage:{width}}   {item.summary}" for item in COMMANDS)
    parser = _Parser(
        prog="gradstep",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="A debugger for gradient descent.",
        epilog=(
            f"commands without a window (all have --help, most have --json):\n{listed}\n\n"
            "exit status: 0 done; 1 a finding, a difference, or a run that failed;\n"
            "2 bad usage or bad input; 3 no display, or a library that Qt needs is missing"
        ),
    )
    parser.add_argument("file", nargs="?", type=Path, help="a program or a session")
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    parser.add_argument(
        "--screenshot", type=Path, metavar="OUT.png", help="save a picture of the window and exit"
    )
    parser.add_argument("--dock", metavar="NAME", help="only this dock")
    parser.add_argument(
        "--layout", choices=tuple(map(str, LayoutId)), help="layout of the docks in the picture"
    )
    parser.add_argument(
        "--size",
        type=picture_size,
        default=(1280, 800),
        metavar="WxH",
        help="size of the picture in pixels (default: 1280x800)",
    )
    parser.add_argument(
        "--theme", choices=("light", "dark"), default="light", help="theme of the picture"
    )
    parser.add_argument(
        "--install-desktop",
        action="store_true",
        help="add GradStep to the desktop's menu and as what opens .gradstep files (Linux)",
    )
    parser.add_argument(
        "--uninstall-desktop", action="store_true", help="delete what --install-desktop has added"
    )
    parser.add_argument(
        "--language",
        choices=("system", "en", "de"),
        help="language of the window (default: the one chosen in View, else the system's; of a "
        "picture: en)",
    )
    add_iterations(parser, "none")
    parser.add_argument(
        "--press",
        action="append",
        default=[],
        metavar="ID",
        help="action to trigger after the iterations, such as debug.step_into; can be repeated",
    )
    options = parser.parse_args(words)
    drawing = options.dock or options.layout or options.iterations or options.press
    if options.screenshot is None and drawing:
        parser.error("--dock, --layout, --iterations and --press need --screenshot")
    drawn = _open_window if options.screenshot is None else _draw_window
    options.command = _print_version if options.version else drawn
    if options.install_desktop or options.uninstall_desktop:
        options.command = _change_desktop
    return options


def _change_desktop(options: argparse.Namespace) -> int:
    from gradstep_gui.command_line import desktop_command  # noqa: PLC0415 - rarely needed

    if options.install_desktop:
        return desktop_command.install_desktop(options)
    return desktop_command.uninstall_desktop(options)


def _print_version(_options: argparse.Namespace) -> int:
    from gradstep.version import version  # noqa: PLC0415 - rarely needed

    sys.stdout.write(f"gradstep {version()}\n")
    return DONE


def _open_window(options: argparse.Namespace) -> int:
    if options.file is not None and not options.file.exists():
        raise GradStepError(f"there is no file {options.file}", _remedy_for_missing(options.file))
    reason = reason_for_no_window(os.environ)
    if reason is not None:
        return _without_display(reason)
    from gradstep_gui import app  # noqa: PLC0415 - Qt is loaded for a window alone

    words = [sys.argv[0], *([str(options.file)] if options.file else [])]
    return app.run(words, language=options.language)


def _remedy_for_missing(file: Path) -> str:
    from gradstep.session.opening import remedy_for_missing  # noqa: PLC0415 - rarely needed

    return remedy_for_missing(file)


def _draw_window(options: argparse.Namespace) -> int:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    reason = reason_for_no_window(os.environ)
    if reason is not None:
        return _without_display(reason)
    from gradstep_gui.screenshot import screenshot  # noqa: PLC0415 - likewise

    screenshot(
        options.screenshot,
        options.file,
        dock=options.dock,
        layout=LayoutId(options.layout) if options.layout else None,
        size=options.size,
        theme=options.theme,
        iterations=options.iterations or 0,
        press=options.press,
        language=options.language or "en",
    )
    return DONE


def _without_display(reason: str) -> int:
    sys.stderr.write(f"gradstep: {reason}\n")
    return NO_DISPLAY
