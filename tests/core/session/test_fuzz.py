"""Whatever happens to the bytes of a session, opening it gives a session or a SessionError."""

from __future__ import annotations

import contextlib
import random
import sqlite3
import zlib
from contextlib import closing
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.errors import GradStepError, SessionError
from gradstep.history.history import History
from gradstep.program.gallery import scenarios
from gradstep.program.program import Program
from gradstep.script.mirror import Mirror
from gradstep.session.archive import restored, session_of
from gradstep.session.store import read, write
from tests.core.script.mutations import mutated_bytes, mutated_leaf, mutated_tree
from tests.core.script.sent_frames import every_kind_of_frame, take

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


@pytest.fixture
def saved_script(tmp_path):
    """Return the session of a recorded script."""
    debugger = Debugger(Mirror(take(every_kind_of_frame().stream)))
    debugger.follow()
    path = tmp_path / "script.gradstep"
    debugger.save(path)
    return path


@pytest.mark.slow
def test_mutated_scripts_never_reach_a_debugger(saved_script):
    draw = random.Random(4)
    whole = saved_script.read_bytes()
    opened = 0
    for _ in range(400):
        saved_script.write_bytes(whole)
        table = draw.choice(("script", "tape", "checkpoints", "events"))
        with closing(sqlite3.connect(saved_script)) as connection, connection:
            row, body = connection.execute(f"SELECT rowid, body FROM {table}").fetchone()
            body = mutated_body(draw, body)
            connection.execute(
                f"UPDATE {table} SET body = ?, crc = ? WHERE rowid = ?",
                (body, zlib.crc32(body), row),
            )
        with contextlib.suppress(GradStepError):
            debugger = Debugger.open(saved_script)
            for event in (0, len(debugger.events)):
                debugger.seek(event)
                assert debugger.snapshot.event_index == event
            opened += 1
    assert 80 < opened < 320


def mutated_body(draw, body):
    """Return the MessagePack of a tree with one change, in whatever it holds."""
    tree = msgspec.msgpack.decode(body)
    arrays = list(extensions(tree))

    def leaf(draw, value):
        if isinstance(value, msgspec.msgpack.Ext) and draw.random() < 0.8:
            return draw.choice(arrays)
        if isinstance(value, bytes):  # the Operation of a row
            return mutated_body(draw, value) if draw.random() < 0.5 else mutated_bytes(draw, value)
        return mutated_leaf(draw, value)

    return msgspec.msgpack.encode(mutated_tree(draw, tree, leaf))


def extensions(tree):
    """Yield the references to arrays in a tree."""
    if isinstance(tree, msgspec.msgpack.Ext):
        yield tree
    elif isinstance(tree, (list, dict)):
        for item in tree.values() if isinstance(tree, dict) else tree:
            yield from extensions(item)
