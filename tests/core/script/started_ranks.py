"""Ranks of a script that needs no PyTorch, started by what stands for torchrun."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from gradstep.script.command import ScriptCommand
from gradstep.script.ranks import start_ranks

__all__ = ["CORE", "install_torchrun", "is_alive", "started"]

CORE = Path(__file__).parents[3] / "core"
_RUN = """
import os, subprocess, sys
from types import SimpleNamespace


def parse_args(words):
    if words[:1] == ["--wrong"]:
        raise SystemExit("torchrun: what is --wrong?")
    count, script, *more = words
    return SimpleNamespace(
        count=int(count), module=False, no_python=count == "0", run_path=False,
        training_script=script, training_script_args=more,
    )


def main(words):
    found = parse_args(words)
    started = [
        subprocess.Popen(
            [sys.executable, found.training_script, *found.training_script_args],
            env={**os.environ, "RANK": str(rank), "LOCAL_WORLD_SIZE": str(found.count)},
        )
        for rank in range(found.count)
    ]
    sys.exit(max(process.wait() for process in started))
"""


def install_torchrun(folder):
    """Put a package in a folder, which only starts processes; return the search path for it."""
    package = folder / "torch" / "distributed"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "run.py").write_text(_RUN)
    return f"{folder}:{CORE}"


@contextmanager
def started(folder, script, *arguments):
    """Yield the group of two ranks of a script, none begun."""
    (folder / "train.py").write_text(script)
    words = ("2", str(folder / "train.py"), *arguments)
    with mock.patch.dict(os.environ, PYTHONPATH=install_torchrun(folder)):
        group = start_ranks(ScriptCommand("torchrun", words, sys.executable))
    try:
        yield group
    finally:
        group.end()


def is_alive(pid):
    """Return whether a process runs, and has not only not been waited for yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
