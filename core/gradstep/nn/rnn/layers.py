"""RNN, LSTM and GRU: layers over whole sequences, in one or both directions."""

from __future__ import annotations

import warnings
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from gradstep.autograd import creation
from gradstep.autograd.ops.join import cat, split, stack, unbind
from gradstep.autograd.ops.linear import linear
from gradstep.errors import ArgumentError, ArgumentTypeError, TensorError
from gradstep.nn import functional, init
from gradstep.nn.module import Module
from gradstep.nn.parameter import Parameter
from gradstep.nn.rnn.steps import NONLINEARITIES, elman_step, gru_step, lstm_step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor
    from gradstep.nn.rnn.steps import State, StepFunction

__all__ = ["GRU", "LSTM", "RNN", "PackedSequence"]


class PackedSequence(NamedTuple):
    """Sequences of several lengths without padding, step by step, as recurrent layers take them.

    Args:
        data: The rows of the first step, those of the second, ... of shape (rows, ...).
        batch_sizes: How many rows each step has, int64; the longest sequences come first.
        sorted_indices: Which sequence each row of the first step is of; None for their own order.
        unsorted_indices: Which row each sequence has.
    """

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None = None
    unsorted_indices: Tensor | None = None


class _Recurrent(Module):
    """Layers of a recurrent network, each in one direction or both."""

    gates: ClassVar[int] = 1
    states: ClassVar[int] = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        _check(hidden_size, num_layers, dropout)
        if proj_size:
            self._check_projection(proj_size, hidden_size)
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        for layer in range(num_layers):
            width = self._width * self._directions if layer else input_size
            for suffix in self._suffixes(layer):
                rows = self.gates * hidden_size
                shapes: dict[str, tuple[int, ...]] = {
                    "weight_ih": (rows, width),
                    "weight_hh": (rows, self._width),
                }
                if bias:
                    shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                for name, shape in shapes.items():
                    made = creation.empty(*shape, device=device, dtype=dtype)
                    self.register_parameter(name + suffix, Parameter(made))
        self.reset_parameters()

    def _check_projection(self, proj_size: int, hidden_size: int) -> None:  # noqa: ARG002 - for LSTM
        raise ArgumentError("proj_size argument is only supported for LSTM, not RNN or GRU")

    @property
    def _width(self) -> int:
        """Return how many features the hidden state has, projected or not."""
        return self.proj_size or self.hidden_size

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    def _suffixes(self, layer: int) -> list[str]:
        return [f"_l{layer}", f"_l{layer}_reverse"][: self._directions]

    def reset_parameters(self) -> None:
        """Draw new values for all parameters."""
        bound = 1 / sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def flatten_parameters(self) -> None:
        """Do nothing: torch rearranges GPU memory here."""

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction."""
        names = ["weight_ih", "weight_hh", *(["bias_ih", "bias_hh"] if self.bias else [])]
        names += ["weight_hr"] if self.proj_size else []
        return [
            [getattr(self, name + suffix) for name in names]
            for layer in range(self.num_layers)
            for suffix in self._suffixes(layer)
        ]

    def _step(self) -> StepFunction:
        """Return the function that makes one step."""
        raise NotImplementedError  # pragma: no cover - every kind has its step

    def forward(self, input: Tensor | PackedSequence, hx: Any = None) -> tuple[Any, Any]:
        """Return the last layer's hidden state at each step, and each layer's last state.

        Args:
            input: Of shape (length, batch, input_size); (batch, length, input_size) with
                `batch_first`; (length, input_size) for one sequence; or a PackedSequence.
            hx: The initial state, of shape (layers x directions, batch, hidden_size), without the
                batch for one sequence; for an LSTM two of them. Zeros if None.

        Returns:
            The output, shaped as the input with directions x hidden_size features; and the state,
            shaped as `hx`. Of a PackedSequence, the output is one too.
        """
        if isinstance(input, PackedSequence):
            return self._packed(input, hx)
        rank = input._array.ndim
        if rank not in {2, 3}:
            raise ArgumentError(
                f"{self._get_name()}: Expected input to be 2D or 3D, got {rank}D instead",
                "give (length, batch, features), or (length, features)",
            )
        self._check_features(input)
        whole = rank == 3  # noqa: PLR2004 - with a batch
        batch = input._array.shape[0 if self.batch_first else 1] if whole else 1
        states = self._first(input, batch, hx, whole)
        if not whole:
            input = input.unsqueeze(1)
        elif self.batch_first:
            input = input.transpose(0, 1)
        output, last = self._layers(input, states)
        if not whole:
            output = output.squeeze(1)
            last = tuple(state.squeeze(1) for state in last)
        elif self.batch_first:
            output = output.transpose(0, 1)
        return output, last if self.states > 1 else last[0]

    def _packed(self, input: PackedSequence, hx: Any) -> tuple[PackedSequence, Any]:
        """Run over sequences of several lengths; states are in the order before sorting."""
        self._check_features(input.data)
        sizes = input.batch_sizes.tolist()
        states = self._first(input.data, sizes[0], hx, whole=True)
        if hx is not None and input.sorted_indices is not None:
            states = tuple(state.index_select(1, input.sorted_indices) for state in states)
        output, last = self._layers(input.data, states, sizes)
        if input.unsorted_indices is not None:
            last = tuple(state.index_select(1, input.unsorted_indices) for state in last)
        return input._replace(data=output), last if self.states > 1 else last[0]

    def _check_features(self, input: Tensor) -> None:
        if input._array.shape[-1] != self.input_size:
            raise TensorError(
                "input.size(-1) must be equal to input_size. Expected "
                f"{self.input_size}, got {input._array.shape[-1]}"
            )

    def _first(self, input: Tensor, batch: int, hx: Any, whole: bool) -> State:
        """Return the initial states, with their shapes checked."""
        count = self.num_layers * self._directions
        shapes = [(count, batch, size) for size in (self._width, self.hidden_size)][: self.states]
        if hx is None:
            return tuple(creation.zeros(*shape, dtype=input.dtype) for shape in shapes)
        if self.states > 1 and not isinstance(hx, tuple | list):
            raise ArgumentTypeError(
                f"an LSTM continues from a tuple of two states, (h_0, c_0), got {type(hx).__name__}"
            )
        given: Sequence[Tensor] = (hx,) if self.states == 1 else hx
        if not whole:
            for state in given:
                if state._array.ndim != 2:  # noqa: PLR2004 - without a batch
                    raise TensorError(
                        "For unbatched 2-D input, hx should also be 2-D but got "
                        f"{state._array.ndim}-D tensor"
                    )
            given = [state.unsqueeze(1) for state in given]
        for place, (state, wanted) in enumerate(zip(given, shapes, strict=False)):
            if state._array.ndim != 3:  # noqa: PLR2004 - with a batch
                raise TensorError(
                    "For batched 3-D input, hx should also be 3-D but got "
                    f"{state._array.ndim}-D tensor"
                )
            if state._array.shape != wanted:
                name = "hidden" if self.states == 1 else f"hidden[{place}]"
                raise TensorError(
                    f"Expected {name} size {wanted}, got {list(state._array.shape)}",
                    "the sizes are (layers x directions, batch, hidden_size)",
                )
        return tuple(given)

    def _layers(
        self, input: Tensor, states: State, sizes: list[int] | None = None
    ) -> tuple[Tensor, State]:
        step = self._step()
        first = list(zip(*(state.unbind(0) for state in states), strict=True))
        last: list[State] = []
        for layer in range(self.num_layers):
            outputs = []
            for direction in range(self._directions):
                number = layer * self._directions + direction
                weights = self.all_weights[number]
                projection = weights.pop() if self.proj_size else None
                output, state = _one_way(
                    _projected(step, projection),
                    input,
                    first[number],
                    weights,
                    direction == 1,
                    sizes,
                )
                outputs.append(output)
                last.append(state)
            input = outputs[0] if len(outputs) == 1 else cat(outputs, -1)
            if self.dropout and layer < self.num_layers - 1:
                input = functional.dropout(input, self.dropout, self.training)
        return input, tuple(stack(states) for states in zip(*last, strict=True))

    def extra_repr(self) -> str:
        """Return the sizes and options."""
        text = f"{self.input_size}, {self.hidden_size}"
        for name, usual in _USUAL.items():
            value = getattr(self, name)
            if value != usual:
                text += f", {name}={value}"
        return text


_USUAL = {
    "proj_size": 0,
    "num_layers": 1,
    "bias": True,
    "batch_first": False,
    "dropout": 0,
    "bidirectional": False,
}


class RNN(_Recurrent):
    r"""A network whose hidden state follows a sequence: h' = tanh(W x + b + V h + c).

    All parameters are drawn from :math:`U(-1/\sqrt{n}, 1/\sqrt{n})` with n the hidden size.

    Args:
        input_size: Features of the input at each step.
        hidden_size: Features of the hidden state.
        num_layers: Layers, each over the hidden states of the one before.
        nonlinearity: "tanh" or "relu".
        bias: Whether there are biases.
        batch_first: Whether the batch comes before the length in input and output.
        dropout: The probability that an element between layers is zeroed in training.
        bidirectional: Whether each layer runs in both directions.
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


