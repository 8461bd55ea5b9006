"""Recurrent networks over whole sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.errors import ArgumentError
from gradstep.nn.recurrence import NONLINEARITIES, elman_step, gru_step, lstm_step
from gradstep.nn.recurrent import Recurrent

if TYPE_CHECKING:
    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.nn.recurrence import StepFunction

__all__ = ["GRU", "LSTM", "RNN"]


class RNN(Recurrent):
    r"""A network whose hidden state follows a sequence: h' = tanh(W x + b + V h + c).

    All parameters are drawn from :math:`U(-1/\sqrt{n}, 1/\sqrt{n})` with n the hidden size.

    Args:
        input_size: Features of the input at each step.
        hidden_size: Features of the hidden state.
        num_layers: Layers, each over the hidden states of the one before.
        nonlinearity: "tanh" or "relu".
        bias: Whether there are biases.
        batch_first: Whether the batch comes before the length in input and output.
        dropout: Probability of an element between layers to be zeroed in training.
        bidirectional: Whether each layer goes both ways.
        device: Only the CPU.
        dtype: Of the parameters; the default type if None.

    Attributes:
        weight_ih_l0: Of shape (hidden_size, input_size); likewise for further layers.
        weight_hh_l0: Of shape (hidden_size, hidden_size).
        bias_ih_l0: Of shape (hidden_size,).
        bias_hh_l0: Of shape (hidden_size,).

    Example:
        >>> import gradstep
        >>> output, last = RNN(3, 4, num_layers=2)(gradstep.ones(5, 2, 3))
        >>> output.shape, last.shape
        (gradstep.Size([5, 2, 4]), gradstep.Size([2, 2, 4]))

    References:
        Elman, Finding structure in time, Cognitive Science 14, 1990.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        if nonlinearity not in NONLINEARITIES:
            raise ArgumentError(
                f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'."
            )
        super().__init__(
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            device=device,
            dtype=dtype,
        )
        self.nonlinearity = nonlinearity

    def _step(self) -> StepFunction:
        return elman_step(self.nonlinearity)


class LSTM(Recurrent):
    """A network with a hidden and a cell state, and gates between them; arguments as for `RNN`.

    With `proj_size` the hidden state has so many features only, by a product with weight_hr_l0.

    Example:
        >>> import gradstep
        >>> output, (hidden, cell) = LSTM(3, 4, batch_first=True)(gradstep.ones(2, 5, 3))
        >>> output.shape, cell.shape
        (gradstep.Size([2, 5, 4]), gradstep.Size([1, 2, 4]))

    References:
        Hochreiter & Schmidhuber, Long short-term memory, Neural Computation 9, 1997.
    """

    gates = 4
    states = 2

    def _check_projection(self, proj_size: int, hidden_size: int) -> None:
        if proj_size < 0:
            raise ArgumentError(
                "proj_size should be a positive integer or zero to disable projections, "
                f"got {proj_size}"
            )
        if proj_size >= hidden_size:
            raise ArgumentError(
                f"proj_size has to be smaller than hidden_size, got {proj_size} and {hidden_size}"
            )

    def _step(self) -> StepFunction:
        return lstm_step


class GRU(Recurrent):
    """A network whose gates decide what of the hidden state is kept; arguments as for `RNN`.

    Example:
        >>> import gradstep
        >>> output, last = GRU(3, 4, bidirectional=True)(gradstep.ones(5, 3))
        >>> output.shape, last.shape
        (gradstep.Size([5, 8]), gradstep.Size([2, 4]))

    References:
        Cho et al., Learning phrase representations using RNN encoder-decoder, EMNLP 2014
        (arXiv 1406.1078).
    """

    gates = 3

    def _step(self) -> StepFunction:
        return gru_step
