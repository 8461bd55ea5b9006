"""`gradstep doctor`: what of this machine GradStep needs, what is missing, and how to get it."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import platformdirs

from gradstep.errors import ScriptError
from gradstep.pluralize import pluralize
from gradstep.script.channel import find_python
from gradstep.spill import folder_of_long_runs
from gradstep.version import version
from gradstep_gui.command_line.terminal import print_json
from gradstep_gui.display import (
    chosen_platforms,
    install_command,
    missing_packages,
    reason_for_no_window,
)
from gradstep_gui.worker.autosave import recordings_folder

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

__all__ = ["Check", "doctor"]

_PROBLEM = 1
_LIMIT_S = 60
_LAST_LINES = 4
_LITTLE_SPACE = 1 << 30
_FONTS = ("fonts-dejavu-core",)
_NAME = re.compile(r"[\w.-]+")
_ASK_PYTHON = """
import importlib.metadata, json, platform
try:
    torch = importlib.metadata.version("torch")
except importlib.metadata.PackageNotFoundError:
    torch = None
print(json.dumps({"version": platform.python_version(), "torch": torch}))
"""
"""Does not import torch, which takes seconds and may fail."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes:
        subject: What it is.
        level: Whether it is as it should be; a note is no obstacle.
        text: What was found.
        remedy: What to do about it; "" for nothing.
    """

    subject: str
    level: Literal["ok", "note", "problem"]
    text: str
    remedy: str = ""


def doctor(options: argparse.Namespace) -> int:
    """Look at everything, print it, and return 1 when something stands in the way."""
    if options.probe:
        print_json(_facts_of_qt())
        return 0
    checks = [*_versions(), *_window(os.environ), *_folders(), _torch()]
    problems = [check for check in checks if check.level == "problem"]
    if options.json:
        found = {"gradstep": version(), "problems": len(problems)}
        print_json(found | {"checks": [asdict(check) for check in checks]})
    else:
        _print(checks, len(problems))
    return _PROBLEM if problems else 0


def _print(checks: list[Check], problems: int) -> None:
    width = max(len(check.subject) for check in checks)
    for check in checks:
        sys.stdout.write(f"{check.level:7}  {check.subject:{width}}  {check.text}\n")
        if check.remedy:
            sys.stdout.write(f"{'':7}  {'':{width}}  -> {check.remedy}\n")
    summary = "Everything that GradStep needs is here."
    if problems:
        summary = f"{pluralize(problems, 'problem')}: do what stands behind the arrows."
    sys.stdout.write(f"\n{summary}\n")


def _versions() -> Iterator[Check]:
    kind = " (bundled)" if _is_bundled() else f" at {sys.executable}"
    yield Check("GradStep", "ok", version())
    yield Check("Python", "ok", f"{platform.python_version()}{kind}")
    yield Check("System", "ok", f"{platform.platform()}, {platform.machine()}")
    found, absent = [], []
    for name in _requirements():
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            absent.append(name)
    yield Check("Packages", "ok", ", ".join(found))
    if absent:
        remedy = f"type: {sys.executable} -m pip install {' '.join(absent)}"
        yield Check("Packages", "problem", f"not installed: {', '.join(absent)}", remedy)


def _requirements() -> tuple[str, ...]:
    """Return the names of the packages that GradStep needs to run."""
    try:
        declared = metadata.requires("gradstep") or []
    except metadata.PackageNotFoundError:
        return ()
    needed = [text for text in declared if "extra ==" not in text]
    names = [match[0] for text in needed if (match := _NAME.match(text))]
    return tuple(dict.fromkeys(names))


def _window(environment: Mapping[str, str]) -> Iterator[Check]:
    """Yield what a window needs: the platform, its libraries, the display, fonts."""
    wanted = chosen_platforms(environment)
    is_linux = sys.platform.startswith("linux")
    missing = missing_packages(wanted[0] if wanted else "xcb") if is_linux else ()
    reason = reason_for_no_window(environment)
    if missing:
        text = f"missing for a window: {', '.join(missing)}"
        yield Check("Libraries", "problem", text, install_command(missing))
    elif is_linux:
        yield Check("Libraries", "ok", "all that Qt loads are installed")
    if is_linux and missing_packages("offscreen"):
        return  # Qt cannot be asked for anything
    facts = _asked(
        environment if reason is None else {**environment, "QT_QPA_PLATFORM": "offscreen"}
    )
    if "error" in facts:
        yield Check(
            "Qt", "problem", f"Qt does not start: {facts['error']}", "install PySide6 again"
        )
        return
    yield Check("Qt", "ok", f"{facts['qt']}, platform plugin {facts['platform']}")
    if reason is None:
        yield Check("Display", "ok", ", ".join(facts["screens"]) or "no screen")
    elif not missing:
        text, _, remedy = reason.partition("; ")
        yield Check("Display", "problem", text, remedy)
    if not facts["families"]:
        yield Check("Fonts", "problem", "Qt finds no fonts", install_command(_FONTS))
        return
    text = f"{facts['families']} families; {facts['text']}, for code {facts['code']}"
    if facts["is_fixed"]:
        yield Check("Fonts", "ok", text)
    else:
        text += ", whose letters differ in width: numbers do not line up"
        yield Check("Fonts", "note", text, install_command(_FONTS))


def _asked(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the facts of Qt from another process: Qt ends its own where it cannot start."""
    words = [sys.executable] if _is_bundled() else [sys.executable, "-m", "gradstep_gui"]
    try:
        done = subprocess.run(
            [*words, "doctor", "--probe"],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_LIMIT_S,
        )
        facts: dict[str, Any] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return {"error": f"no answer in {_LIMIT_S} s"}
    except ValueError:
        last = done.stderr.strip().splitlines()[-_LAST_LINES:] or [f"status {done.returncode}"]
        return {"error": " / ".join(last)}
    return facts


