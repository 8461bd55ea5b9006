"""Whether a copy of this process could go on by itself, and what has to rest before it is made."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradstep_agent.files import sockets

if TYPE_CHECKING:
    from collections.abc import Collection

_HARD = 2  # omp_pause_hard: the threads end, and are started again when they are needed
_OPENMP = ("libgomp", "libiomp", "libomp")
_DEVICES = ("cuda", "xpu", "mtia")
_TRIAL_SECONDS = 20.0
_SECONDS_TO_END = 2.0
_POLL_SECONDS = 0.002
_TRIAL_SIZE = 1 << 17
"""Elements that torch computes with several threads."""

_libraries: dict[str, Any] = {}


def obstacle(torch: Any, own_sockets: set[int], own_children: Collection[int]) -> str:
    """Return why this process cannot be copied now; "" if that is not known before it is tried.

    Args:
        torch: The script's own torch; None before it has imported it.
        own_sockets: Descriptors that the agent takes care of itself.
        own_children: Processes that are copies of this one.
    """
    if not sys.platform.startswith("linux"):
        return "a process can be copied on Linux only"
    if platform.python_implementation() != "CPython":
        return f"a process can be copied with CPython only, and this is {sys.implementation.name}"
    for name in _DEVICES:
        is_used = getattr(getattr(torch, name, None), "is_initialized", None)
        if is_used is not None and is_used():
            return f"the script uses {name.upper()}, whose memory cannot be copied with the process"
    return (
        _workers(own_children)
        or _python_threads()
        or ("the script has a network connection open" if sockets(own_sockets) else "")
    )


def _workers(own: Collection[int]) -> str:
    try:
        count = len(_children() - set(own))
    except FileNotFoundError:
        return "this system does not say which processes the script has started"
    if not count:
        return ""
    noun = "process that it started is" if count == 1 else "processes that it started are"
    return f"{count} {noun} alive, as with DataLoader(num_workers={count})"


def _children() -> set[int]:
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        try:
            found.update(map(int, (task / "children").read_text().split()))
        except OSError:
            if task.exists():
                raise
    return found


def _python_threads() -> str:
    here = threading.get_ident()
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    others = [names.get(ident, "one") for ident in sys._current_frames() if ident != here]
    return f"the script runs other threads: {', '.join(others[:3])}" if others else ""


def other_threads() -> str:
    """Return why a copy that was just made cannot be trusted: threads that it does not have.

    Called after a fork: threads of libraries that know of forks have ended for it, or are about to.
    """
    end = time.monotonic() + _SECONDS_TO_END
    while (names := _other_tasks()) and time.monotonic() < end:
        time.sleep(_POLL_SECONDS)
    return f"a library runs threads of its own: {', '.join(sorted(names))}" if names else ""


def _other_tasks() -> set[str]:
    own, names = str(threading.get_native_id()), set()
    for task in Path("/proc/self/task").iterdir():
        try:
            if task.name != own:
                names.add((task / "comm").read_text().strip())
        except OSError:  # it has ended meanwhile
            continue
    return names


def rest_openmp() -> None:
    """Let OpenMP end its threads: a copy of this process would wait for them for ever.

    It keeps the number of threads, and so the order of its sums, which another number would
    change (OpenMP 5.0, omp_pause_resource_all).
    """
    for path in _openmp_libraries():
        if path not in _libraries:
            _libraries[path] = ctypes.CDLL(path)
        pause = getattr(_libraries[path], "omp_pause_resource_all", None)
        if pause is not None:
            pause(_HARD)


def _openmp_libraries() -> set[str]:
    found = set()
    with Path("/proc/self/maps").open() as maps:
        for line in maps:
            path = line[line.index("/") :].rstrip("\n") if "/" in line else ""
            if path.rpartition("/")[2].startswith(_OPENMP):
                found.add(path)
    return found


def fails_in_a_copy(torch: Any) -> str:
    """Return why a copy of this process cannot compute; "" where it was tried and can.

    Args:
        torch: The script's own torch.
    """
    if sys.platform != "linux":  # there is no obstacle
        raise OSError("this needs Linux")
    pid = os.fork()
    if not pid:
        try:
            with torch.no_grad():
                torch.ones(_TRIAL_SIZE).add_(1).sum()
                matrix = torch.ones(256, 256)
                matrix.mm(matrix)
        finally:
            os._exit(0)
    end = time.monotonic() + _TRIAL_SECONDS
    while time.monotonic() < end:
        if os.waitpid(pid, os.WNOHANG)[0]:
            return ""
        time.sleep(_POLL_SECONDS)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "a copy of this process hangs when it computes with several threads"
