"""`gradstep --install-desktop`: GradStep in the desktop's menu, and as what opens its files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from gradstep.atomic_write import write_text
from gradstep.errors import GradStepError
from gradstep.program.resources import resource

if TYPE_CHECKING:
    import argparse

__all__ = ["install_desktop", "uninstall_desktop"]

_FILES = {
    "desktop/gradstep.desktop": "applications/gradstep.desktop",
    "desktop/gradstep.xml": "mime/packages/gradstep.xml",
    "icons/gradstep.svg": "icons/hicolor/scalable/apps/gradstep.svg",
}
"""What is installed: the resource, and its place in the folder of the user's data."""

_UPDATES = (("update-mime-database", "mime"), ("update-desktop-database", "applications"))
"""The programs that make desktops notice, and the folder that each is given."""

_SHIPPED_COMMAND = "gradstep-window"
_RESERVED = set(" \t\n\"'\\><~|&;$*?#()`")
"""Characters that a word of Exec may hold in double quotes only (Desktop Entry 1.5)."""

_LIMIT_S = 60


def install_desktop(_options: argparse.Namespace) -> int:
    """Write the desktop entry, the types of the files, and the icon, for this user."""
    folder = _folder()
    for source, place in _FILES.items():
        text = resource(source).read_text(encoding="utf-8")
        if source.endswith(".desktop"):
            text = _entry(text, _command())
        target = folder / place
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise GradStepError(
                f"{target.parent} cannot be created: {error.strerror}",
                "make it writable, or set XDG_DATA_HOME to another folder",
            ) from None
        write_text(target, text)
        _say(f"wrote {target}")
    _update(folder)
    _say("GradStep is in the menu of programs now, and opens .gradstep files.")
    return 0


def uninstall_desktop(_options: argparse.Namespace) -> int:
    """Delete what `install_desktop` has written."""
    folder = _folder()
    found = [folder / place for place in _FILES.values() if (folder / place).exists()]
    for path in found:
        path.unlink()
        _say(f"deleted {path}")
    if found:
        _update(folder)
    else:
        _say(f"There is nothing of GradStep in {folder}.")
    return 0


def _folder() -> Path:
    """Return the folder of the user's data.

    Raises:
        GradStepError: This system has no desktop entries.
    """
    if sys.platform in {"win32", "darwin"}:
        raise GradStepError(
            "desktop entries belong to Linux and the BSDs",
            "here, pin the window to the task bar or the dock while it is open",
        )
    return platformdirs.user_data_path()


def _entry(text: str, command: list[str]) -> str:
    r"""Return the desktop entry for a command.

    Example:
        >>> _entry("Exec=gradstep-window %f\n", ["/opt/my tools/gradstep"])
        'TryExec=/opt/my tools/gradstep\nExec="/opt/my tools/gradstep" %f\n'
    """
    # The value is a string, whose escapes are undone before the quotes of Exec are.
    words = " ".join(_quoted(word) for word in command).replace("\\", "\\\\")
    tried = command[0].replace("\\", "\\\\")
    return text.replace(f"Exec={_SHIPPED_COMMAND} %f\n", f"TryExec={tried}\nExec={words} %f\n")


def _quoted(word: str) -> str:
    escaped = word.replace("%", "%%")
    if not _RESERVED & set(word):
        return escaped
    for character in '\\"`$':
        escaped = escaped.replace(character, f"\\{character}")
    return f'"{escaped}"'


def _command() -> list[str]:
    """Return the words that start this GradStep again, from any folder."""
    image = os.environ.get("APPIMAGE")
    if image:  # the mounted program inside it has another path each time
        return [image]
    if getattr(sys, "frozen", False):
        return [sys.executable]
    own = shutil.which(sys.argv[0])
    if own is None or Path(own).suffix == ".py":
        return [sys.executable, "-m", "gradstep_gui"]
    beside = Path(own).absolute().with_name(_SHIPPED_COMMAND)
    return [str(beside if beside.exists() else Path(own).absolute())]


def _update(folder: Path) -> None:
    """Have desktops notice what has changed, where the programs for that are installed."""
    for program, part in _UPDATES:
        place = folder / part
        if shutil.which(program) is None:
            _say(f"{program} is not installed: desktops notice at the next log-in")
        elif place.is_dir():
            done = subprocess.run(
                [program, str(place)],
                capture_output=True,
                text=True,
                check=False,
                timeout=_LIMIT_S,
            )
            if done.returncode:
                _say(f"{program} failed: {done.stderr.strip()}")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
