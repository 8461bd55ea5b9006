"""Landscapes in a session: they come back as they were, and what does not fit is rejected."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from gradstep.errors import SessionError
from gradstep.history.records.landscape import LandscapeRequest, StoredLandscape
from gradstep.session.record import Session
from gradstep.session.store import read, write
from tests.core.session.conftest import SPEC

LANDSCAPE = StoredLandscape(
    LandscapeRequest("loss", elements=("x[0]", "x[1]"), size=3),
    bytes(range(16)),
    0,
    (-1.0, 1.0, -2.0, 2.0),
    (3, 3),
    np.array([1, np.nan, np.inf] * 3, "<f4").tobytes(),
)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.gradstep"
    write(path, Session(SPEC, landscapes=(LANDSCAPE,)))
    return path


def put(path, text):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE meta SET value = ? WHERE key = 'landscapes'", (text,))


def encoded(**changes):
    return msgspec.json.encode([msgspec.structs.replace(LANDSCAPE, **changes)]).decode()


def test_landscapes_come_back_as_they_were(path):
    assert read(path).landscapes == (LANDSCAPE,)


def test_a_session_without_landscapes_has_none(tmp_path):
    write(tmp_path / "b.gradstep", Session(SPEC))
    assert read(tmp_path / "b.gradstep").landscapes == ()


@pytest.mark.parametrize(
    "text",
    [
        "[",
        "{}",
        '[{"request": {}}]',
        encoded(shape=(3, 4)),
        encoded(shape=(9,)),
        encoded(bounds=(-1.0, 1.0)),
        encoded(bounds=(1.0, -1.0, 0.0, 1.0)),
        encoded(bounds=(-1.0, 1.0, 0.0)),
        encoded(bounds=(0.0, 1e31, 0.0, 1.0)),
        encoded(shape=(3, 1_000_000)),
        encoded(shape=(9, 0)),
        encoded(shape=(-3, -3)),
        encoded(event=7),
        encoded(event=-1),
        encoded(signature=b"short"),
        encoded(values=b""),
        encoded(request=LandscapeRequest("loss", size=10**6)),
        encoded(request=LandscapeRequest("l" * 501)),
        encoded(request=LandscapeRequest(kind="circles")),
        encoded(request=LandscapeRequest(elements=("a",) * 3)),
        '[{"more": 1}]',
        "[" * 100_000,
        f"[{encoded()[1:-1]}, {'1' * 3_000_000}]",
    ],
)
def test_what_does_not_fit_is_rejected(path, text):
    put(path, text)
    with pytest.raises(SessionError):
        read(path)


def test_landscapes_of_another_program_are_left_alone(tmp_path):
    """They are found by their digests: those that do not fit are never shown."""
    session = replace(Session(SPEC), landscapes=(LANDSCAPE,) * 3)
    write(tmp_path / "c.gradstep", session)
    assert read(tmp_path / "c.gradstep").landscapes == (LANDSCAPE,) * 3
