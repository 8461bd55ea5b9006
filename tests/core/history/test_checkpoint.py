"""CheckpointStore: the budget, and what is dropped first."""

import time

import numpy as np
import pytest

from gradstep.history.checkpoint import Checkpoint, CheckpointStore, tree_bytes


def fill(store, count, nbytes=1000):
    for index in range(count):
        store.add(Checkpoint(index * 10, index * 0.02, nbytes, state=index))


def test_the_nearest_before_an_event_is_found():
    store = CheckpointStore()
    fill(store, 5)
    assert store.before(0).index == 0
    assert store.before(39).index == 30
    assert store.before(40).index == 40
    assert store.before(10_000).index == 40
    assert [item.index for item in store.since(20)] == [30, 40]


def test_the_budget_is_kept_and_the_first_and_last_stay():
    store = CheckpointStore(20_000)
    fill(store, 1000)
    assert store.nbytes <= 20_000
    assert store.nbytes == 1000 * len(store)
    assert store.indices[0] == 0
    assert store.indices[-1] == 9990


def test_checkpoints_are_dense_near_the_end_and_sparse_far_back():
    store = CheckpointStore(20_000)
    fill(store, 1000)
    gaps = np.diff(store.indices)
    assert gaps[-1] <= 20
    assert gaps[0] > 20 * gaps[-1]
    # Spaced like a geometric series: no gap is out of all proportion to its age.
    ages = 9990 - np.array(store.indices[:-1])
    assert (gaps / ages).max() <= 1.0
    assert (gaps / ages).min() > 0.02


def test_a_lower_budget_drops_checkpoints_at_once():
    store = CheckpointStore()
    fill(store, 100)
    store.budget_bytes = 5000
    assert len(store) == 5


def indices_after_dropping_one_by_one(items, budget):
    """What is left of checkpoints when each drop looks at all of them again."""
    items = list(items)
    while sum(item.nbytes for item in items) > budget and len(items) > 2:
        work = np.array([item.work_s + 1e-9 * item.index for item in items])
        gaps, ages = work[2:] - work[:-2], work[-1] - work[1:-1]
        items.pop(1 + int(np.argmin(gaps / np.maximum(ages, 1e-12))))
    return tuple(item.index for item in items)


@pytest.mark.parametrize("seed", range(8))
def test_a_lower_budget_keeps_the_checkpoints_that_dropping_one_by_one_keeps(seed):
    draw = np.random.default_rng(seed)
    index, work, store = 0, 0.0, CheckpointStore()
    for _ in range(int(draw.integers(3, 200))):
        store.add(Checkpoint(index, work, int(draw.integers(500, 2000)), state=None))
        index += int(draw.integers(1, 50))
        work += float(draw.choice([0.0, 0.01, draw.random()]))
    budget = int(store.nbytes * draw.random())
    expected = indices_after_dropping_one_by_one(store.since(-1), budget)
    store.budget_bytes = budget
    assert store.indices == expected
    assert store.nbytes == sum(item.nbytes for item in store.since(-1))


def test_40000_checkpoints_are_thinned_to_a_quarter_in_seconds():
    store = CheckpointStore(2**40, most=40_000)
    fill(store, 40_000)
    start = time.thread_time()  # other programs do not count
    store.budget_bytes = 10_000_000
    assert len(store) == 10_000
    assert time.thread_time() - start < 10  # it took two minutes once; now a quarter of a second


def test_a_full_store_of_many_checkpoints_drops_several_at_once():
    store = CheckpointStore(100_000)
    fill(store, 101)
    assert len(store) == 94
    assert store.indices[-1] == 1000


def test_their_number_is_limited_too():
    store = CheckpointStore(most=32)
    fill(store, 33)
    assert len(store) == 30
    assert (store.indices[0], store.indices[-1]) == (0, 320)
    assert store.fork(320).indices == store.indices
    for number in range(33, 500):
        store.add(Checkpoint(10 * number, number / 100, 1000, state=None))
        assert len(store) <= 32
    gaps = np.diff(store.indices)
    assert gaps[0] > 4 * gaps[-1]


def test_a_second_checkpoint_at_an_event_is_ignored():
    store = CheckpointStore()
    fill(store, 2)
    store.add(Checkpoint(10, 0.02, 1000, state="again"))
    assert store.before(10).state == 1
    assert store.nbytes == 2000


def test_a_fork_has_the_checkpoints_before_it():
    store = CheckpointStore()
    fill(store, 10)
    fork = store.fork(35)
    assert fork.indices == (0, 10, 20, 30)
    assert fork.nbytes == 4000
    assert fork.before(30).state is store.before(30).state


def test_the_size_of_a_tree_is_about_that_of_its_arrays():
    tree = {"a": [np.zeros(1000), {"b": np.zeros(10, np.float32)}], "c": "text", "d": None}
    assert 8040 < tree_bytes(tree) < 9500
