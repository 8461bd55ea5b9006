"""Settings that outlive the process: each declared once, with its type, default and meaning."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import QByteArray, QSettings

from gradstep_gui.action_ids import LayoutId
from gradstep_gui.user_folders import config_folder

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep_gui.language import LanguageChoice
    from gradstep_gui.theme import Choice

__all__ = [
    "CHOSEN_LAYOUT",
    "CLOSED_SCRIPT_DOCKS",
    "FINISHED_LESSONS",
    "GEOMETRY",
    "LANGUAGE",
    "MEMORY",
    "MEMORY_RANGE",
    "RECENT",
    "RUN_UNTIL_ITERATION",
    "SMOOTHING",
    "THEME",
    "TRUSTED_SCRIPTS",
    "ZOOM",
    "ZOOM_STEPS",
    "Setting",
    "Settings",
    "folded_setting",
    "layout_setting",
]

RECENT_KEPT = 10
TRUSTED_KEPT = 200
_DIGITS = 10

MEMORY_RANGE = range(16, 65_537)
"""Valid values of `MEMORY`, from a part of a small machine's memory to most of a large one's."""

ZOOM_STEPS = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5)
"""Sizes of text, relative to what the desktop prefers."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Setting(Generic[T]):
    """One setting.

    Args:
        key: Its name in the file.
        default: Its value until it is set, and when the stored value is invalid.
        read: Converts the stored value; returns None when it is invalid.
        write: Converts a value to what is stored.
    """

    key: str
    default: T
    read: Callable[[object], T | None]
    write: Callable[[T], object]


def _read_choice(stored: object) -> Choice | None:
    return next((choice for choice in ("system", "light", "dark") if choice == stored), None)


def _read_language(stored: object) -> LanguageChoice | None:
    return next((choice for choice in ("system", "en", "de") if choice == stored), None)


def _read_paths(stored: object) -> tuple[Path, ...] | None:
    if isinstance(stored, str):
        stored = [stored]
    if not isinstance(stored, list):
        return None
    return tuple(Path(item) for item in stored if isinstance(item, str) and item)[:RECENT_KEPT]


def _read_texts(stored: object) -> tuple[str, ...] | None:
    if isinstance(stored, str):
        stored = [stored]
    if not isinstance(stored, list):
        return None
    return tuple(item for item in stored if isinstance(item, str) and item)[:TRUSTED_KEPT]


def _read_names(stored: object) -> tuple[str, ...] | None:
    return tuple(stored.split()) if isinstance(stored, str) else None


def _write_names(names: tuple[str, ...] | None) -> str:
    return " ".join(names or ())


def _read_bytes(stored: object) -> QByteArray | None:
    return stored if isinstance(stored, QByteArray) else None


def _read_layout(stored: object) -> LayoutId | None:
    return next((layout for layout in LayoutId if layout == stored), None)


def _read_memory(stored: object) -> int | None:
    try:
        megabytes = int(str(stored))
    except ValueError:
        return None
    return megabytes if megabytes in MEMORY_RANGE else None


def _read_smoothing(stored: object) -> float | None:
    try:
        weight = float(str(stored))
    except ValueError:
        return None
    return weight if 0 <= weight < 1 else None


def _read_zoom(stored: object) -> float | None:
    return next((step for step in ZOOM_STEPS if str(step) == str(stored)), None)


def _read_count(stored: object) -> int | None:
    text = str(stored)
    return int(text) if text.isdecimal() and text.isascii() and len(text) < _DIGITS else None


def _as_it_is(value: object) -> object:
    return value


THEME: Setting[Choice] = Setting("theme", "system", _read_choice, _as_it_is)
"""Light, dark, or like the desktop."""

LANGUAGE: Setting[LanguageChoice] = Setting("language", "system", _read_language, _as_it_is)
"""The language of the window, from its next start on."""

RECENT: Setting[tuple[Path, ...]] = Setting(
    "recent", (), _read_paths, lambda paths: [str(path) for path in paths]
)
"""Recently opened or saved files, the latest first."""

TRUSTED_SCRIPTS: Setting[tuple[str, ...]] = Setting(
    "trusted_scripts", (), _read_texts, lambda digests: list(digests[:TRUSTED_KEPT])
)
"""The SHA-256 of the scripts that the user has run from the window, the latest first."""

FINISHED_LESSONS: Setting[tuple[str, ...]] = Setting("finished_lessons", (), _read_texts, list)
"""The ids of the bundled lessons that the user has gone through."""

MEMORY: Setting[int] = Setting("memory_mb", 256, _read_memory, _as_it_is)
"""The memory limit in megabytes of the states kept for going back."""

RUN_UNTIL_ITERATION: Setting[int] = Setting("run_until_iteration", 0, _read_count, _as_it_is)
"""The iteration that the user last ran to; 0 before the first time."""

SMOOTHING: Setting[float] = Setting("smoothing", 0.0, _read_smoothing, _as_it_is)
"""The weight of the moving average in the loss plot, from 0 (off) to below 1."""

GEOMETRY: Setting[QByteArray] = Setting("geometry", QByteArray(), _read_bytes, _as_it_is)
"""The position and size of the window."""

CHOSEN_LAYOUT: Setting[LayoutId | None] = Setting("chosen_layout", None, _read_layout, str)
"""The layout that the user has chosen; None before the first time."""


def layout_setting(layout: LayoutId) -> Setting[QByteArray]:
    """Return the setting of a layout's docks, which Qt restores for the same docks only.

    See `layout_version`.

    Example:
        >>> layout_setting(LayoutId.LEARN).key
        'layout_learn'
    """
    # The first key is older than the other layouts.
    key = "layout" if layout is LayoutId.DEBUG else f"layout_{layout}"
    return Setting(key, QByteArray(), _read_bytes, _as_it_is)


ZOOM: Setting[float] = Setting("zoom", 1.0, _read_zoom, _as_it_is)
"""The size of text that the user has chosen, one of `ZOOM_STEPS`."""


def folded_setting(layout: LayoutId) -> Setting[tuple[str, ...] | None]:
    """Return the setting of the panels that are collapsed in a layout; None before the first time.

    Example:
        >>> folded_setting(LayoutId.LEARN).key
        'folded_learn'
    """
    return Setting(f"folded_{layout}", None, _read_names, _write_names)


CLOSED_SCRIPT_DOCKS: Setting[tuple[str, ...]] = Setting(
    "closed_script_docks", (), _read_texts, list
)
"""The ids of the docks for scripts that the user has closed: the others come with each script."""


class Settings:
    """Reads and writes `Setting`s in one INI file.

    Args:
        path: The file; by default the user's own, in the system's configuration folder.
    """

    def __init__(self, path: Path | None = None) -> None:
        file = path or config_folder() / "settings.ini"
        self._store = QSettings(str(file), QSettings.Format.IniFormat)

    def get(self, setting: Setting[T]) -> T:
        """Return the stored value, or the default."""
        stored = self._store.value(setting.key)
        value = None if stored is None else setting.read(stored)
        return setting.default if value is None else value

    def set(self, setting: Setting[T], value: T) -> None:
        """Store a value."""
        self._store.setValue(setting.key, setting.write(value))

    def add_recent(self, path: Path) -> None:
        """Put a file first among the recent ones."""
        path = path.absolute()
        others = tuple(other for other in self.get(RECENT) if other != path)
        self.set(RECENT, (path, *others)[:RECENT_KEPT])
