"""A script's process may do anything to the memory that it shares."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from gradstep.errors import ScriptError
from gradstep.script.frame_reader import FrameReader
from gradstep.script.frames import Rows, Source
from gradstep.script.shared_memory import SharedMemory
from tests.core.script.sent_frames import frame

if sys.platform != "linux":
    pytest.skip("sealed memory is Linux's", allow_module_level=True)

import fcntl

SIZE = 4096
SEALED = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
HELLO = frame({"type": "hello", "protocol": 1, "pid": 7, "python": "3.11"})


def memory(content=b"", *, size=SIZE, seals=SEALED):
    """Return a descriptor as a script's process passes it on."""
    descriptor = os.memfd_create("test", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    os.pwrite(descriptor, content, 0)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
    return descriptor


def is_open(descriptor):
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


@pytest.fixture
def reader():
    made = FrameReader(SIZE)
    yield made
    made.close()


def body_at(position, length):
    return frame({"type": "rows", "count": 0, "ring": [position, length]})


def test_a_body_is_read_where_its_header_says_and_kept_as_it_was_then(reader):
    descriptor = memory(b"abcdef")
    reader.take_descriptor(os.dup(descriptor))
    stream = HELLO + frame({"type": "ring", "size": SIZE}) + body_at(2, 3) + body_at(5, 1)
    _, *found = reader.feed(stream)
    os.pwrite(descriptor, b"######", 0)
    os.close(descriptor)
    assert found == [(Rows(0, ring=(2, 3)), b"cde"), (Rows(0, ring=(5, 1)), b"f")]
    assert reader.read_position == 6


def test_positions_grow_beyond_the_size_and_begin_at_the_start_again(reader):
    reader.take_descriptor(memory(b"start" + bytes(SIZE - 8) + b"end"))
    stream = HELLO + frame({"type": "ring", "size": SIZE})
    stream += body_at(SIZE - 3, 3) + body_at(SIZE, 5)
    assert [body for _, body in reader.feed(stream)] == [b"", b"end", b"start"]


@pytest.mark.parametrize("seals", [0, fcntl.F_SEAL_SHRINK, fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL])
def test_memory_whose_size_can_still_change_is_rejected_and_closed(seals):
    descriptor = memory(seals=seals)
    with pytest.raises(ScriptError, match="not 4,096 sealed bytes"):
        SharedMemory(descriptor, SIZE, SIZE)
    assert not is_open(descriptor)


@pytest.mark.parametrize(("size", "claimed"), [(SIZE // 2, SIZE), (SIZE, 2 * SIZE), (SIZE, 1)])
def test_memory_of_another_size_than_was_asked_for_is_rejected(size, claimed):
    with pytest.raises(ScriptError, match="not 4,096 sealed bytes"):
        SharedMemory(memory(size=size), claimed, SIZE)


@pytest.mark.parametrize("path", ["/dev/zero", os.devnull, __file__])
def test_a_file_that_is_no_memory_is_rejected(path):
    with pytest.raises(ScriptError, match="not 4,096 sealed bytes"):
        SharedMemory(os.open(path, os.O_RDONLY), SIZE, SIZE)


def test_memory_cannot_be_truncated_once_it_is_taken():
    descriptor = memory(b"kept")
    shared = SharedMemory(os.dup(descriptor), SIZE, SIZE)
    for size in (0, 2 * SIZE):
        with pytest.raises(PermissionError):
            os.ftruncate(descriptor, size)
    os.close(descriptor)
    assert shared.read(0, 4) == b"kept"
    shared.close()


def test_memory_that_was_truncated_all_the_same_is_an_error_and_not_a_signal():
    descriptor = memory()
    shared = SharedMemory(descriptor, SIZE, SIZE)
    shortened = memory(size=10)
    os.dup2(shortened, descriptor)
    os.close(shortened)
    with pytest.raises(ScriptError, match="has become smaller"):
        shared.read(0, SIZE)
    shared.close()


@pytest.mark.parametrize(
    ("position", "length"), [(0, SIZE + 1), (SIZE - 1, 2), (2 * SIZE + 1, 1), (2**60, 1)]
)
def test_bytes_outside_of_the_memory_are_rejected(position, length):
    shared = SharedMemory(memory(), SIZE, SIZE)
    with pytest.raises(ScriptError, match="of the shared memory"):
        shared.read(position, length)
    shared.close()


def test_bytes_cannot_be_sent_twice():
    shared = SharedMemory(memory(), SIZE, SIZE)
    shared.read(0, 10)
    with pytest.raises(ScriptError, match="1 bytes at 9 of the shared memory"):
        shared.read(9, 1)
    shared.close()


@pytest.mark.parametrize(
    ("stream", "reason"),
    [
        (frame({"type": "ring", "size": SIZE}), "did not come"),
        (body_at(0, 1), "there is none"),
        (frame({"type": "rows", "count": 0, "ring": [0, 1]}, b"x"), "1 bytes with Rows"),
        (frame({"type": "torch", "name": "", "version": "", "ring": [0, 1]}), "1 bytes with Torch"),
        (frame({"type": "rows", "count": 0, "ring": [-1, 1]}), "invalid message"),
        (frame({"type": "rows", "count": 0, "ring": [0, 2**40]}), "invalid message"),
    ],
)
def test_a_header_that_lies_about_shared_memory_is_rejected(reader, stream, reason):
    with pytest.raises(ScriptError, match=reason):
        list(reader.feed(HELLO + stream))


def test_memory_is_shared_once():
    reader = FrameReader(SIZE)
    reader.take_descriptor(memory())
    second = memory()
    with pytest.raises(ScriptError, match="nobody asked for"):
        reader.take_descriptor(second)
    assert not is_open(second)
    list(reader.feed(HELLO + frame({"type": "ring", "size": SIZE})))
    assert not reader.expects_descriptors
    with pytest.raises(ScriptError, match="did not come"):
        list(reader.feed(frame({"type": "ring", "size": SIZE})))
    reader.close()


def test_a_file_is_rejected_where_no_memory_was_asked_for():
    descriptor = memory()
    with pytest.raises(ScriptError, match="nobody asked for"):
        FrameReader().take_descriptor(descriptor)
    assert not is_open(descriptor)


def test_bodies_in_shared_memory_count_as_kept(reader):
    reader.take_descriptor(memory(b"import torch"))
    header = {"type": "source", "file": "train.py", "sha256": "", "size": 12, "ring": [0, 12]}
    stream = HELLO + frame({"type": "ring", "size": SIZE})
    _, (found, body) = reader.feed(stream + frame(header))
    assert isinstance(found, Source)
    assert body == b"import torch"
    assert reader.kept_bytes == len(frame(header)) - 8 + 12


def test_no_descriptor_stays_open_when_the_memory_is_closed():
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(10):
        reader = FrameReader(SIZE)
        reader.take_descriptor(memory())
        list(reader.feed(HELLO + frame({"type": "ring", "size": SIZE})))
        reader.close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_the_files_of_a_checkpoint_come_with_it_and_only_where_they_are_expected():
    reader = FrameReader()
    reader.expects_checkpoints = True
    one, two = memory(), memory()
    third = memory()
    reader.take_descriptor(one)
    reader.take_descriptor(two)
    with pytest.raises(ScriptError, match="nobody asked for"):
        reader.take_descriptor(third)
    assert not is_open(third)
    assert reader.descriptors_of_checkpoint() == (one, two)
    with pytest.raises(ScriptError, match="did not come"):
        reader.descriptors_of_checkpoint()
    reader.close()
    os.close(one)
    os.close(two)
