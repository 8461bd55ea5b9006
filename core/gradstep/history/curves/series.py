"""Series: one row of numbers per iteration, in columns that plots draw.

A row closes at the end of an iteration; row 0 is the state before any Event. The columns are

    event                           index of the Event that closed the row
    loss/<loss>                     its last value in the iteration
    norm/<tensor>                   norm of the data
    update/<tensor>                 norm of its change in the iteration, see below
    norm/<tensor>.grad              norm of the gradient as the last Backward left it
    element/<tensor>[i,j]           one element of the data
    element/<tensor>.grad[i,j]      one element of the gradient
    output/<layer>                  norm of a chosen layer's output in its last Forward

Missing values are NaN: a `.grad` that is None, a loss or a layer that was not computed. The updates
of tensors of 65 536 elements and more are measured in the first 32 rows and in every eighth row
after those; in between they are NaN. Rows are buffered and measured many at a time (`buffered.py`);
reads measure buffered rows first.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.errors import GradStepError
from gradstep.history.curves.buffered import BufferedRows
from gradstep.history.curves.column_names import ends, index_text, places, small_elements
from gradstep.history.curves.columns import Columns
from gradstep.history.curves.probe import norm
from gradstep.history.live_values import array_of, grad_of, gradient_of
from gradstep.spill import SpillFile

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence, Set

    from numpy.typing import NDArray

    from gradstep.history.source import Source

    _Vector = NDArray[np.float64]

__all__ = ["Series"]

_OUTPUT = "output/"


class Series:
    """The columns of one branch.

    Args:
        source: The program, before any Event.
        prime: False to omit row 0, for a Series that will be loaded from a file.

    Attributes:
        tensors: Names of the tensors that have columns.
        losses: Names of the losses.
        weights: Names of the tensors with two dimensions or more.
        ends: The first and the last weight of every model with several layers.
        layers: Names of the layers whose outputs can be chosen.
        outputs: The layers whose outputs have a column.

    Example:
        >>> from types import SimpleNamespace
        >>> import numpy as np
        >>> x = SimpleNamespace(_array=np.array([3.0, 4.0]), _grad=None)
        >>> source = SimpleNamespace(
        ...     tensors={"x": x}, losses={"loss": None}, output_losses=dict, iteration=0,
        ...     unrecorded=frozenset(),
        ... )
        >>> series = Series(source)
        >>> series.names
        ('event', 'loss/loss', 'norm/x', 'update/x', 'norm/x.grad', 'element/x[0]', ...
        >>> iterations, norms = series.column("norm/x")
        >>> iterations.tolist(), norms.tolist()
        ([0.0], [5.0])
    """

    def __init__(self, source: Source, *, prime: bool = True) -> None:
        arrays = {
            name: array
            for name, tensor in source.tensors.items()
            if (array := array_of(tensor)).dtype.kind == "f"
        }
        shapes = {name: array.shape for name, array in arrays.items()}
        self.tensors = tuple(shapes)
        self.losses = tuple(source.losses)
        self.weights = tuple(name for name, shape in shapes.items() if len(shape) > 1)
        self.ends = ends(self.weights)
        self._shapes = shapes
        self._losses = {name: at for at, name in enumerate(self.losses)}
        picked = small_elements([array.size for array in arrays.values()])
        self.outputs: tuple[str, ...] = ()
        self._output_losses = source.output_losses()
        self.layers = tuple(self._output_losses)
        self._sampled: dict[str, float] = {}
        self._chosen: list[tuple[str, int] | str] = []
        self._places = places(self.losses, shapes, picked)
        self._buffered = BufferedRows(list(arrays.values()), picked, len(self.losses))
        wide = any(array.dtype == np.float64 for array in arrays.values())
        self._file = SpillFile()
        self._values = Columns(len(self._places), np.float64 if wide else np.float32, self._file)
        self._moments = Columns(2, np.int64, self._file)
        self._unknown: list[tuple[int, frozenset[str], dict[str, float]]] = []  # by buffered row
        self._unknown_now: frozenset[str] = frozenset()
        self._unknown_before: frozenset[str] = frozenset()
        self._named: Mapping[str, Any] = {}
        self._live: list[Any] = []
        if prime:
            self.rebase(source)
            self.close(source, 0)

    def __len__(self) -> int:
        return len(self._moments) + len(self._buffered)

    @property
    def names(self) -> tuple[str, ...]:
        """Every column, "event" first."""
        return ("event", *self._places)

    @property
    def in_progress(self) -> Mapping[str, float]:
        """The columns of outputs that the current row has values of, and these values."""
        return {f"{_OUTPUT}{layer}": value for layer, value in self._sampled.items()}

    @property
    def nbytes(self) -> int:
        """Memory held by the rows, in bytes."""
        return self._values.nbytes + self._moments.nbytes

    @property
    def storage_problem(self) -> str:
        """Why old rows of a long run cannot leave memory; empty if they can."""
        return self._file.problem

    def column(self, name: str, since: int = 0) -> tuple[_Vector, _Vector]:
        """Return copies of a column's rows from row `since` on.

        Args:
            name: One of `names`.
            since: The number of rows to skip.

        Returns:
            How many iterations were complete when each row closed, and the values.

        Raises:
            GradStepError: There is no such column.
        """
        self._measure()
        stop = len(self._moments)
        iterations = self._moments.column(1, since, stop).astype(np.float64)
        if name == "event":
            return iterations, self._moments.column(0, since, stop).astype(np.float64)
        place = self._places.get(name)
        if place is None:
            raise GradStepError(
                f"there is no column {name!r}",
                "Series.names lists them; Series.choose and Series.choose_output add some",
            )
        return iterations, self._values.column(place, since, stop).astype(np.float64, copy=False)

    def place(self, name: str) -> int:
        """Return the position of a column, other than "event", in the rows of `tail`."""
        return self._places[name]

    def size(self, tensor: str) -> int:
        """Return how many elements a tensor has."""
        return math.prod(self._shapes[tensor])

    def tail(self, rows: int) -> NDArray[np.floating]:
        """Return a copy of the last rows, or of all when there are fewer."""
        self._measure()
        return self._values.rows(max(0, len(self) - rows))

    def choose(self, tensor: str, index: tuple[int, ...]) -> str:
        """Add columns for one element and its gradient, from the next row on.

        Args:
            tensor: The tensor's name.
            index: The element's index, one number a dimension.

        Returns:
            The name of the element's column; it is NaN in earlier rows.

        Raises:
            GradStepError: There is no such tensor or element.
        """
        shape = self._shapes.get(tensor)
        if shape is None:
            raise GradStepError(
                f"there is no floating point tensor {tensor!r}", f"choose one of {self.tensors}"
            )
        if len(index) != len(shape) or not all(
            0 <= at < size for at, size in zip(index, shape, strict=True)
        ):
            raise GradStepError(f"{tensor} has no element {list(index)}", f"its shape is {shape}")
        names = [f"element/{tensor}{suffix}{index_text(index)}" for suffix in ("", ".grad")]
        if names[0] not in self._places:
            self._measure()
            element = int(np.ravel_multi_index(index, shape)) if shape else 0
            self._chosen.append((tensor, element))
            for name in names:
                self._places[name] = len(self._places)
            self._values.widen(len(self._places))
        return names[0]

    def choose_output(self, layer: str) -> str:
        """Add a column for the norm of a layer's output, from the next Forward on.

        Args:
            layer: The full name of a module or layer.

        Returns:
            The name of the column; it is NaN in earlier rows.

        Raises:
            GradStepError: No loss runs such a layer.
        """
        if layer not in self._output_losses:
            raise GradStepError(
                f"no loss runs a layer {layer!r}",
                f"choose one of {self.layers}"
                if self.layers
                else "choose a tensor: this program has no layers",
            )
        name = f"{_OUTPUT}{layer}"
        if name not in self._places:
            self._measure()
            self._chosen.append(layer)
            self.outputs = (*self.outputs, layer)
            self._places[name] = len(self._places)
            self._values.widen(len(self._places))
        return name

    def rebase(self, source: Source) -> None:
        """Measure the next row's updates from the current values, and empty the buffer."""
        self._measure()
        self._sampled = {}
        self._unknown_now = frozenset()
        self._unknown_before = frozenset(source.unrecorded)
        self._buffered.reset(list(map(array_of, self._tensors(source))), len(self))

    def sample_loss(self, loss: str, value: float) -> None:
        """Set the value of a loss in the current row."""
        self._buffered.sample_loss(self._losses[loss], value)

    def sample_outputs(self, losses: Collection[str], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Set the outputs of the chosen layers in the current row.

        Args:
            losses: The losses that an Operation has computed.
            arrays: The outputs of the layers that it ran.
        """
        for layer in self.outputs:
            if layer in arrays and not self._output_losses[layer].isdisjoint(losses):
                self._sampled[layer] = norm(arrays[layer].astype(np.float64))

    def sample_gradients(self, source: Source) -> bool:
        """Set the gradients of the current row.

        They are sampled right after a Backward, not at the end of the iteration, because a loop may
        end with Zero Grad.

        Returns:
            Whether all are finite.
        """
        if source.unrecorded:
            self._unknown_now |= {name for name in source.unrecorded if name.endswith(".grad")}
        gradients = list(map(grad_of, self._tensors(source)))
        try:
            return self._buffered.sample_gradients(list(map(array_of, gradients)))
        except AttributeError:  # some are None; checking each first would cost more
            return self._buffered.sample_gradients(
                [None if gradient is None else array_of(gradient) for gradient in gradients],
                [at for at, gradient in enumerate(gradients) if gradient is None],
            )

    def close(self, source: Source, event: int) -> bool:
        """Close the current row.

        Args:
            source: The program, right after the last Event of the iteration.
            event: The index of that Event.

        Returns:
            Whether all data are finite.
        """
        buffered, tensors = self._buffered, self._tensors(source)
        if not buffered.has_gradients:
            self.sample_gradients(source)
        chosen = self._chosen_values(source) if self._chosen else ()
        if source.unrecorded or self._unknown_before:
            self._note_unknown(source.unrecorded, source.measured)
        finite = buffered.close(list(map(array_of, tensors)), (event, source.iteration), chosen)
        self._sampled = {}
        if buffered.is_full:
            self._measure()
        return finite

    def rows_up_to(self, event: int) -> int:
        """Return how many rows had closed after Event `event`."""
        self._measure()
        return self._moments.rows_up_to(event, 0)

    def last_event(self) -> int:
        """Return the index of the Event that closed the last row."""
        return self._buffered.last_event if len(self._buffered) else int(self._moments.row(-1)[0])

    def fork(self, event: int, source: Source) -> Series:
        """Return the Series of a branch that is forked after Event `event`.

        It has the rows that were closed then; call `rebase` before it continues.
        """
        other = Series(source, prime=False)
        other.outputs, other._file = self.outputs, self._file
        other._chosen = list(self._chosen)
        other._places = dict(self._places)
        length = self.rows_up_to(event)
        other._values = self._values.fork(length)
        other._moments = self._moments.fork(length)
        return other

    def to_arrays(self, since: int = 0) -> tuple[NDArray[np.int64], NDArray[np.floating]]:
        """Return the rows from `since` on: `(event, iteration)` pairs, and their values."""
        self._measure()
        return self._moments.rows(since), self._values.rows(since)

    def load(
        self, names: Sequence[str], moments: NDArray[np.int64], values: NDArray[np.floating]
    ) -> None:
        """Fill an empty Series with the result of `to_arrays`.

        Args:
            names: The columns' names in the order of `values`, without "event".
            moments: Shape `(rows, 2)`.
            values: Shape `(rows, len(names))`.
        """
        known = tuple(self._places)
        for name in names[len(known) :]:
            if name.startswith(_OUTPUT):
                self.choose_output(name.removeprefix(_OUTPUT))
            elif name not in self._places:
                index = name.removesuffix("]").rpartition("[")[2]
                self.choose(_tensor_of(name), tuple(int(at) for at in index.split(",") if at))
        if tuple(names) != tuple(self._places) or values.shape != (len(moments), len(names)):
            raise GradStepError(
                "the series are not those of this program", "open the session with its own program"
            )
        self._moments.extend(moments)
        self._values.extend(values)

    def _measure(self) -> None:
        """Measure the buffered rows."""
        if len(self._buffered):
            moments, values = self._buffered.take()
            for row, names, measured in self._unknown:
                values[row, self._columns_of(names)] = math.nan
                values[row, [self._places[name] for name in measured]] = list(measured.values())
            self._unknown.clear()
            self._moments.extend(moments)
            self._values.extend(values)

    def _note_unknown(
        self, names: Set[str], measured: Mapping[str, tuple[float, float, float]]
    ) -> None:
        """Note which values of the closing row were not recorded, and which are known.

        The update of a tensor is its distance from the previous row, which has to be known too.
        """
        data = frozenset(name for name in names if name in self._shapes)
        moved = frozenset(f"update/{name}" for name in data | self._unknown_before)
        unknown = self._unknown_now | data | moved
        known = {
            column: value
            for name, values in measured.items()
            for address, column, value in zip(
                (name, f"{name}.grad", f"update/{name}"),
                (f"norm/{name}", f"norm/{name}.grad", f"update/{name}"),
                values,
                strict=True,
            )
            if address in unknown and column in self._places
        }
        self._unknown.append((len(self._buffered), unknown, known))
        self._unknown_now, self._unknown_before = frozenset(), data

    def _columns_of(self, names: frozenset[str]) -> list[int]:
        """Return the places of the columns of tensors and gradients, or of columns by name."""
        return [
            place
            for column, place in self._places.items()
            if column in names
            or column.removeprefix("norm/") in names
            or (column.startswith("element/") and _tensor_of(column) in names)
        ]

    def _tensors(self, source: Source) -> list[Any]:
        """Return the tensors that have columns; cached until the source replaces its tensors."""
        named = source.tensors
        if named is not self._named:
            self._named, self._live = named, [named[name] for name in self.tensors]
        return self._live

    def _chosen_values(self, source: Source) -> list[float]:
        values = []
        for chosen in self._chosen:
            if isinstance(chosen, str):
                values.append(self._sampled.get(chosen, math.nan))
                continue
            name, element = chosen
            tensor = source.tensors[name]
            gradient = gradient_of(tensor)
            values.append(float(array_of(tensor).flat[element]))
            values.append(math.nan if gradient is None else float(gradient.flat[element]))
        return values


def _tensor_of(column: str) -> str:
    """Return the tensor, or the gradient, of the column of an element."""
    return column.removeprefix("element/").rpartition("[")[0]
