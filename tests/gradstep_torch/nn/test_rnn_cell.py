"""Cells compute single steps of recurrent networks."""

from __future__ import annotations

import numpy as np

import gradstep_torch
from gradstep_torch import nn


def test_each_direction_of_a_network_equals_a_cell():
    gradstep_torch.manual_seed(1)
    network = nn.LSTM(3, 2, bidirectional=True)
    x = gradstep_torch.randn(5, 4, 3)
    output, (hidden, cell) = network(x)
    for suffix, half, order in (
        ("", slice(0, 2), range(5)),
        ("_reverse", slice(2, 4), range(4, -1, -1)),
    ):
        one = nn.LSTMCell(3, 2)
        one.load_state_dict({
            name: getattr(network, f"{name}_l0{suffix}") for name, _ in one.named_parameters()
        })  # fmt: skip
        state = None
        for place in order:
            state = one(x[place], state)
            np.testing.assert_allclose(
                output[place, :, half].detach().numpy(), state[0].detach().numpy(), 1e-5, 1e-6
            )
        which = 1 if suffix else 0
        np.testing.assert_allclose(hidden[which].tolist(), state[0].tolist(), 1e-5, 1e-6)
        np.testing.assert_allclose(cell[which].tolist(), state[1].tolist(), 1e-5, 1e-6)