def _facts_of_qt() -> dict[str, Any]:
    from PySide6.QtCore import qVersion  # noqa: PLC0415 - only the process that is asked loads it
    from PySide6.QtGui import (  # noqa: PLC0415 - likewise
        QFontDatabase,
        QFontInfo,
        QFontMetricsF,
        QGuiApplication,
    )

    application = QGuiApplication([])
    code = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    widths = {QFontMetricsF(code).horizontalAdvance(letter) for letter in "iW0."}
    return {
        "qt": qVersion(),
        "platform": application.platformName(),
        "screens": [
            f"{screen.size().width()}x{screen.size().height()} at {screen.devicePixelRatio():g}"
            for screen in application.screens()
        ],
        "families": len(QFontDatabase.families()),
        "text": QFontInfo(application.font()).family(),
        "code": QFontInfo(code).family(),
        "is_fixed": len(widths) == 1,
    }


def _folders() -> Iterator[Check]:
    places = {
        "Settings": (platformdirs.user_config_path("gradstep"), "XDG_CONFIG_HOME"),
        "Recordings": (recordings_folder(), "XDG_STATE_HOME"),
        "Error log": (platformdirs.user_log_path("gradstep"), "XDG_STATE_HOME"),
        "Long runs": (folder_of_long_runs(), "TMPDIR"),
    }
    for subject, (folder, variable) in places.items():
        place = next(path for path in (folder, *folder.parents) if path.exists())
        try:
            with tempfile.TemporaryFile(dir=place):
                free = shutil.disk_usage(place).free
        except OSError as error:
            text = f"{folder} cannot be written: {error.strerror or error}"
            remedy = f"make {place} writable, or set {variable} to another folder"
            yield Check(subject, "problem", text, remedy)
            continue
        text = f"{folder}, {free / 1e9:,.1f} GB free"
        if free < _LITTLE_SPACE:
            yield Check(subject, "note", text, "make room: long runs are kept there")
        else:
            yield Check(subject, "ok", text)


def _torch() -> Check:
    """Return which Python would run scripts here, and whether it has PyTorch."""
    instead = "gradstep debug --stand-in SCRIPT runs scripts without it"
    try:
        python = find_python()
    except ScriptError as error:
        return Check("PyTorch", "note", f"{error.message}; programs need none", instead)
    found: dict[str, str | None] = {}
    with contextlib.suppress(OSError, ValueError, subprocess.TimeoutExpired):
        done = subprocess.run(
            [python, "-c", _ASK_PYTHON],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_LIMIT_S,
        )
        found = json.loads(done.stdout)
    if not found:
        return Check("PyTorch", "note", f"{python} does not start", instead)
    where = f"Python {found['version']} at {Path(python)}, which would run your scripts here"
    if found["torch"] is None:
        return Check("PyTorch", "note", f"not found in {where}; programs need none", instead)
    return Check("PyTorch", "ok", f"{found['torch']} in {where}")


def _is_bundled() -> bool:
    """Whether this is the bundle, whose program is no Python."""
    return bool(getattr(sys, "frozen", False))
