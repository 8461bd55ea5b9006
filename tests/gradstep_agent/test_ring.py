"""Shared memory for large bodies: what fits, what is freed, and what nobody can do to the other."""

from __future__ import annotations

import mmap
import os
import socket
import sys
from pathlib import Path

import pytest

from gradstep_agent.ring import Ring
from gradstep_agent.wire import Wire
from tests.gradstep_agent.client import Script, plain, record

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sealed memory is Linux's")

SCRIPTS = Path(__file__).parent / "scripts"


@pytest.fixture
def ring():
    made = Ring(mmap.PAGESIZE)
    yield made
    made.close()


@pytest.fixture
def read(ring):
    with mmap.mmap(ring.descriptor, ring.size, prot=mmap.PROT_READ) as memory:
        yield lambda position, size: memory[position % ring.size : position % ring.size + size]


def test_bodies_follow_one_another_until_the_memory_is_full(ring, read):
    size = ring.size
    assert ring.write([b"ab", memoryview(b"cd")]) == 0
    assert ring.write([bytes(size - 4)]) == 4
    assert ring.write([b"x"]) is None
    assert read(0, 4) == b"abcd"


def test_what_was_freed_is_written_again_and_no_body_goes_over_the_end(ring, read):
    size = ring.size
    ring.write([bytes(size - 10)])
    ring.free(size - 10)
    assert ring.write([b"y" * 20]) == size
    assert read(size, 20) == b"y" * 20
    assert ring.write([bytes(size - 20)]) is None  # what was left out at the end is not free yet
    ring.free(size + 20)
    assert ring.write([bytes(size - 20)]) == size + 20
    assert ring.write([b"z" * 21]) is None


def test_a_body_larger_than_the_memory_finds_no_room(ring):
    assert ring.write([bytes(ring.size + 1)]) is None
    assert ring.write([b"small"]) == 0


@pytest.mark.parametrize("position", [-1, 6])
def test_what_was_not_written_cannot_be_freed(ring, position):
    ring.write([b"12345"])
    with pytest.raises(ValueError, match="is not between 0 and 5"):
        ring.free(position)


def test_neither_side_can_change_the_size_of_the_memory(ring):
    for size in (0, 2 * ring.size):
        with pytest.raises(PermissionError):
            os.ftruncate(ring.descriptor, size)


def test_a_connection_that_passes_no_files_has_no_shared_memory():
    with socket.socket(socket.AF_INET) as sock:
        wire = Wire(sock)
        wire.open_ring(1 << 20)
        assert wire.ring is None


LARGE = """\
import torch
torch.manual_seed(0)
m = torch.nn.Linear(300, 400)
o = torch.optim.SGD(m.parameters(), lr=0.01)
x = torch.randn(4, 300)
for _ in range(5):
    o.zero_grad()
    loss = m(x).square().mean()
    loss.backward()
    o.step()
    print(loss.item())
"""


@pytest.mark.torch
@pytest.mark.slow
def test_arrays_are_the_same_through_shared_memory_and_through_the_socket(tmp_path):
    script = tmp_path / "large.py"
    script.write_text(LARGE)
    streamed, shared = record(script), record(script, ring=1 << 22)
    assert shared.out == streamed.out == plain(script).out
    assert [event.arrays for event in shared.events] == [event.arrays for event in streamed.events]
    assert len([frame for frame in shared.of("rows") if "ring" in frame]) >= 9
    assert not [frame for frame in streamed.frames if "ring" in frame]


@pytest.mark.torch
@pytest.mark.slow
def test_what_finds_no_room_because_nothing_is_freed_goes_through_the_socket(tmp_path):
    script = tmp_path / "large.py"
    script.write_text(LARGE)
    with Script(script, ring=1 << 20) as running:
        running.frees = False
        running.send("go")
        run = running.finish()
    streamed = record(script)
    assert [event.arrays for event in run.events] == [event.arrays for event in streamed.events]
    assert 1 <= len([frame for frame in run.of("rows") if "ring" in frame]) <= 2
    assert run.out == streamed.out
