"""Cells: single steps of recurrent networks."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, ClassVar

from gradstep.autograd import creation
from gradstep.autograd.ops.linear import linear
from gradstep.errors import ArgumentError, TensorError
from gradstep.nn import init
from gradstep.nn.module import Module
from gradstep.nn.parameter import Parameter
from gradstep.nn.rnn.steps import elman_step, gru_step, lstm_step

if TYPE_CHECKING:
    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor
    from gradstep.nn.rnn.steps import State, StepFunction

__all__ = ["GRUCell", "LSTMCell", "RNNCell"]


class _Cell(Module):
    """The base of recurrent cells: one step of a single-layer network."""

    gates: ClassVar[int] = 1
    weight_ih: Parameter
    weight_hh: Parameter
    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        if hidden_size <= 0:
            raise ArgumentError("hidden_size must be greater than zero", f"got {hidden_size}")
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = self.gates * hidden_size
        shapes = {
            "weight_ih": (rows, input_size),
            "weight_hh": (rows, hidden_size),
            "bias_ih": (rows,),
            "bias_hh": (rows,),
        }
        for name, shape in shapes.items():
            made = None
            if bias or name.startswith("weight"):
                made = Parameter(creation.empty(*shape, device=device, dtype=dtype))
            self.register_parameter(name, made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values for all parameters."""
        bound = 1 / sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def _next(self, step: StepFunction, input: Tensor, state: State | None, count: int) -> State:
        """Return the next state, with the shapes checked."""
        name = self._get_name()
        shape = input._array.shape
        if len(shape) not in {1, 2}:
            raise ArgumentError(
                f"{name}: Expected input to be 1D or 2D, got {len(shape)}D instead",
                "give (batch, features), or (features,)",
            )
        if shape[-1] != self.input_size:
            raise TensorError(
                f"input has inconsistent input_size: got {shape[-1]} expected {self.input_size}"
            )
        if state is None:
            zeros = creation.zeros(*shape[:-1], self.hidden_size, dtype=input.dtype)
            state = (zeros,) * count
        for place, value in enumerate(state):
            own = value._array.shape
            if len(own) not in {1, 2}:
                raise ArgumentError(
                    f"{name}: Expected hidden to be 1D or 2D, got {len(own)}D instead"
                )
            if own[-1] != self.hidden_size:
                raise TensorError(
                    f"hidden{place} has inconsistent hidden_size: got {own[-1]}, expected "
                    f"{self.hidden_size}"
                )
            if own[:-1] != shape[:-1]:
                raise TensorError(
                    f"Input batch size {list(shape[:-1])} doesn't match hidden{place} batch size "
                    f"{list(own[:-1])}"
                )
        given = linear(input, self.weight_ih, self.bias_ih)
        return step(given, state, self.weight_hh, self.bias_hh)

    def extra_repr(self) -> str:
        """Return the sizes and options."""
        text = f"{self.input_size}, {self.hidden_size}"
        return text if self.bias else f"{text}, bias=False"


class RNNCell(_Cell):
    """One step of an Elman RNN: h' = tanh(W x + b + V h + c).

    Args:
        input_size: Features of the input.
        hidden_size: Features of the hidden state.
        bias: Whether there are biases.
        nonlinearity: "tanh" or "relu".
        device: Only the CPU.
        dtype: Of the parameters; the default type if None.

    Attributes:
        weight_ih: Of shape (hidden_size, input_size).
        weight_hh: Of shape (hidden_size, hidden_size).
        bias_ih: Of shape (hidden_size,), or None.
        bias_hh: Of shape (hidden_size,), or None.

    Example:
        >>> import gradstep_torch as torch
        >>> RNNCell(3, 4)(torch.ones(2, 3)).shape
        gradstep.Size([2, 4])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Return the next hidden state; the first one is zeros if None."""
        step = elman_step(self.nonlinearity)
        return self._next(step, input, None if hx is None else (hx,), 1)[0]

    def extra_repr(self) -> str:
        """Return the sizes and options."""
        text = super().extra_repr()
        kind = self.nonlinearity
        return text if kind == "tanh" else f"{text}, nonlinearity={kind}"


class LSTMCell(_Cell):
    """One step of an LSTM; arguments as for `RNNCell`, without its nonlinearity.

    Example:
        >>> import gradstep_torch as torch
        >>> hidden, cell = LSTMCell(3, 4)(torch.ones(2, 3))
        >>> hidden.shape, cell.shape
        (gradstep.Size([2, 4]), gradstep.Size([2, 4]))
    """

    gates = 4

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return the next hidden and cell state; the first ones are zeros if None."""
        hidden, cell = self._next(lstm_step, input, hx, 2)
        return hidden, cell


class GRUCell(_Cell):
    """One step of a GRU; arguments as for `RNNCell`, without its nonlinearity."""

    gates = 3

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Return the next hidden state; the first one is zeros if None."""
        return self._next(gru_step, input, None if hx is None else (hx,), 1)[0]
