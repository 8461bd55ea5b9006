"""`gradstep record`, `debug` and `attach`: a user's own script."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import sys
from getpass import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradstep.debugger import Debugger
from gradstep.errors import ScriptError
from gradstep.pluralize import pluralize
from gradstep.script.channel import attach as connect
from gradstep.script.channel import check_script
from gradstep.script.command import ScriptCommand
from gradstep.script.mirror import Mirror
from gradstep.script.process import ScriptProcess
from gradstep.script.ranks import record_joined, record_ranks
from gradstep.script.waiting import WaitingDebugger
from gradstep.session.frame_recorder import FrameRecorder
from gradstep.session.opening import check_output, rank_path
from gradstep.session.schema import SUFFIX
from gradstep_gui.command_line.arguments import add_python, add_recording
from gradstep_gui.command_line.summaries import print_findings, summary_of
from gradstep_gui.command_line.terminal import interruptible, print_json, save
from gradstep_gui.display import reason_for_no_window
from gradstep_gui.numeric_threads import ADDED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gradstep.script.channel import AttachedScript
    from gradstep.script.process import KeepFrame
    from gradstep.script.tape import ScriptRun, Tape

__all__ = ["attach", "debug", "record"]

_FINDING, _NO_DISPLAY = 1, 3
_TOKEN_VARIABLE = "GRADSTEP_TOKEN"


def record(options: argparse.Namespace) -> int:
    """Run a script to its end, and save what it did."""
    command = script_command(options, add_recording)
    path = options.output or Path(f"{Path(command.name).stem}{SUFFIX}")
    check_output(path, SUFFIX)
    if command.is_distributed:
        return _record_ranks(command, path, options)
    with _frames_kept(path, command) as frames:
        process = ScriptProcess(command, share=0)
        process.keep_frame = frames.take
        with interruptible():  # the terminal interrupts the script too, and that ends the recording
            status, failure = _run(process)
        return _keep(process, path, status, failure, options)


def attach(options: argparse.Namespace) -> int:
    """Debug or record processes that run already."""
    if options.output is not None:
        check_output(options.output, SUFFIX)
    elif not _has_window():
        return _NO_DISPLAY
    addresses: list[str] = options.addresses
    if not addresses:
        with interruptible() as should_stop, WaitingDebugger() as waiting:
            _report("waiting for a process that calls gradstep_agent.attach()")
            come = waiting.wait(should_stop)
        if come is None:
            raise KeyboardInterrupt
        return _join(ScriptCommand(come[0]), come[1], options)
    tokens = _tokens(options, len(addresses))
    found = [
        (ScriptCommand(f"process at {address}"), connect(address, token))
        for address, token in zip(addresses, tokens, strict=True)
    ]
    if len(found) > 1 and options.output is None:
        from gradstep_gui import app  # noqa: PLC0415 - Qt is loaded for a window alone

        return app.run([sys.argv[0]], ranks=found)
    if len(found) > 1:
        _report(f"recording {', '.join(addresses)}; Ctrl-C ends the recording alone")
        with _ranks_kept(options.output) as keep:
            with interruptible() as should_stop:
                tapes = record_joined(found, should_stop, keep)
            return _keep_ranks(tapes, 0, options.output, options)
    return _join(*found[0], options)


def _join(command: ScriptCommand, channel: AttachedScript, options: argparse.Namespace) -> int:
    """Open the window on a process that runs already, or record it."""
    if options.output is None:
        from gradstep_gui import app  # noqa: PLC0415 - Qt is loaded for a window alone

        return app.run([sys.argv[0]], command, channel)
    with _frames_kept(options.output, command) as frames:
        process = ScriptProcess(command, share=0, channel=channel)
        process.keep_frame = frames.take
        name = command.script.removeprefix("process at ")
        _report(f"recording {name}; Ctrl-C ends the recording alone")
        with interruptible() as should_stop:
            _, failure = _run(process, should_stop)
        return _keep(process, options.output, process.tape.run.status or 0, failure, options)


@contextlib.contextmanager
def _frames_kept(session: Path, command: ScriptCommand) -> Iterator[FrameRecorder]:
    """Yield what keeps a script's frames in a file until its session is saved."""
    frames = FrameRecorder(session, command, _report)
    for path in frames.earlier:
        _report(f"{path} is a recording that was not finished: open it, or delete it")
    try:
        yield frames
    except BaseException:
        if frames.is_empty:
            frames.discard()
        else:
            frames.close()
            _report(f"what was recorded is in {frames.path}: open it")
        raise
    frames.discard()


@contextlib.contextmanager
def _ranks_kept(path: Path) -> Iterator[Callable[[str, ScriptCommand], KeepFrame]]:
    """Yield what keeps the frames of each rank, called by its name, until its session is saved."""
    with contextlib.ExitStack() as kept:

        def keep(name: str, command: ScriptCommand) -> KeepFrame:
            own = rank_path(path, name.removeprefix("rank"))
            return kept.enter_context(_frames_kept(own, command)).take

        yield keep


def _report(sentence: str) -> None:
    sys.stderr.write(f"gradstep: {sentence}\n")


def _tokens(options: argparse.Namespace, count: int) -> list[str]:
    """Return the token of each process that listens.

    Raises:
        ScriptError: There is none, and nobody to ask; or there are fewer than processes.
    """
    known = options.token or [os.environ.get(_TOKEN_VARIABLE)]
    if not known[0]:
        if not sys.stdin.isatty():
            raise ScriptError("no token is given", f"give --token, or set {_TOKEN_VARIABLE}")
        known = [getpass("Token: ")]
    if len(known) not in {1, count}:
        raise ScriptError(
            f"there are {pluralize(count, 'rank')}, and {pluralize(len(known), 'token')}",
            "give --token once for all of them, or once for each",
        )
    return [str(token) for token in known] * (count if len(known) == 1 else 1)


