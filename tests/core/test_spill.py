"""Arrays of long runs in a temporary file: exact, and in memory where there is no file."""

import errno
import tempfile
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradstep import spill
from gradstep.errors import GradStepError
from gradstep.spill import BLOCK, Block, GrowingArray, SpillFile


class FullDisk:
    """A file that takes a number of bytes."""

    def __init__(self, room):
        self.room = room
        self.data = bytearray()

    def seek(self, at):
        self.at = at

    def close(self):
        pass

    def readinto(self, view):
        found = self.data[self.at : self.at + len(view)]
        view[: len(found)] = found
        return len(found)

    def write(self, view):
        del self.data[self.at :]
        taken = min(len(view), self.room - len(self.data), 1000)
        if not taken:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.data += view[:taken]
        self.at += taken
        return taken


@pytest.mark.parametrize("dtype", [np.float64, np.uint8, np.int64])
def test_what_is_read_is_what_was_added_bit_for_bit(dtype):
    rng = np.random.default_rng(0)
    values = rng.integers(0, 256, 10 * BLOCK + 77).astype(np.uint8).astype(dtype)
    array = GrowingArray(dtype, SpillFile())
    for part in np.array_split(values, 137):
        array.extend(part)
    for start, stop, step in [(0, len(values), 1), (5, 9, 1), (BLOCK - 1, BLOCK + 1, 1)]:
        assert array.read(start, stop, step).tobytes() == values[start:stop:step].tobytes()
    for step in (2, 7, 513, 9000, 10**6):
        assert array.read(3, len(values), step).tobytes() == values[3::step].tobytes()


def test_nan_payloads_and_signed_zeros_survive_the_file():
    bits = np.array([0x7FF8_0000_0000_BEEF, 0x8000_0000_0000_0000, 1], np.uint64)
    array = GrowingArray(np.float64, SpillFile())
    array.extend(np.tile(bits.view(np.float64), 5 * BLOCK))
    assert array.read(0, 3).view(np.uint64).tolist() == bits.tolist()


def test_a_long_array_takes_a_bounded_amount_of_memory():
    array = GrowingArray(np.float64, SpillFile())
    array.extend(np.zeros(100 * BLOCK))
    assert array.nbytes == 3 * BLOCK * 8


def test_a_short_array_needs_no_file(monkeypatch):
    monkeypatch.setattr(tempfile, "TemporaryFile", None)
    array = GrowingArray(np.float64, SpillFile())
    array.extend(np.arange(4.0 * BLOCK))
    assert array[-1] == 4 * BLOCK - 1


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 70)), max_size=25),
    st.integers(0, 300),
    st.integers(1, 40),
)
def test_it_is_a_plain_array_whatever_is_added_and_dropped(steps, start, step):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spill, "BLOCK", 8)
        patch.setattr(spill, "_APART", 5)
        patch.setattr(spill, "_FIRST_CAPACITY", 4)
        array, model = GrowingArray(np.int64, SpillFile()), np.empty(0, np.int64)
        for grows, count in steps:
            if grows:
                values = np.arange(len(model), len(model) + count)
                array.extend(values)
                model = np.concatenate([model, values])
            else:
                array.truncate(count)
                model = model[:count]
            assert array.read(0, array.size).tolist() == model.tolist()
            assert array.read(start, 10**9, step).tolist() == model[start::step].tolist()
            assert array.lower_bound(start) == np.searchsorted(model, start)
            assert array.upper_bound(start) == np.searchsorted(model, start, side="right")


@pytest.mark.parametrize("room", [0, 5000, 3 * BLOCK * 8 + 17])
def test_a_full_disk_leaves_the_rest_in_memory_and_says_so_once(monkeypatch, room):
    disk = FullDisk(room)
    monkeypatch.setattr(spill, "_temporary_file", lambda _folder: disk)
    file = SpillFile()
    array, values = GrowingArray(np.float64, file), np.arange(9.0 * BLOCK)
    array.extend(values)
    assert file.problem == "No space left on device"
    assert array.read(0, len(values)).tolist() == values.tolist()


def test_without_a_folder_for_temporary_files_all_stays_in_memory(tmp_path):
    file = SpillFile(tmp_path / "missing")
    array, values = GrowingArray(np.float64, file), np.arange(9.0 * BLOCK)
    array.extend(values)
    assert file.problem == "No such file or directory"
    assert array.read(0, len(values)).tolist() == values.tolist()


def test_a_file_that_was_cut_off_is_an_error_with_a_remedy():
    file = SpillFile()
    block = Block(np.arange(3))
    assert block.spill(file)
    file._file.truncate(5)
    with pytest.raises(GradStepError, match="too short"):
        block.array()


def test_the_file_has_no_name_and_goes_with_its_last_user(tmp_path):
    block = Block(np.arange(1000))
    file = SpillFile(tmp_path)
    assert block.spill(file)
    handle = file._file
    del file
    assert block.array()[-1] == 999
    del block
    assert handle.closed or list(tmp_path.iterdir()) == []


def test_what_a_block_takes_besides_its_numbers_is_little():
    growing = GrowingArray(np.float64, SpillFile())
    growing.extend(np.arange(20.0 * BLOCK))
    tracemalloc.start()
    try:
        growing.extend(np.arange(20.0 * BLOCK, 320.0 * BLOCK))
        before, _ = tracemalloc.get_traced_memory()
        growing.extend(np.arange(320.0 * BLOCK, 620.0 * BLOCK))
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 300 * 180
    assert growing.lower_bound(600.5 * BLOCK) == 600.5 * BLOCK
