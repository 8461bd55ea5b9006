"""Whatever happens to the bytes of a session, opening it gives a session or a SessionError."""

from __future__ import annotations

import contextlib
import sqlite3
import zlib
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from gradstep.errors import GradStepError, SessionError
from gradstep.history.history import History
from gradstep.program.gallery import scenarios
from gradstep.program.program import Program
from gradstep.session.archive import restored, session_of
from gradstep.session.store import read, write

ROUNDS = 400


def mutated(whole, rng):
    """Return the bytes with a few of them, or a run of them, changed, moved or removed."""
    data = bytearray(whole)
    kind = rng.integers(5)
    at, size = int(rng.integers(len(data))), int(rng.integers(1, 200))
    if kind == 0:
        for place in rng.integers(0, len(data), rng.integers(1, 20)):
            data[place] ^= int(rng.integers(1, 256))
    elif kind == 1:
        data[at : at + size] = rng.bytes(len(data[at : at + size]))
    elif kind == 2:
        del data[at : at + size]
    elif kind == 3:
        data[at:at] = rng.bytes(size)
    else:
        other = int(rng.integers(len(data)))
        data[at : at + 4096] = data[other : other + 4096]
    return bytes(data)


@pytest.mark.parametrize("seed", range(2))
def test_mutated_bytes_raise_session_errors_and_nothing_else(saved, seed):
    rng = np.random.default_rng(seed)
    whole = saved.read_bytes()
    rejected = 0
    for _ in range(ROUNDS):
        saved.write_bytes(mutated(whole, rng))
        with contextlib.suppress(SessionError):
            read(saved)
            continue
        rejected += 1
    assert rejected > ROUNDS // 2


@pytest.mark.slow
def test_mutated_contents_raise_session_errors_even_with_right_checksums(saved):
    rng = np.random.default_rng(2)
    whole = saved.read_bytes()
    for _ in range(ROUNDS):
        saved.write_bytes(whole)
        with closing(sqlite3.connect(saved)) as connection, connection:
            table = str(
                rng.choice(["spec", "files", "events", "checkpoints", "series", "findings"])
            )
            row, body = connection.execute(f"SELECT rowid, body FROM {table}").fetchone()
            body = mutated(body, rng)
            connection.execute(
                f"UPDATE {table} SET body = ?, crc = ? WHERE rowid = ?",
                (body, zlib.crc32(body), row),
            )
        with contextlib.suppress(SessionError):
            read(saved)


def test_mutated_states_never_reach_a_program(tmp_path, engine):
    scenario = next(item for item in scenarios() if "iris" in item.id)
    program = Program.open(scenario.path)
    branch = replace(engine.branches[0], history=History.start(program))
    for _ in range(2):
        for operation in program.loop_operations():
            branch.history.record(program, operation)
    path = tmp_path / "a.gradstep"
    write(path, session_of(program, [branch], 0, 8))
    rng = np.random.default_rng(3)
    whole = path.read_bytes()
    rejected = 0
    for _ in range(100):
        path.write_bytes(whole)
        with closing(sqlite3.connect(path)) as connection, connection:
            table = str(rng.choice(["checkpoints", "events", "series"]))
            (row, body) = connection.execute(
                f"SELECT rowid, body FROM {table} ORDER BY random() LIMIT 1"
            ).fetchone()
            body = mutated(body, rng)
            connection.execute(
                f"UPDATE {table} SET body = ?, crc = ? WHERE rowid = ?",
                (body, zlib.crc32(body), row),
            )
        try:
            restored(read(path))
        except GradStepError:
            rejected += 1
    assert rejected > 50
