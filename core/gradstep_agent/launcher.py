"""Runs a user's script under the agent: `python launcher.py OPTIONS SCRIPT [ARGUMENT ...]`.

OPTIONS is a JSON object: "socket" (the number of an inherited descriptor), "level", "share",
"goes_on", "ring" (the bytes of shared memory for large bodies, 0 for none), "module" where
SCRIPT is the name of a module, as after `python -m`, and "stand_in" where its `torch` is to be
gradstep_torch, which stands beside this folder.

The script runs as it would alone: in a module `__main__` of its own, with its arguments, its
folder first in `sys.path`, its streams and its exit status; a traceback shows its frames, not ours.
"""

from __future__ import annotations

import atexit
import importlib.util
import json
import os
import runpy
import signal
import socket
import sys
import traceback
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradstep_agent.agent import Agent

_FOLDER = Path(__file__).resolve().parent
_LONGEST_TRACEBACK = 4000
_OLDEST = (3, 9)


def main() -> None:
    """Run the script that the command line names."""
    if sys.version_info < _OLDEST:
        version = ".".join(map(str, sys.version_info[:3]))
        sys.exit(f"gradstep: {sys.executable} is Python {version}: choose one from 3.9 on")
    options, script, *arguments = sys.argv[1:]
    settings = json.loads(options)
    _import_package()
    is_module = settings.get("module", False)
    sock = _connected(settings, arguments)
    sock.set_inheritable(False)
    if settings.get("stand_in"):
        _use_stand_in()
    agent = _agent(sock, settings)
    _set_up(script, arguments, is_module=is_module)
    agent.hold_at_start()
    sys.exit(run(agent, script, is_module=is_module))


def _connected(settings: dict[str, Any], arguments: list[str]) -> socket.socket:
    """Return the connection; run torchrun instead, where that is asked for."""
    if "socket" in settings:
        return socket.socket(fileno=settings["socket"])
    from gradstep_agent import torchrun  # noqa: PLC0415 - it has just been found

    if settings.get("torchrun"):
        torchrun.run(settings, arguments, __file__)
        raise SystemExit(0)
    return torchrun.connect(settings)


def _import_package() -> None:
    """Import gradstep_agent from this folder, which is not put on `sys.path`."""
    spec = importlib.util.spec_from_file_location(
        "gradstep_agent", _FOLDER / "__init__.py", submodule_search_locations=[str(_FOLDER)]
    )
    assert spec is not None and spec.loader is not None  # noqa: PT018 - it is this folder
    module = importlib.util.module_from_spec(spec)
    sys.modules["gradstep_agent"] = module
    spec.loader.exec_module(module)


def _agent(sock: socket.socket, settings: dict[str, Any]) -> Agent:
    from gradstep_agent.attaching import start_agent  # noqa: PLC0415 - it has just been found
    from gradstep_agent.wire import Wire  # noqa: PLC0415

    agent = start_agent(
        Wire(sock),
        level=settings.get("level", "full"),
        share=settings.get("share", 0.2),
        goes_on=settings.get("goes_on", True),
    )
    if settings.get("ring"):
        agent.share_memory(int(settings["ring"]))
    return agent


def _use_stand_in() -> None:
    from gradstep_agent import stand_in  # noqa: PLC0415 - it has just been found

    stand_in.use_instead_of_torch(str(_FOLDER.parent))


def _set_up(script: str, arguments: list[str], *, is_module: bool) -> None:
    sys.argv[:] = ["-m" if is_module else script, *arguments]
    sys.path[0] = str(Path.cwd() if is_module else Path(script).resolve().parent)


def run(agent: Agent, script: str, *, is_module: bool) -> int:
    """Run the script; return the status that Python would exit with.

    Args:
        agent: Who watches.
        script: A file, or a module's name.
        is_module: Whether it is a module.
    """
    agent.watch_files_in(sys.path[0])
    status, text, trace = 0, "", ""
    try:
        if is_module:
            _new_main()
            as_main: Any = runpy._run_module_as_main  # type: ignore[attr-defined]
            as_main(script)  # what Python itself calls after -m
        elif script.endswith(".ipynb"):
            _run_notebook(agent, script)
        else:
            _run_file(script)
    except SystemExit as ended:
        status = _status(ended)
    except BaseException as error:  # noqa: BLE001 - whatever a script raises, shown as Python does
        _show(error)
        agent.explain(error)
        status, text = 1, f"{type(error).__name__}: {error}"[:1900] + _place(error)
        trace = "".join(traceback.format_exception(error))
        if isinstance(error, KeyboardInterrupt):
            atexit.register(_end_by_interrupt)
    agent.finish(status, text, trace[-_LONGEST_TRACEBACK:])
    return status


def _run_file(script: str) -> None:
    path = Path(script)
    main_module = _new_main()
    main_module.__dict__.update(__cached__=None, __file__=str(path))
    try:
        code = compile(path.read_bytes(), str(path), "exec")
    except OSError as error:
        sys.stderr.write(f"{sys.executable}: can't open file {script!r}: {error.strerror}\n")
        raise SystemExit(2) from None
    exec(code, main_module.__dict__)


def _run_notebook(agent: Agent, script: str) -> None:
    from gradstep_agent.notebook import NotebookError, cells_of  # noqa: PLC0415 - likewise

    try:
        cells = cells_of(script)
    except NotebookError as error:
        sys.stderr.write(f"gradstep: {error}\n")
        raise SystemExit(2) from None
    names = _new_main().__dict__
    names["display"] = print
    for cell in cells:
        agent.add_source(cell.name, cell.text)
    os.chdir(sys.path[0])  # as Jupyter does
    for cell in cells:
        agent.position.part += 1
        cell.run(names)


def _new_main() -> ModuleType:
    """Return a module `__main__` as a script has it; the launcher's own is gone."""
    main_module = sys.modules["__main__"] = ModuleType("__main__")
    main_module.__dict__.update(__annotations__={}, __builtins__=__builtins__)
    return main_module


def _status(ended: SystemExit) -> int:
    if ended.code is None:
        return 0
    if isinstance(ended.code, int):
        return ended.code
    sys.stderr.write(f"{ended.code}\n")
    return 1


def _show(error: BaseException) -> None:
    """Show an error as Python does, without the frames of the agent."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    for found in waiting:
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        found.__traceback__ = _own_frames(found.__traceback__)
        waiting += [found.__cause__, found.__context__]
    if sys.excepthook is sys.__excepthook__ and sys.argv[0].endswith(".ipynb"):
        traceback.print_exception(type(error), error, error.__traceback__)  # with lines of cells
    else:
        sys.excepthook(type(error), error, error.__traceback__)


def _place(error: BaseException) -> str:
    """Return the user's line that an error came from, such as " (train.py:12)"."""
    from gradstep_agent.user_code import failing_line  # noqa: PLC0415 - likewise

    found = failing_line(error)
    if found is None:
        return ""
    frame, line = found
    return f" ({Path(frame.f_code.co_filename).name}:{line})"


def _own_frames(whole: TracebackType | None) -> TracebackType | None:
    kept = []
    while whole is not None:
        if not whole.tb_frame.f_code.co_filename.startswith(str(_FOLDER)):
            kept.append(whole)
        whole = whole.tb_next
    following = None
    for found in reversed(kept):
        following = TracebackType(following, found.tb_frame, found.tb_lasti, found.tb_lineno)
    return following


def _end_by_interrupt() -> None:
    """End as Python does after Ctrl+C, so that a shell sees the signal."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    main()
