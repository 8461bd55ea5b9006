"""Data sets, samplers and the loader: order, batches, and torch's own order for a seed."""

import functools
import operator

import pytest

import gradstep_torch
from gradstep.errors import ArgumentError, ArgumentTypeError, TensorIndexError
from gradstep_torch.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
    random_split,
)


def rows(loader):
    return [batch.tolist() for (batch,) in loader]


def test_batches_come_in_order_and_the_last_may_be_smaller():
    loader = DataLoader(TensorDataset(gradstep_torch.arange(5)), batch_size=2)
    assert rows(loader) == [[0, 1], [2, 3], [4]]
    assert len(loader) == 3


def test_drop_last_skips_the_smaller_batch():
    loader = DataLoader(TensorDataset(gradstep_torch.arange(5)), batch_size=2, drop_last=True)
    assert rows(loader) == [[0, 1], [2, 3]]
    assert len(loader) == 2


def test_shuffling_draws_a_new_order_for_each_pass_and_keeps_all_samples():
    gradstep_torch.manual_seed(0)
    loader = DataLoader(TensorDataset(gradstep_torch.arange(20)), batch_size=7, shuffle=True)
    first, second = (functools.reduce(operator.iadd, rows(loader), []) for _ in range(2))
    assert first != second
    assert sorted(first) == sorted(second) == list(range(20))


def test_a_list_is_collated_sample_by_sample():
    data = [(gradstep_torch.ones(2) * i, i, {"x": float(i)}) for i in range(3)]
    (batch,) = DataLoader(data, batch_size=3)
    assert batch[0].tolist() == [[0, 0], [1, 1], [2, 2]]
    assert batch[1].tolist() == [0, 1, 2]
    assert batch[2]["x"].dtype == gradstep_torch.float64


def test_without_batch_size_samples_are_not_collated():
    assert list(DataLoader([3, 1, 2], batch_size=None)) == [3, 1, 2]


def test_mismatched_samples_and_options_are_rejected():
    with pytest.raises(ArgumentError, match="equal size"):
        default_collate([(1,), (1, 2)])
    with pytest.raises(ArgumentError, match="mutually exclusive with shuffle"):
        DataLoader([1], shuffle=True, sampler=[0])
    with pytest.raises(ArgumentError, match="Size mismatch between tensors"):
        TensorDataset(gradstep_torch.ones(2), gradstep_torch.ones(3))


def test_parts_of_a_split_do_not_overlap():
    first, second = random_split(range(10), [7, 3])
    assert sorted([*first, *second]) == list(range(10))
    with pytest.raises(ArgumentError, match="Sum of input lengths does not equal"):
        random_split(range(10), [7, 4])


def test_data_sets_are_concatenated_and_subset():
    joined = ConcatDataset([[0, 1], [2, 3, 4]])
    assert [joined[i] for i in range(5)] == [0, 1, 2, 3, 4]
    assert joined[-1] == 4
    assert list(Subset(joined, [4, 0])) == [4, 0]


def sequence(library):
    library.manual_seed(3)
    data = library.utils.data
    generator = library.Generator()
    generator.manual_seed(5)
    numbers = data.TensorDataset(library.arange(10))
    return [
        *(rows(data.DataLoader(numbers, batch_size=3, shuffle=True)) for _ in range(2)),
        *(
            rows(data.DataLoader(numbers, batch_size=4, shuffle=True, generator=generator))
            for _ in range(2)
        ),
        [part.indices for part in data.random_split(range(11), [0.5, 0.3, 0.2])],
        list(data.RandomSampler(range(9), replacement=True, num_samples=50)),
        list(data.RandomSampler(range(4), num_samples=10)),
        list(data.SubsetRandomSampler([3, 1, 7])),
        library.rand(2).tolist(),
    ]


def test_orders_for_a_seed_are_those_recorded_from_torch():
    assert sequence(gradstep_torch)[0] == [[6, 2, 0], [1, 8, 3], [5, 4, 7], [9]]


