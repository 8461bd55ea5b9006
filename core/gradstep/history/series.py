"""Series: what every iteration left behind, in columns that plots draw.

A row closes with an iteration; row 0 is the moment before any Event. Columns are named

    event                           index of the Event that closed the row
    loss/<loss>                     its last value in the iteration
    norm/<tensor>                   norm of the data
    update/<tensor>                 norm of how far the iteration moved it
    norm/<tensor>.grad              norm of the gradient as the last Backward left it
    element/<tensor>[i,j]           one element of the data
    element/<tensor>.grad[i,j]      one element of the gradient

NaN stands where there is nothing: a `.grad` that is None, a loss that was not computed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gradstep.errors import GradStepError
from gradstep.history.columns import Columns
from gradstep.history.probe import Moves, Probe
from gradstep.history.reading import array_of, gradient_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from gradstep.history.source import Source

    _Vector = NDArray[np.float64]

__all__ = ["Series"]

ELEMENTS = 64
"""Elements kept in all: those of the smallest tensors, whole, as long as they fit. At 100 000
iterations 64 elements and their gradients take 51 MB in float32."""


class Series:
    """The columns of one branch.

    Args:
        source: The program, at the moment before any Event.
        prime: False to leave out row 0, for a Series that is about to be filled from a file.

    Attributes:
        tensors: Names of the tensors that have columns.
        losses: Names of the losses.
        weights: Names of those tensors that have two dimensions or more.
        ends: Of every model of several layers, its first weight and its last.
        norms: The tensors' norms when the last row closed, in the order of `tensors`.
        updates: How far each had moved in that row.
        gradient_norms: Their gradients' norms as measured last; NaN where there was none.
        missing_gradients: How many had none.

    Example:
        >>> from types import SimpleNamespace
        >>> import numpy as np
        >>> x = SimpleNamespace(_array=np.array([3.0, 4.0]), grad=None)
        >>> source = SimpleNamespace(tensors={"x": x}, losses={"loss": None}, iteration=0)
        >>> series = Series(source)
        >>> series.names
        ('event', 'loss/loss', 'norm/x', 'update/x', 'norm/x.grad', 'element/x[0]', ...
        >>> iterations, norms = series.column("norm/x")
        >>> iterations.tolist(), norms.tolist()
        ([0.0], [5.0])
    """

    def __init__(self, source: Source, *, prime: bool = True) -> None:
        shapes = {
            name: array.shape
            for name, tensor in source.tensors.items()
            if (array := array_of(tensor)).dtype.kind == "f"
        }
        self.tensors = tuple(shapes)
        self.losses = tuple(source.losses)
        self.weights = tuple(name for name, shape in shapes.items() if len(shape) > 1)
        self.ends = _ends(self.weights)
        self._shapes = shapes
        self._losses = {name: at for at, name in enumerate(self.losses)}
        picked = _small_elements([math.prod(shape) for shape in shapes.values()])
        self._chosen: list[tuple[str, int]] = []
        self._places = _places(self.losses, shapes, picked)
        sizes = [math.prod(shape) for shape in shapes.values()]
        self._data = Probe(sizes, picked)
        self._gradient = Probe(sizes, picked)
        self._moves = Moves(self._data)
        wide = any(array_of(tensor).dtype == np.float64 for tensor in source.tensors.values())
        self._values = Columns(len(self._places), np.float64 if wide else np.float32)
        self._row = np.empty(len(self._places))
        self._moments = Columns(2, np.int64)
        self._pending_losses = [math.nan] * len(self._losses)
        self._gradients_sampled = False
        self.norms: _Vector = np.full(len(shapes), math.nan)
        self.updates: _Vector = np.zeros(len(shapes))
        self.gradient_norms: _Vector = np.full(len(shapes), math.nan)
        self.missing_gradients = len(shapes)
        self._gradient_elements: _Vector = np.full(len(picked), math.nan)
        if prime:
            self.rebase(source)
            self.close(source, 0)

    def __len__(self) -> int:
        return len(self._moments)

    @property
    def names(self) -> tuple[str, ...]:
        """Every column, "event" first."""
        return ("event", *self._places)

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self._values.nbytes + self._moments.nbytes

    def column(self, name: str, since: int = 0) -> tuple[_Vector, _Vector]:
        """Return a column's rows from row `since` on, as arrays of their own.

        Args:
            name: One of `names`.
            since: How many rows the caller has already.

        Returns:
            The iterations that were complete when each row closed, and the values.

        Raises:
            GradStepError: There is no such column.
        """
        stop = len(self._moments)
        iterations = self._moments.column(1, since, stop).astype(np.float64)
        if name == "event":
            return iterations, self._moments.column(0, since, stop).astype(np.float64)
        place = self._places.get(name)
        if place is None:
            raise GradStepError(
                f"there is no column {name!r}", "Series.names lists them; Series.choose adds one"
            )
        return iterations, self._values.column(place, since, stop).astype(np.float64, copy=False)

    def place(self, name: str) -> int:
        """Return the place of a column other than "event" in the rows of `tail`."""
        return self._places[name]

    def tail(self, rows: int) -> NDArray[np.floating]:
        """Return the last rows, fewer when there are no more, as an array of its own."""
        return self._values.rows(max(0, len(self) - rows))

    def choose(self, tensor: str, index: tuple[int, ...]) -> str:
        """Keep one element, and that of the gradient, from the next row on.

        Args:
            tensor: The tensor's name.
            index: The element's index, one number a dimension.

        Returns:
            The name of the new column; rows that closed before are NaN in it.

        Raises:
            GradStepError: There is no such tensor or element.
        """
        shape = self._shapes.get(tensor)
        if shape is None:
            raise GradStepError(
                f"there is no floating point tensor {tensor!r}", f"there are {self.tensors}"
            )
        if len(index) != len(shape) or not all(
            0 <= at < size for at, size in zip(index, shape, strict=True)
        ):
            raise GradStepError(f"{tensor} has no element {list(index)}", f"its shape is {shape}")
        names = [f"element/{tensor}{suffix}{_index(index)}" for suffix in ("", ".grad")]
        if names[0] not in self._places:
            element = int(np.ravel_multi_index(index, shape)) if shape else 0
            self._chosen.append((tensor, element))
            for name in names:
                self._places[name] = len(self._places)
            self._widen()
        return names[0]

    def rebase(self, source: Source) -> None:
        """Measure the next row's moves from the present values; nothing is pending any more."""
        self._moves.reset(self._arrays(source))
        self._forget_pending()

    def sample_loss(self, loss: str, value: float) -> None:
        """Note the value of a loss for the row that will close next."""
        self._pending_losses[self._losses[loss]] = value

    def sample_gradients(self, source: Source) -> None:
        """Measure the gradients now, for the row that will close next.

        They are taken when a Backward has written them and not when the iteration ends, because a
        loop may well end with Zero Grad.
        """
        tensors = source.tensors
        arrays = [gradient_of(tensors[name]) for name in self.tensors]
        self.missing_gradients = sum(array is None for array in arrays)
        self.gradient_norms, self._gradient_elements = self._gradient.measure(arrays)
        self._gradients_sampled = True

    def close(self, source: Source, event: int) -> None:
        """Close a row.

        Args:
            source: The program, right after the iteration's last Event.
            event: The index of that Event.
        """
        if not self._gradients_sampled:
            self.sample_gradients(source)
        arrays = self._arrays(source)
        self.norms, elements = self._data.measure(arrays)
        self.updates = self._moves.measure(arrays)
        row, at = self._row, 0
        for part in (
            self._pending_losses,
            self.norms,
            self.updates,
            self.gradient_norms,
            elements,
            self._gradient_elements,
        ):
            row[at : at + len(part)] = part
            at += len(part)
        if self._chosen:
            row[at:] = self._chosen_values(source)
        self._values.append(row)
        self._moments.append((event, source.iteration))
        self._forget_pending()

    def rows_up_to(self, event: int) -> int:
        """Return how many rows had closed when Event `event` was done."""
        return int(np.searchsorted(self._moments.column(0), event, side="right"))

    def last_event(self) -> int:
        """Return the index of the Event that closed the last row."""
        return int(self._moments.row(-1)[0])

    def fork(self, event: int, source: Source) -> Series:
        """Return the Series of a branch that leaves this one after Event `event`.

        It holds the rows that had closed by then; `rebase` tells it where moves begin.
        """
        other = Series(source, prime=False)
        other._chosen = list(self._chosen)
        other._places = dict(self._places)
        other._row = np.empty(len(self._places))
        length = self.rows_up_to(event)
        other._values = self._values.fork(length)
        other._moments = self._moments.fork(length)
        return other

    def to_arrays(self, since: int = 0) -> tuple[NDArray[np.int64], NDArray[np.floating]]:
        """Return the rows from `since` on: `(event, iteration)` pairs, and values by column."""
        return self._moments.rows(since), self._values.rows(since)

    def load(
        self, names: Sequence[str], moments: NDArray[np.int64], values: NDArray[np.floating]
    ) -> None:
        """Fill an empty Series with what `to_arrays` gave.

        Args:
            names: The columns' names in the order of `values`, without "event".
            moments: Shape `(rows, 2)`.
            values: Shape `(rows, len(names))`.
        """
        known = tuple(self._places)
        for name in names[len(known) :]:
            if name not in self._places:
                tensor, _, index = name.removeprefix("element/").removesuffix("]").rpartition("[")
                self.choose(tensor, tuple(int(at) for at in index.split(",") if at))
        if tuple(names) != tuple(self._places) or values.shape != (len(moments), len(names)):
            raise GradStepError(
                "the series are not those of this program", "open the session with its own program"
            )
        self._moments.extend(moments)
        self._values.extend(values)

    def _widen(self) -> None:
        self._values.widen(len(self._places))
        self._row = np.empty(len(self._places))

    def _arrays(self, source: Source) -> list[NDArray[np.floating]]:
        tensors = source.tensors
        return [array_of(tensors[name]) for name in self.tensors]

    def _chosen_values(self, source: Source) -> list[float]:
        values = []
        for name, element in self._chosen:
            tensor = source.tensors[name]
            gradient = gradient_of(tensor)
            values.append(float(array_of(tensor).flat[element]))
            values.append(math.nan if gradient is None else float(gradient.flat[element]))
        return values

    def _forget_pending(self) -> None:
        self._pending_losses = [math.nan] * len(self._losses)
        self._gradients_sampled = False


def _small_elements(sizes: Sequence[int]) -> list[tuple[int, int]]:
    left, whole = ELEMENTS, set()
    for at in sorted(range(len(sizes)), key=sizes.__getitem__):
        left -= sizes[at]
        if left < 0:
            break
        whole.add(at)
    return [(at, element) for at in sorted(whole) for element in range(sizes[at])]


def _places(
    losses: Sequence[str],
    shapes: Mapping[str, tuple[int, ...]],
    picked: Sequence[tuple[int, int]],
) -> dict[str, int]:
    tensors = tuple(shapes)
    elements = [
        (tensors[at], _index([int(i) for i in np.unravel_index(element, shapes[tensors[at]])]))
        for at, element in picked
    ]
    names = [
        *(f"loss/{name}" for name in losses),
        *(f"norm/{name}" for name in tensors),
        *(f"update/{name}" for name in tensors),
        *(f"norm/{name}.grad" for name in tensors),
        *(f"element/{name}{index}" for name, index in elements),
        *(f"element/{name}.grad{index}" for name, index in elements),
    ]
    return {name: at for at, name in enumerate(names)}


def _index(index: Sequence[int]) -> str:
    return "[" + ",".join(map(str, index)) + "]"


def _ends(weights: Sequence[str]) -> tuple[tuple[str, str], ...]:
    models: dict[str, list[str]] = {}
    for name in weights:
        models.setdefault(name.partition(".")[0], []).append(name)
    return tuple((names[0], names[-1]) for names in models.values() if len(names) > 1)