class LSTM(_Recurrent):
    """A network with a hidden and a cell state, and gates between them; arguments as for `RNN`.

    With `proj_size` the hidden state has that many features, by a product with weight_hr_l0.

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


class GRU(_Recurrent):
    """A network whose gates decide how much of the hidden state is kept; arguments as for `RNN`.

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


def _check(hidden_size: int, num_layers: int, dropout: float) -> None:
    """Raise for invalid sizes and options."""
    for name, size in (("hidden_size", hidden_size), ("num_layers", num_layers)):
        if not isinstance(size, int):
            raise ArgumentTypeError(f"{name} should be of type int, got: {type(size).__name__}")
        if size <= 0:
            raise ArgumentError(f"{name} must be greater than zero", f"got {size}")
    if isinstance(dropout, (bool, str)) or not 0 <= dropout <= 1:
        raise ArgumentError(
            "dropout should be a number in range [0, 1] representing the probability of an "
            "element being zeroed",
            f"got {dropout}",
        )
    if dropout > 0 and num_layers == 1:
        warnings.warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero "
            f"dropout expects num_layers greater than 1, but got dropout={dropout} and "
            f"num_layers={num_layers}",
            stacklevel=4,
        )


def _projected(step: StepFunction, projection: Tensor | None) -> StepFunction:
    """Return a step whose hidden state is projected afterwards."""
    if projection is None:
        return step

    def projected(given: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
        hidden, *others = step(given, state, weight, bias)
        return (linear(hidden, projection), *others)

    return projected


def _one_way(
    step: StepFunction,
    input: Tensor,
    state: State,
    weights: Sequence[Tensor],
    backwards: bool,
    sizes: list[int] | None,
) -> tuple[Tensor, State]:
    """Return the hidden state at each step of one layer in one direction, and the last state.

    With `sizes`, the rows of all steps lie one after the other: those of the sequences that are
    that long, of which the longest come first.
    """
    weight, recurrent = weights[:2]
    bias, recurrent_bias = weights[2:] if len(weights) > 2 else (None, None)  # noqa: PLR2004 - with biases
    given = linear(input, weight, bias)
    parts = unbind(given) if sizes is None else split(given, sizes)
    hidden = []
    waiting: list[State] = []  # rows whose sequence has ended; backwards, has not begun
    if sizes is not None and backwards:
        starts = [0, *sorted(set(sizes))]
        waiting = [tuple(rows[start:stop] for rows in state) for start, stop in pairwise(starts)]
        state = waiting.pop(0)
    for part in reversed(parts) if backwards else parts:
        rows = len(part)
        if rows < len(state[0]):
            waiting.append(tuple(kept[rows:] for kept in state))
            state = tuple(kept[:rows] for kept in state)
        elif rows > len(state[0]):
            state = _joined([state, waiting.pop(0)])
        state = step(part, state, recurrent, recurrent_bias)
        hidden.append(state[0])
    if backwards:
        hidden.reverse()
    if sizes is None:
        return stack(hidden), state
    return cat(hidden), _joined([state, *reversed(waiting)])


def _joined(states: list[State]) -> State:
    return tuple(cat(parts) for parts in zip(*states, strict=True))
