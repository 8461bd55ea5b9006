"""What checksums cover."""

import numpy as np
import pytest

from gradstep.history.live_values import bytes_of
from gradstep.history.log.checksum import COVERED, checksum, covered, row_bytes


@pytest.mark.parametrize("size", [10, COVERED, 400_000])
def test_a_difference_in_every_element_is_detected_in_every_turn(size):
    array = np.random.default_rng(0).normal(size=size).astype(np.float32)
    other = np.nextafter(array, np.float32(np.inf))
    for turn in range(1, 9):
        assert checksum(bytes_of([covered(array, turn)]), None, None) == checksum(
            bytes_of([covered(array.copy(), turn)]), None, None
        )
        assert checksum(bytes_of([covered(array, turn)]), None, None) != checksum(
            bytes_of([covered(other, turn)]), None, None
        )


def test_every_element_of_a_large_array_has_its_turn():
    array = np.arange(10 * COVERED + 7)
    # A loop of four Operations writes it at every fourth Event.
    seen = {element for turn in range(0, 400, 4) for element in covered(array, turn).tolist()}
    assert seen == set(array.tolist())


def test_coverage_does_not_depend_on_the_memory_layout():
    array = np.arange(12_000.0).reshape(3, 4000)
    for turn in range(1, 5):
        assert covered(array, turn).tolist() == covered(np.asfortranarray(array), turn).tolist()


def test_the_loss_and_the_rows_of_a_batch_count_too():
    rows = row_bytes((1,))
    sums = {checksum(b"", loss, used) for loss in (None, 0.5) for used in (None, rows)}
    assert len(sums) == 4


def test_a_turn_covers_one_block_of_adjacent_elements():
    array = np.arange(3 * COVERED + 10).reshape(2, -1)
    blocks = {turn: covered(array, turn).tolist() for turn in range(1, 40)}
    assert {len(block) for block in blocks.values()} == {COVERED}
    assert {block[0] for block in blocks.values()} == {0, COVERED, 2 * COVERED, 2 * COVERED + 10}
    assert all(block == list(range(block[0], block[0] + COVERED)) for block in blocks.values())
    assert covered(np.arange(COVERED), 5).tolist() == list(range(COVERED))
