"""Bringing sessions of older formats up to date, on a copy: the file itself keeps its format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.errors import SessionError
from gradstep.session.schema import VERSION

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

__all__ = ["STEPS", "migrate"]

STEPS: dict[int, Callable[[sqlite3.Connection], None]] = {}
"""From a format to the next one, by the format that a step starts from. Format 1 is the first."""


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring a copy of a session from format `version` to the newest one.

    Raises:
        SessionError: When no released GradStep has written that format.
    """
    while version < VERSION:
        step = STEPS.get(version)
        if step is None:
            raise SessionError(
                f"the session has format {version}, which no GradStep has written",
                "open a file that GradStep has saved",
            )
        step(connection)
        version += 1
        connection.execute(f"PRAGMA user_version = {version}")
