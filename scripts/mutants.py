"""Mutate the code of a room in small ways, and count how many mutants its tests catch.

The mutants are made and tested in a copy, `build/mutants/ROOM`, by mutmut. Each mutant meets only
the tests that call the function it is in. `docs/mutants.md` says how to read the survivors.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
MUTMUT = "mutmut>=3.8.1,<4"
DECIDED = ("killed", "survived", "no_tests", "timeout", "suspicious", "segfault")
SURVIVED = ("survived", "no_tests")

_SCHEDULERS = "tests/conformance/test_schedulers.py"
_BRANCHES = "tests/core/debugger/test_branches.py"
_REMEDIES = [
    f"tests/core/diagnostics/{name}.py"
    for name in ("test_remedies_clear", "test_suspicion_remedies")
]
_OF_HISTORY = [
    f"tests/core/debugger/{path}"
    for path in (
        "test_time_travel.py",
        "test_graph.py",
        "comparing",
        "what_if/test_resume_check.py",
    )
]
ROOMS = {
    "optim": ["tests/core/optim", "tests/conformance/test_optim.py", _SCHEDULERS],
    "formula": ["tests/core/formula", "tests/core/optim/test_visits.py"],
    "history": ["tests/core/history", *_OF_HISTORY, _BRANCHES],
    "session": [
        "tests/core/session", "tests/core/debugger/test_sessions.py", _BRANCHES, "-k", "not killed"
    ],
    "debugger": ["tests/core/debugger", *_REMEDIES],
}  # fmt: skip
"""The packages of `gradstep` that can be mutated, and the tests of each, as pytest takes them.

Left out is what kills processes of its own: it counts their calls, and mutmut adds some."""


def settings(room: str) -> str:
    """Return the pyproject.toml of the copy."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        pytest = tomllib.load(file)["tool"]["pytest"]["ini_options"]
    pytest["pythonpath"] = ["."]
    pytest["addopts"] = "--import-mode=importlib --benchmark-disable"
    del pytest["testpaths"]
    mutmut = {
        "source_paths": ["src"],
        "only_mutate": [f"src/gradstep/{room}/*"],
        "also_copy": ["conftest.py", "resources"],
        "pytest_add_cli_args": ["-p", "no:xdist", "-p", "no:cacheprovider", "-m", "not torch"],
        "pytest_add_cli_args_test_selection": ROOMS[room],
        "timeout_constant": 3.0,
        "timeout_multiplier": 2.0,
        "track_dependencies": False,
        "use_git_change_detection": False,
    }
    sections = {"tool.mutmut": mutmut, "tool.pytest.ini_options": pytest}
    return "\n".join(
        f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in own.items())
        for name, own in sections.items()
    )


def copy_sources(room: str) -> Path:
    """Copy sources and tests to a folder of the room, in the layout that mutmut understands."""
    folder = ROOT / "build" / "mutants" / room
    shutil.rmtree(folder, ignore_errors=True)
    ignore = shutil.ignore_patterns("__pycache__")
    for source, target in (
        ("core/gradstep", "src/gradstep"),
        ("tests", "tests"),
        ("resources", "resources"),
    ):
        shutil.copytree(ROOT / source, folder / target, ignore=ignore)
    shutil.copy(ROOT / "conftest.py", folder)
    (folder / "pyproject.toml").write_text(settings(room), encoding="utf-8")
    return folder


def run_mutmut(folder: Path, *arguments: str, capture: bool = False) -> tuple[int, str]:
    """Run mutmut in a folder, at low priority; return its exit code and its captured output."""
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "QT_QPA_PLATFORM": "offscreen",
    }
    command = ["nice", "-n", "19", sys.executable, "-m", "mutmut", *arguments]
    output = subprocess.PIPE if capture else None
    done = subprocess.run(
        command, cwd=folder, env=environment, check=False, stdout=output, text=True
    )
    return done.returncode, done.stdout or ""


def chosen(room: str, last_digits: str) -> list[str]:
    """Return the patterns of the mutants to test: all, or those whose number ends in a digit.

    Example:
        >>> chosen("optim", "7")
        ['gradstep.optim.*__mutmut_*7']
    """
    return [f"gradstep.{room}.*__mutmut_*{digit}" for digit in last_digits]


def main() -> int:
    """Test the mutants of the room on the command line; print the survivors and the score."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("room", choices=ROOMS)
    parser.add_argument(
        "--digits", default="", help="test mutants whose number ends in one of these: 7 is a tenth"
    )
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    if importlib.util.find_spec("mutmut") is None:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", MUTMUT], check=True)
    folder = copy_sources(options.room)
    names = chosen(options.room, options.digits)
    code, _ = run_mutmut(folder, "run", "--max-children", str(options.processes), *names)
    if code:
        return code
    run_mutmut(folder, "export-cicd-stats")
    _, results = run_mutmut(folder, "results", capture=True)
    for line in results.splitlines():
        if not line.endswith("not checked"):
            sys.stdout.write(f"{line}\n")
    counts = json.loads((folder / "mutants" / "mutmut-cicd-stats.json").read_text(encoding="utf-8"))
    tested = sum(counts.get(name, 0) for name in DECIDED)
    survivors = sum(counts.get(name, 0) for name in SURVIVED)
    caught = tested - survivors
    reached = max(1, tested - counts.get("no_tests", 0))
    sys.stdout.write(
        f"{options.room}: {caught} of {tested} mutants caught ({caught / max(1, tested):.1%}; "
        f"{caught / reached:.1%} of the {reached} that a test calls), "
        f"{counts['total'] - tested} not tested\n"
        f"To see one: cd {folder} && {sys.executable} -m mutmut show NAME\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