@pytest.mark.torch
def test_orders_for_a_seed_match_torch():
    torch = pytest.importorskip("torch")
    assert sequence(gradstep_torch) == sequence(torch)


def test_samplers_know_their_length():
    assert len(BatchSampler(SequentialSampler(range(5)), 2, drop_last=False)) == 3
    assert len(RandomSampler(range(5), num_samples=8)) == 8
    assert sorted(SubsetRandomSampler([4, 2])) == [2, 4]
    with pytest.raises(ArgumentError, match="num_samples should be a positive integer"):
        RandomSampler(range(5), num_samples=0)


@pytest.mark.torch
def test_weighted_indices_for_a_seed_match_torch():
    torch = pytest.importorskip("torch")
    weights = [0.1, 0.0, 2.0, 0.7, 0.0, 1.2]
    found = []
    for library in (gradstep_torch, torch):
        library.manual_seed(4)
        found.append(list(library.utils.data.WeightedRandomSampler(weights, 200)))
    assert found[0] == found[1]


def test_index_frequencies_match_the_weights():
    gradstep_torch.manual_seed(0)
    drawn = list(WeightedRandomSampler([1.0, 0.0, 3.0], 400))
    assert len(drawn) == 400
    assert 1 not in drawn
    assert 260 < drawn.count(2) < 340
    once = list(WeightedRandomSampler([1.0, 2.0, 3.0], 3, replacement=False))
    assert sorted(once) == [0, 1, 2]


def test_a_weighted_sampler_rejects_invalid_weights():
    with pytest.raises(ArgumentError, match="num_samples should be a positive integer"):
        WeightedRandomSampler([1.0], 0)
    with pytest.raises(ArgumentError, match="weights should be a 1d sequence"):
        WeightedRandomSampler([[1.0]], 1)
    with pytest.raises(ArgumentError, match="replacement should be a boolean"):
        WeightedRandomSampler([1.0], 1, replacement=1)


@pytest.mark.torch
def test_numbers_drawn_between_iter_and_the_first_batch_match_torch():
    torch = pytest.importorskip("torch")
    found = []
    for t, make in ((gradstep_torch, DataLoader), (torch, torch.utils.data.DataLoader)):
        t.manual_seed(0)
        batches = iter(make(range(4), shuffle=True))
        drawn = t.rand(1).item()
        found.append((drawn, [batch.item() for batch in batches]))
    assert found[0] == found[1]


def test_a_batch_sampler_excludes_other_batch_options():
    data, batches = (
        TensorDataset(gradstep_torch.arange(4)),
        BatchSampler(range(4), 3, drop_last=False),
    )
    loader = DataLoader(data, batch_sampler=batches)
    assert (loader.batch_size, rows(loader)) == (None, [[0, 1, 2], [3]])
    with pytest.raises(ArgumentError, match="mutually exclusive with batch_size"):
        DataLoader(data, batch_sampler=batches, sampler=[])


def test_a_tensor_data_set_requires_tensors_with_rows():
    with pytest.raises(ArgumentTypeError, match="takes tensors, not list"):
        TensorDataset([1, 2])
    with pytest.raises(TensorIndexError, match="not a 0-d one"):
        TensorDataset(gradstep_torch.tensor(1.0))


class Numbers(IterableDataset):
    def __iter__(self):
        return iter(range(5))


def test_an_iterable_data_set_is_batched():
    loader = DataLoader(Numbers(), batch_size=2, drop_last=True)
    assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3]]
    assert list(DataLoader(Numbers(), batch_size=None)) == [0, 1, 2, 3, 4]
    doubled = DataLoader(Numbers(), batch_size=5, collate_fn=lambda batch: sum(batch) * 2)
    assert list(doubled) == [20]


def test_shuffling_an_iterable_data_set_is_rejected():
    with pytest.raises(ArgumentError, match="expected unspecified shuffle option"):
        DataLoader(Numbers(), shuffle=True)
