"""The folders of the user: those of the system, or temporary ones where there is no home folder."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import platformdirs

__all__ = ["config_folder", "has_home", "home_folder", "log_folder", "state_folder"]

_NAME = "gradstep"


def has_home() -> bool:
    """Whether there is a home folder; a user without a name, as in a container, has none."""
    try:
        _ = platformdirs.user_config_path(_NAME), platformdirs.user_state_path(_NAME)
    except RuntimeError:
        return False
    return True


def home_folder() -> Path:
    """Return the home folder, or else the current one."""
    try:
        return Path.home()
    except RuntimeError:
        return Path.cwd()


def config_folder() -> Path:
    """Return where settings are."""
    return platformdirs.user_config_path(_NAME) if has_home() else _temporary() / "config"


def state_folder() -> Path:
    """Return where recordings of open programs are."""
    return platformdirs.user_state_path(_NAME) if has_home() else _temporary() / "state"


def log_folder() -> Path:
    """Return where the log of errors is."""
    return platformdirs.user_log_path(_NAME) if has_home() else _temporary() / "log"


def _temporary() -> Path:
    return Path(_kept().name)


@cache
def _kept() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that nobody else can look into; it goes with the process."""
    return tempfile.TemporaryDirectory(prefix="gradstep-home-", ignore_cleanup_errors=True)
