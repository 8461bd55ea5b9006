"""What an installed GradStep must be able to do, in an empty folder and without its sources.

Packages and bundles are both tried with it: `check_package.py` and `make_bundle.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["clean_environment", "run", "try_out"]

LIMIT_S = 300
_PICTURE_BYTES = 20_000
"""A picture of the window with its texts is larger than that; an empty one is not."""

_FOLDERS = ("CONFIG", "DATA", "STATE", "CACHE")
_ITERATIONS = 5
_OF_A_SOURCE_TREE = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "CONDA_PREFIX")


def clean_environment(home: Path, **changes: str) -> dict[str, str]:
    """Return the environment of a person who has only installed GradStep.

    Args:
        home: Where their folders are made.
        changes: Variables to set.
    """
    kept = {name: text for name, text in os.environ.items() if name not in _OF_A_SOURCE_TREE}
    home.mkdir(parents=True, exist_ok=True)
    folders = {f"XDG_{name}_HOME": str(home / name) for name in _FOLDERS}
    return {**kept, "HOME": str(home), "QT_QPA_PLATFORM": "offscreen", **folders, **changes}


def run(
    words: Sequence[str | Path],
    folder: Path,
    environment: Mapping[str, str],
    statuses: Sequence[int] = (0,),
) -> str:
    """Run a program, and return what it prints.

    Raises:
        SystemExit: It ended with another status.
    """
    command = [str(word) for word in words]
    done = subprocess.run(
        command,
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=LIMIT_S,
    )
    if done.returncode not in statuses:
        raise SystemExit(
            f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def try_out(
    gradstep: Sequence[str | Path], folder: Path, environment: Mapping[str, str], version: str
) -> None:
    """Try out an installed GradStep: its version, window, programs, scripts and self-check.

    Args:
        gradstep: The words that start it.
        folder: An empty folder to work in.
        environment: The environment variables.
        version: The version that it should have.

    Raises:
        SystemExit: Something does not work.
    """
    folder.mkdir()

    def start(*words: str | Path, statuses: Sequence[int] = (0,)) -> str:
        return run([*gradstep, *words], folder, environment, statuses)

    expect(start("--version").strip() == f"gradstep {version}", "another version answers")
    programs = json.loads(start("gallery", "--json"))
    start("lesson", programs[0]["path"].replace(".json", ".lesson.json"))
    start("run", programs[0]["path"], "--iterations", str(_ITERATIONS), "--save", "run.gradstep")
    report = json.loads(start("report", "run.gradstep", "--json", statuses=(0, 1)))
    expect(
        report["iterations"] == _ITERATIONS, "a session does not hold the iterations that were run"
    )
    start("--screenshot", "window.png", "run.gradstep")
    size = (folder / "window.png").stat().st_size
    expect(size > _PICTURE_BYTES, f"the picture of the window has only {size} bytes")
    if os.name == "posix":  # scripts are recorded there alone
        script = programs[0]["path"].rpartition("scenarios")[0] + "scripts/sine.py"
        start("record", "--stand-in", "-o", "script.gradstep", script, statuses=(1,))
        found = json.loads(start("report", "script.gradstep", "--json", statuses=(1,)))
        expect(found["findings"][0]["id"] == "grad-accumulated", "the script has other findings")


def expect(condition: bool, otherwise: str) -> None:
    """End with a message unless a condition holds.

    Raises:
        SystemExit: It does not.
    """
    if not condition:
        raise SystemExit(otherwise)
