"""Sequences of several lengths: padded, packed, and through recurrent networks."""

import numpy as np
import pytest

import gradstep_torch
from gradstep.errors import TensorError
from gradstep_torch import nn
from gradstep_torch.nn.utils.rnn import (
    pack_padded_sequence,
    pack_sequence,
    pad_packed_sequence,
    pad_sequence,
    unpad_sequence,
)

LENGTHS = [2, 5, 1, 5]


def sequences():
    return [gradstep_torch.arange(float(2 * n)).view(n, 2) + n for n in LENGTHS]


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("total", [None, 7])
def test_packing_and_padding_are_inverses(batch_first, total):
    padded = pad_sequence(sequences(), batch_first, padding_value=-1.0)
    packed = pack_padded_sequence(padded, LENGTHS, batch_first, enforce_sorted=False)
    assert packed.data.shape == (sum(LENGTHS), 2)
    found, lengths = pad_packed_sequence(packed, batch_first, -1.0, total)
    assert lengths.tolist() == LENGTHS
    parts = unpad_sequence(found, lengths, batch_first)
    assert [part.tolist() for part in parts] == [part.tolist() for part in sequences()]
    assert found.shape[1 if batch_first else 0] == (total or 5)


def test_padding_goes_to_the_requested_side():
    rows = [gradstep_torch.ones(1), gradstep_torch.ones(2)]
    assert pad_sequence(rows, True, padding_side="left").tolist() == [[0.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize("kind", [nn.RNN, nn.GRU, nn.LSTM])
def test_a_packed_sequence_gives_the_same_result_as_on_its_own(kind):
    gradstep_torch.manual_seed(0)
    net = kind(2, 3, num_layers=2, bidirectional=True)
    packed, last = net(pack_sequence(sequences(), enforce_sorted=False))
    output, _ = pad_packed_sequence(packed)
    last = last if isinstance(last, tuple) else (last,)
    for row, sequence in enumerate(sequences()):
        alone, ends = net(sequence)
        np.testing.assert_allclose(
            output[: len(sequence), row].detach().numpy(), alone.detach().numpy(), 1e-5, 1e-6
        )
        for state, end in zip(last, ends if isinstance(ends, tuple) else (ends,), strict=True):
            np.testing.assert_allclose(
                state[:, row].detach().numpy(), end.detach().numpy(), 1e-5, 1e-6
            )


@pytest.mark.torch
@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_values_states_and_gradients_of_packed_sequences_match_torch(kind):
    torch = pytest.importorskip("torch")

    def results(t):
        from importlib import import_module

        rnn = import_module(f"{t.__name__}.nn.utils.rnn")
        t.manual_seed(1)
        net = getattr(t.nn, kind)(2, 3, num_layers=2, bidirectional=True, batch_first=True)
        first = t.rand(4, 4, 3)
        given = (first, first * 2) if kind == "LSTM" else first
        padded = t.rand(4, 5, 2, requires_grad=True)
        packed = rnn.pack_padded_sequence(
            padded, t.tensor(LENGTHS), batch_first=True, enforce_sorted=False
        )
        output, last = net(packed, given)
        whole, _ = rnn.pad_packed_sequence(output, batch_first=True)
        states = last if isinstance(last, tuple) else (last,)
        ((whole**2).sum() + sum(state.sum() for state in states)).backward()
        found = [whole, *states, padded.grad, *(p.grad for p in net.parameters())]
        return [x.detach().numpy() for x in found], packed.batch_sizes.tolist()

    (found, sizes), (expected, theirs) = results(gradstep_torch), results(torch)
    assert sizes == theirs
    for ours, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, other, 1e-4, 1e-5)


@pytest.mark.parametrize(
    ("lengths", "phrase"),
    [
        ([2, 5, 1], "Expected `len\\(lengths\\)` to be equal to batch_size"),
        ([2, 5, 0, 5], "has to be greater than 0"),
        ([2, 6, 1, 5], "at most 5"),
        ([2, 5, 1, 5], "must be sorted in decreasing order.*enforce_sorted=False"),
    ],
)
def test_invalid_lengths_are_reported(lengths, phrase):
    with pytest.raises(TensorError, match=phrase):
        pack_padded_sequence(pad_sequence(sequences()), lengths)


def test_a_network_rejects_a_pack_with_the_wrong_feature_size():
    with pytest.raises(RuntimeError, match=r"input.size\(-1\) must be equal to input_size"):
        nn.GRU(3, 2)(pack_sequence(sequences(), enforce_sorted=False))


@pytest.mark.torch
def test_a_projected_lstm_over_packed_sequences_matches_torch():
    torch = pytest.importorskip("torch")
    found = []
    for library in (gradstep_torch, torch):
        library.manual_seed(3)
        layer = library.nn.LSTM(2, 4, num_layers=2, proj_size=3, bidirectional=True)
        x = library.linspace(-1, 1, 24).reshape(4, 3, 2)
        packed = library.nn.utils.rnn.pack_padded_sequence(x, library.tensor([4, 3, 1]))
        output, (hidden, cell) = layer(packed)
        (output.data.sum() + hidden.sum() * 2 + cell.sum()).backward()
        parts = [output.data, hidden, cell, *(p.grad for p in layer.parameters())]
        found.append([part.detach().numpy() for part in parts])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, 1e-4, 1e-6)
