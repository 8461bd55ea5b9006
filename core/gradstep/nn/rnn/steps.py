"""Single steps of recurrent layers: from the input's part and a state to the next state."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from gradstep.autograd.ops.activations import relu, sigmoid, tanh
from gradstep.autograd.ops.linear import linear
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.autograd.tensor import Tensor

__all__ = ["NONLINEARITIES", "State", "StepFunction", "elman_step", "gru_step", "lstm_step"]

State: TypeAlias = "tuple[Tensor, ...]"
"""What is passed from step to step: the hidden state and, for an LSTM, the cell state."""

StepFunction: TypeAlias = "Callable[[Tensor, State, Tensor, Tensor | None], State]"
"""Takes the input's part, the state, and the weight and bias of the hidden state."""


def _elman(
    activation: Callable[[Tensor], Tensor],
    given: Tensor,
    state: State,
    weight: Tensor,
    bias: Tensor | None,
) -> State:
    return (activation(given + linear(state[0], weight, bias)),)


_ELMAN = {"tanh": partial(_elman, tanh), "relu": partial(_elman, relu)}


NONLINEARITIES: Final = frozenset(_ELMAN)
"""The activations that an Elman step can have."""


def elman_step(nonlinearity: str) -> StepFunction:
    """Return the step h' = tanh(x + W h + b), or with relu (Elman 1990).

    Raises:
        TensorError: The activation is neither.
    """
    if nonlinearity not in _ELMAN:
        raise TensorError(f"Unknown nonlinearity: {nonlinearity}. Select from 'tanh' or 'relu'.")
    return _ELMAN[nonlinearity]


def lstm_step(given: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
    """Return c' = f c + i g and h' = o tanh(c') (Hochreiter & Schmidhuber 1997, Gers et al. 2000).

    Args:
        given: The input's part of the gates i, f, g and o, one after the other.
        state: h and c.
        weight: From h to the gates.
        bias: Of the gates.
    """
    hidden, cell = state
    admit, keep, candidate, release = (given + linear(hidden, weight, bias)).chunk(4, -1)
    cell = sigmoid(keep) * cell + sigmoid(admit) * tanh(candidate)
    return sigmoid(release) * tanh(cell), cell


def gru_step(given: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
    """Return h' = (1 - z) n + z h with n = tanh(x + r (W h + b)) (Cho et al. 2014, 1406.1078).

    Args:
        given: The input's part of the gates r and z, and of n, one after the other.
        state: h.
        weight: From h to these.
        bias: Of these.
    """
    (hidden,) = state
    from_input = given.chunk(3, -1)
    from_hidden = linear(hidden, weight, bias).chunk(3, -1)
    reset = sigmoid(from_input[0] + from_hidden[0])
    update = sigmoid(from_input[1] + from_hidden[1])
    candidate = tanh(from_input[2] + reset * from_hidden[2])
    return ((hidden - candidate) * update + candidate,)