def _record_ranks(command: ScriptCommand, path: Path, options: argparse.Namespace) -> int:
    """Record the processes that torchrun starts, each as a session of its own."""
    with _ranks_kept(path) as keep:
        with interruptible() as should_stop:
            status, tapes = record_ranks(command, should_stop, keep)
        if not tapes:
            raise ScriptError("torchrun has started no process", "see its message in the terminal")
        return _keep_ranks(tapes, status, path, options)


def _keep_ranks(
    tapes: dict[str, tuple[Tape, str]], status: int, path: Path, options: argparse.Namespace
) -> int:
    """Save each process as a session, and print what was found; return the exit status."""
    found: dict[str, Debugger] = {}
    summaries, facts = [], False
    for name, (tape, failure) in tapes.items():
        own = rank_path(path, name.removeprefix("rank"))
        debugger = found[name] = _followed(tape)
        save(debugger, own)
        facts |= any(finding.severity == "fact" for finding in debugger.findings)
        summary = _summary(debugger, own, tape.run.status, failure)
        summaries.append({"rank": name} | summary)
        if not options.json:
            _print(debugger, own, tape.run, failure)
    notes = _divergences(found)
    if options.json:
        print_json({"status": status, "ranks": summaries, "comparisons": notes})
    for text in [] if options.json else notes:
        sys.stderr.write(f"gradstep: {text}\n")
    return _FINDING if facts else _shown(status)


def _divergences(found: dict[str, Debugger]) -> list[str]:
    """Return how the parameters of the first process and of each other one compare."""
    (first, one), *others = found.items()
    texts = []
    for name, other in others:
        compared = one.compare(one, other, names=(first, name))
        parameters = [text for text in compared.notes if text.startswith("The parameters")]
        sentence = parameters[0] if parameters else compared.sentence
        texts.append(f"{first} and {name}: {sentence}")
    return texts


def _keep(
    process: ScriptProcess, path: Path, status: int, failure: str, options: argparse.Namespace
) -> int:
    """Save what a script did, and print what was found in it; return the exit status."""
    debugger = _followed(process.tape)
    save(debugger, path)
    if options.json:
        print_json(_summary(debugger, path, status, failure))
    else:
        _print(debugger, path, process.tape.run, failure)
    has_facts = any(finding.severity == "fact" for finding in debugger.findings)
    return _FINDING if has_facts else status


def _followed(tape: Tape) -> Debugger:
    """Return the Debugger of what a script did, at its end."""
    debugger = Debugger(Mirror(tape))
    debugger.follow()
    return debugger


def _summary(debugger: Debugger, path: Path, status: int | None, failure: str) -> dict[str, Any]:
    return summary_of(debugger) | {"status": status, "session": path, "lost": failure}


def _print(debugger: Debugger, path: Path, run: ScriptRun, failure: str) -> None:
    sys.stderr.write(
        f"gradstep: recorded {pluralize(len(debugger.events), 'Event')} in "
        f"{pluralize(debugger.program.iteration, 'iteration')} as {path}\n"
    )
    print_findings(debugger.findings, sys.stderr)
    if failure:
        sys.stderr.write(f"gradstep: {failure}\n")
    if run.lacks_torch:
        has_torch = importlib.util.find_spec("torch") is not None
        other = f"another, such as {sys.executable}," if has_torch else "another"
        sys.stderr.write(
            f"gradstep: the script's Python has no PyTorch: choose {other} with --python, or use "
            "--stand-in\n"
        )


def debug(options: argparse.Namespace) -> int:
    """Open the window on a script, held before its first Operation."""
    command = script_command(options, add_python)
    check_script(command)
    if not _has_window():
        return _NO_DISPLAY
    from gradstep_gui import app  # noqa: PLC0415 - Qt is loaded for a window alone

    return app.run([sys.argv[0]], command)


def _has_window() -> bool:
    """Return whether a window can be opened; say why not."""
    reason = reason_for_no_window(os.environ)
    if reason is not None:
        sys.stderr.write(f"gradstep: {reason}\n")
    return reason is None


def _run(process: ScriptProcess, should_stop: Callable[[], bool] | None = None) -> tuple[int, str]:
    try:
        status = process.run(should_stop)
    except ScriptError as error:
        return _FINDING, str(error)
    return _shown(status), process.tape.run.lost


def _shown(status: int) -> int:
    """Return the status of a process as a shell shows it, also after a signal."""
    return 128 - status if status < 0 else status


def script_command(
    options: argparse.Namespace, add_options: Callable[[argparse.ArgumentParser], None]
) -> ScriptCommand:
    """Return what to run; take the command's own options out of the script's arguments.

    All words after "--" go to the script.

    Raises:
        ScriptError: No script is named.
    """
    words: list[str] = options.words
    end = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    add_options(parser)
    try:
        _, kept = parser.parse_known_args(words[:end], options)
    except argparse.ArgumentError as error:
        raise ScriptError(str(error), "all words after -- go to the script") from None
    kept += words[end + 1 :]
    if not kept:
        raise ScriptError("no script is named", "name one: gradstep record train.py")
    return ScriptCommand(
        kept[0],
        tuple(kept[1:]),
        options.python,
        is_module=options.module,
        is_stand_in=options.stand_in,
        unset=ADDED,
    )
