"""The commands of `gradstep`: one entry for each, with its arguments and the function that runs it.

A new command is an entry here and a function in a module of this package. The module is imported
only when the command runs, so that --help is quick.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from gradstep_gui.command_line.arguments import (
    add_file,
    add_iterations,
    add_json,
    add_python,
    add_recording,
    add_script,
    event_index,
    insertion,
    megabytes,
    move,
    session_path,
    setting,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["COMMANDS", "Command"]


@dataclass(frozen=True, slots=True)
class Command:
    """One command that needs no window.

    Attributes:
        usage: Its name and its positional arguments.
        summary: What it does, in a few words for `gradstep --help`.
        description: What it does, for its own --help.
        add_arguments: Adds its arguments to a parser.
        function: Runs it, as "module:function" within this package.
    """

    usage: str
    summary: str
    description: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    function: str

    @property
    def name(self) -> str:
        """The first word of the usage."""
        return self.usage.split()[0]

    def run(self, options: argparse.Namespace) -> int:
        """Import the function, call it, and return the exit status."""
        module, _, function = self.function.partition(":")
        found = import_module(f"gradstep_gui.command_line.{module}")
        return int(getattr(found, function)(options))


def _run(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    add_iterations(parser, "the number in the program", "iterations to run")
    parser.add_argument(
        "--memory",
        type=megabytes,
        metavar="MB",
        help="memory limit for checkpoints, which make going back fast (default: 256)",
    )
    parser.add_argument(
        "--break",
        action="append",
        default=[],
        dest="breaks",
        metavar="CONDITION",
        help='stop when this becomes true, such as "loss > 10"; can be repeated',
    )
    parser.add_argument(
        "--watch",
        action="append",
        default=[],
        dest="watches",
        metavar="EXPRESSION",
        help="print its value at the end; can be repeated",
    )
    parser.add_argument(
        "--save", type=session_path, metavar="OUT.gradstep", help="save the run as a session"
    )
    add_json(parser)


def _report(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    add_iterations(parser)
    add_json(parser)


def _lesson(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a lesson, NAME.lesson.json")
    add_json(parser)


def _explain(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    parser.add_argument("parameter", metavar="PARAMETER", help="a tensor, such as model.0.weight")
    parser.add_argument(
        "--at", type=event_index, metavar="N", help="explain after Event N (default: the last)"
    )
    add_iterations(parser)
    add_json(parser)


def _what_if(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    parser.add_argument(
        "--at",
        type=event_index,
        metavar="N",
        help="replay from Event N (default: the first Event that is edited; with --set alone, 1)",
    )
    parser.add_argument(
        "--skip", type=event_index, action="append", default=[], metavar="N", help="skip Event N"
    )
    parser.add_argument(
        "--insert",
        type=insertion,
        action="append",
        default=[],
        metavar="N:OP",
        help="insert an operation before Event N: its kind, such as 13:zero_grad, or JSON, "
        'such as 13:{"op": "step"}',
    )
    parser.add_argument(
        "--move",
        type=move,
        action="append",
        default=[],
        metavar="N:M",
        help="move Event N before Event M",
    )
    parser.add_argument(
        "--set",
        type=setting,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set a value, such as optimizer.lr=0.1, optimizer.kind=Adam, optimizer.max_norm=1 (of "
        "recorded clippings; or clip_value) or train.batch_size=32",
    )
    parser.add_argument(
        "--remedy",
        nargs="?",
        const="",
        metavar="ID",
        help="try the remedy of a finding, such as grad-accumulated; ID:SUBJECT where several "
        "have this id, ID#2 for its second remedy; without ID, list all remedies. Exit 1 when the "
        "finding is not cleared",
    )
    parser.add_argument(
        "--branch",
        type=event_index,
        metavar="N",
        help="replay branch N of a session (default: the current one)",
    )
    parser.add_argument(
        "--save", type=Path, metavar="OUT.gradstep", help="save a session with both branches"
    )
    add_iterations(parser)
    add_json(parser)


def _compare(parser: argparse.ArgumentParser) -> None:
    for name in ("A", "B"):
        parser.add_argument(
            name.lower(), metavar=name, help="a session or a program; FILE@N for its branch N"
        )
    parser.add_argument(
        "--rows", type=event_index, default=12, metavar="N", help="rows of the table (default: 12)"
    )
    add_json(parser)


def _resume_check(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    parser.add_argument(
        "--at",
        type=event_index,
        metavar="N",
        help="interrupt the run after Event N (default: half-way)",
    )
    add_iterations(parser)
    add_json(parser)


def _export(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    parser.add_argument(
        "out", nargs="?", type=Path, metavar="OUT.py", help="output file (default: standard output)"
    )
    parser.add_argument(
        "--test", action="store_true", help="write a test that asserts the recorded numbers"
    )


def _debug(parser: argparse.ArgumentParser) -> None:
    add_python(parser)
    add_script(parser)


def _record(parser: argparse.ArgumentParser) -> None:
    add_recording(parser)
    add_script(parser)


def _attach(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "addresses",
        nargs="*",
        metavar="HOST:PORT",
        help="where the process listens (default: wait for one that calls attach()); several for "
        "the ranks of one job, in their order",
    )
    parser.add_argument(
        "--token",
        action="append",
        help="what listen() has printed, once for all processes or once for each (default: the "
        "variable GRADSTEP_TOKEN, or it is asked for)",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=session_path,
        metavar="OUT.gradstep",
        help="record the process as this session, without a window",
    )
    add_json(parser)


def _kinds(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", nargs="?", metavar="KIND", help="list only this, such as Linear")
    add_json(parser)


def _recordings(parser: argparse.ArgumentParser) -> None:
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument(
        "--delete",
        action="append",
        default=[],
        metavar="NAME",
        help="delete this recording; can be repeated",
    )
    chosen.add_argument("--delete-all", action="store_true", help="delete all of them")
    parser.add_argument(
        "--folder", type=Path, help="where to look (default: where the window records)"
    )
    add_json(parser)


def _doctor(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--probe", action="store_true", help=argparse.SUPPRESS)
    add_json(parser)


COMMANDS: tuple[Command, ...] = (
    Command(
        "run FILE",
        "run a program",
        "Run a program, or continue a session.",
        _run,
        "commands:run_program",
    ),
    Command(
        "report FILE",
        "print a summary and the findings",
        "Print what happened in a session and what is wrong with it. A program is run first. "
        "Exit 1 when a rule is broken, or the run ended at an error.",
        _report,
        "commands:report",
    ),
    Command(
        "explain FILE PARAMETER",
        "explain why a parameter moved, or did not",
        "Explain why a parameter moved or did not, what its gradient consists of, and which "
        "optimizer holds it. A program is run first.",
        _explain,
        "explain_command:explain",
    ),
    Command(
        "what-if FILE",
        "replay a run with changes",
        "Replay the rest of a run with changes, and print how it differs. A program is run first.",
        _what_if,
        "experiment_commands:what_if",
    ),
    Command(
        "compare A B",
        "find where two sessions differ",
        "Find the first Event, tensor and element at which two sessions, or two branches of one, "
        "differ. Exit 1 when they differ.",
        _compare,
        "experiment_commands:compare",
    ),
    Command(
        "resume-check FILE",
        "check whether a run can be resumed",
        "Check whether a run can be interrupted and resumed from a checkpoint, and what a "
        "checkpoint of the weights alone loses. Exit 1 when a full resume differs.",
        _resume_check,
        "experiment_commands:resume_check",
    ),
    Command(
        "export FILE [OUT.py]",
        "write a PyTorch script",
        "Write a program, or what a session recorded, as a PyTorch script. The script reads large "
        "data from their files, which must be in its folder.",
        _export,
        "commands:export",
    ),
    Command(
        "record SCRIPT [ARGUMENT ...]",
        "record a PyTorch script as a session",
        "Run a PyTorch script, unchanged, with its own Python, and record what it does as a "
        "session. --python, -o and --json may also follow the script; all words after -- go to the "
        "script. After torchrun, each rank on this machine is recorded as a session of its own, "
        "OUT.rank0.gradstep and so on. "
        "Exit 1 when a rule is broken, else with the script's own status.",
        _record,
        "script_commands:record",
    ),
    Command(
        "debug SCRIPT [ARGUMENT ...]",
        "debug a PyTorch script in the window",
        "Run a PyTorch script, unchanged, with its own Python, and open the window on it: it is "
        "held before its first operation. All words after -- go to the script. After torchrun, "
        "all ranks are held together, and the Ranks dock shows any of them.",
        _debug,
        "script_commands:debug",
    ),
    Command(
        "attach [HOST:PORT ...]",
        "debug a process that calls gradstep_agent.attach() or listen()",
        "Wait for a process of yours on this machine that calls gradstep_agent.attach(), such as a "
        "notebook, and open the window on it; or open the window on one that has called "
        "gradstep_agent.listen(), which "
        "prints the address and the token. It is held before its next operation, and goes on when "
        "the window is closed. With -o, record it without a window, until it ends or Ctrl-C. "
        "Several processes are held or recorded together, as the ranks of one job.",
        _attach,
        "script_commands:attach",
    ),
    Command(
        "gallery",
        "list the included programs",
        "List the programs that are included.",
        add_json,
        "commands:gallery",
    ),
    Command(
        "kinds [KIND]",
        "list what a program can contain",
        "List what a program can contain: data sets, layers, criteria, optimizers, schedulers "
        "and operations, each with its fields.",
        _kinds,
        "commands:kinds",
    ),
    Command(
        "lesson FILE",
        "try a lesson out",
        "Walk through a lesson without a window, once with right and once with wrong answers, and "
        "print what a learner reads. Exit 2 when it is not valid, a step cannot be done, or not "
        "exactly one answer is right.",
        _lesson,
        "lesson_command:lesson",
    ),
    Command(
        "doctor",
        "check what GradStep needs on this machine",
        "Check what GradStep needs on this machine: versions, libraries, display, fonts, folders, "
        "and the Python and PyTorch that would run your scripts here; and print how to get what is "
        "missing. Exit 1 when something stands in the way.",
        _doctor,
        "doctor_command:doctor",
    ),
    Command(
        "recordings",
        "list or delete recordings of crashed processes",
        "List the recordings that processes left behind when they crashed, with their sizes, or "
        "delete some. The window offers the latest one when it starts.",
        _recordings,
        "recordings_command:recordings",
    ),
)
"""In the order in which `gradstep --help` lists them."""
