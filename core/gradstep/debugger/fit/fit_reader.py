"""FitReader: how the model's outputs compare with the targets of its data, at any moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.debugger.fit.choices import choices_of, obstacle_of
from gradstep.debugger.fit.interpretation import examples_of, probabilities, score_of, values_of
from gradstep.debugger.fit.layout import (
    GRID_POINTS,
    as_images,
    curve_inputs,
    grid_inputs,
    image_shape,
    is_line,
    is_plane,
    rows_at_once,
)
from gradstep.debugger.shadow_program import StoppedError
from gradstep.errors import GradStepError, OperationError
from gradstep.history.records.fit import Fit, FitGrid
from gradstep.program.program import Program
from gradstep.program.schema.data_sets import Polynomial
from gradstep.program.suggestions import nearest
from gradstep.stopping import never

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from gradstep.debugger.cursor import Cursor
    from gradstep.debugger.fit.interpretation import Examples
    from gradstep.history.records.fit import FitChoice, FitScore, Part, Picture
    from gradstep.program.datasets.dataset import PreparedDataset
    from gradstep.program.runtime.predictor import Predictor

__all__ = ["FitReader"]

MAX_TRAINING_ROWS = 1500
MAX_HELD_OUT_ROWS = 500
MAX_BATCH_ROWS = 500
"""Of larger data sets, this many rows are predicted, evenly spread."""

_MOST_REGIONS = 20
_SCRIPT = (
    "GradStep sees what a script's training loop does, but neither its data sets nor a way to call "
    "its model: predictions are shown for programs only."
)


class FitReader:
    """Predicts the rows of a data set with the parameters of the current moment.

    Copies of the modules predict, in evaluation mode; the program itself, its generator and its
    modes are not touched.

    Args:
        cursor: The live program's place in time.
    """

    __slots__ = ("_cursor", "_predictor")

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._predictor: tuple[Program, Predictor] | None = None

    @property
    def choices(self) -> tuple[FitChoice, ...]:
        """The losses whose outputs can be compared; none of a script."""
        program = self._cursor.program
        return choices_of(program) if isinstance(program, Program) else ()

    def read(
        self, loss: str | None = None, *, should_stop: Callable[[], bool] | None = None
    ) -> Fit:
        """Return how the output of a loss compares with its targets now.

        Args:
            loss: One of the `choices` of a Fit; None for the first.
            should_stop: Asked now and then; True cancels.

        Raises:
            OperationError: The output of that loss cannot be compared.
            StoppedError: It was cancelled.

        Example:
            >>> from gradstep.debugger import Debugger
            >>> from gradstep.program.document.codec import decode
            >>> dbg = Debugger(decode(b'''{"gradstep": 1,
            ...     "data": {"d": {"kind": "inline",
            ...                    "inputs": [[1], [2]], "targets": [[3.0], [5.0]]}},
            ...     "tensors": {"w": {"value": [2.0], "requires_grad": true}},
            ...     "losses": {"loss": {"data": "d", "output": "w * input",
            ...                         "criterion": {"kind": "MSELoss"}}}}'''))
            >>> fit = dbg.fit.read()
            >>> fit.pictures, fit.predicted.tolist(), fit.scores["training"].rmse
            (('line', 'values'), [2.0, 4.0], 1.0)
        """
        event, program, choices = self._cursor.position, self._cursor.program, self.choices
        if not isinstance(program, Program):
            return Fit(event, _SCRIPT)
        if not choices:
            return Fit(event, obstacle_of(program))
        known = {choice.loss: choice for choice in choices}
        if loss is not None and loss not in known:
            raise OperationError(
                f"the output of {loss!r} cannot be compared with targets", nearest(loss, known)
            )
        chosen = choices[0] if loss is None else known[loss]
        return self._read(program, choices, chosen, should_stop or never)

    def _read(
        self,
        program: Program,
        choices: tuple[FitChoice, ...],
        chosen: FitChoice,
        should_stop: Callable[[], bool],
    ) -> Fit:
        event, name, data = self._cursor.position, chosen.loss, program.dataset(chosen.data)
        spec = program.spec.computed[name]
        every, targets = program.examples(name)
        assert every is not None  # it is a loss with data
        assert targets is not None
        assert data.targets is not None
        batch = _batch_rows(program, name)
        rows = _sample(data, batch)
        try:
            output = self._predict(program, name, every[rows], should_stop)
        except StoppedError:
            raise
        except GradStepError as error:
            return Fit(event, f"{error.message}.", choices, name, chosen.data)
        examples = examples_of(spec, data.targets[rows], targets[rows], output)
        if examples is None:
            return Fit(
                event,
                f"The output of {name} for {len(rows)} rows is of shape {output.shape}, and their "
                f"targets of shape {targets[rows].shape}: they do not pair up.",
                choices,
                name,
                chosen.data,
            )
        per_row = len(examples.truth) // len(rows)
        rows = np.repeat(rows, per_row)
        names = _class_names(data, examples, probabilities(spec, data.targets[:1], output[:1]))
        if names:
            kept = (examples.truth >= 0) & (examples.truth < len(names))
            kept &= examples.truth != getattr(spec.criterion, "ignore_index", -1)
            rows, examples = rows[kept], _chosen(examples, kept)
        held_out = rows >= data.training
        in_batch = np.isin(rows, batch)
        pictures, inputs, input_names = self._layout(
            program, chosen, rows, single=per_row == 1, classes=len(names)
        )
        curve = grid = None
        if "line" in pictures:
            curve = self._curve(program, chosen, len(names), should_stop)
        if "regions" in pictures or "surface" in pictures:
            grid = self._grid(program, chosen, len(names), should_stop)
        return Fit(
            event,
            choices=choices,
            loss=name,
            data=chosen.data,
            pictures=pictures,
            total=len(data.inputs),
            rows=rows,
            held_out=held_out,
            in_batch=in_batch,
            truth=examples.truth,
            predicted=examples.predicted,
            shares=examples.shares,
            classes=names,
            inputs=inputs,
            input_names=input_names,
            curve=curve,
            grid=grid,
            scores=_scores(examples, held_out, in_batch, len(names)),
        )

    def _layout(
        self,
        program: Program,
        chosen: FitChoice,
        rows: NDArray[Any],
        *,
        single: bool,
        classes: int,
    ) -> tuple[tuple[Picture, ...], NDArray[Any] | None, tuple[str, ...]]:
        """Return what can be drawn, and the inputs and their names that this takes."""
        data = program.dataset(chosen.data)
        plain: Picture = "confusion" if classes else "values"
        every, _ = program.examples(chosen.loss)
        if not single or every is None or every.dtype.kind != "f":
            return (plain,), None, ()
        shape = data.inputs.shape[1:]
        names = data.input_names
        if is_line(program.spec, chosen.data, shape) and classes in {0, 2}:
            original = data.original(data.inputs[rows]).reshape(len(rows), -1)[:, :1]
            return ("line", plain), original, (names or ("input",))[:1]
        if is_plane(shape) and classes <= _MOST_REGIONS:
            names = names or ("input[0]", "input[1]")
            best: Picture = "regions" if classes else "surface"
            return (best, plain), data.original(data.inputs[rows]), names
        image = image_shape(program.spec, chosen.loss, shape)
        if image is not None:
            return ("images", plain), as_images(data.original(data.inputs[rows]), image), ()
        return (plain,), None, ()

    def _curve(
        self, program: Program, chosen: FitChoice, classes: int, should_stop: Callable[[], bool]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        data, spec = program.dataset(chosen.data), program.spec.computed[chosen.loss]
        assert data.targets is not None
        inputs = data.inputs
        if isinstance(program.spec.data[chosen.data], Polynomial):
            between = inputs[np.argsort(inputs[:, 0], kind="stable")]
        else:
            between = curve_inputs(inputs)
        output = self._predict(program, chosen.loss, between, should_stop)
        chances = probabilities(spec, data.targets, output) if classes else None
        along = values_of(spec, output) if chances is None else chances[:, 1]
        return data.original(between).reshape(len(between), -1)[:, 0], along

    def _grid(
        self,
        program: Program,
        chosen: FitChoice,
        classes: int,
        should_stop: Callable[[], bool],
    ) -> FitGrid:
        data, spec = program.dataset(chosen.data), program.spec.computed[chosen.loss]
        assert data.targets is not None
        points = grid_inputs(data.inputs)
        output = self._predict(program, chosen.loss, points, should_stop)
        (left, bottom), (right, top) = data.original(points[[0, -1]]).tolist()
        chances = probabilities(spec, data.targets, output) if classes else None
        if chances is None:
            values = values_of(spec, output).reshape(GRID_POINTS, GRID_POINTS)
            return FitGrid(left, right, bottom, top, values=values)
        shares = chances.reshape(GRID_POINTS, GRID_POINTS, -1).astype(np.float32)
        return FitGrid(left, right, bottom, top, shares)

    def _predict(
        self, program: Program, loss: str, inputs: NDArray[Any], should_stop: Callable[[], bool]
    ) -> NDArray[Any]:
        """Predict some rows at a time.

        Raises:
            StoppedError: It was cancelled.
        """
        if self._predictor is None or self._predictor[0] is not program:
            self._predictor = program, program.predictor()
        predict = self._predictor[1]
        chunk = rows_at_once(program.spec, loss, inputs.shape[1:])
        parts = []
        for start in range(0, len(inputs), chunk):
            if should_stop():
                raise StoppedError
            parts.append(predict(loss, inputs[start : start + chunk]))
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _batch_rows(program: Program, loss: str) -> NDArray[Any]:
    """Return the rows of the last batch of a loss, or of one that shares its data."""
    spec, batches = program.spec, program.batches
    data = spec.computed[loss].data
    sharing = [
        other for other, found in spec.losses.items() if found.data == data and other in batches
    ]
    for name in (loss, *sharing):
        if name in spec.losses and spec.losses[name].rows == "training" and name in batches:
            return np.array(batches[name].rows, np.int64)
    return np.empty(0, np.int64)


def _sample(data: PreparedDataset, batch: NDArray[Any]) -> NDArray[Any]:
    """Return the rows to predict, in order: those of the batch, and others evenly spread."""
    parts = (
        _evenly(0, data.training, MAX_TRAINING_ROWS),
        _evenly(data.training, len(data.inputs), MAX_HELD_OUT_ROWS),
        batch[:MAX_BATCH_ROWS],
    )
    return np.unique(np.concatenate(parts))


def _evenly(start: int, stop: int, most: int) -> NDArray[Any]:
    count = stop - start
    if count <= most:
        return np.arange(start, stop)
    return start + np.arange(most) * count // most


def _class_names(
    data: PreparedDataset, examples: Examples, one: NDArray[Any] | None
) -> tuple[str, ...]:
    if examples.shares is None or one is None:
        return ()
    count = one.shape[1]
    known = data.classes if len(data.classes) == count else ()
    return known or tuple(map(str, range(count)))


def _chosen(examples: Examples, kept: NDArray[Any]) -> Examples:
    shares = None if examples.shares is None else examples.shares[kept]
    return type(examples)(examples.truth[kept], examples.predicted[kept], shares)


def _scores(
    examples: Examples, held_out: NDArray[Any], in_batch: NDArray[Any], classes: int
) -> Mapping[Part, FitScore]:
    parts: dict[Part, NDArray[Any]] = {
        "training": ~held_out,
        "held_out": held_out,
        "batch": in_batch,
    }
    return {
        part: score_of(examples, chosen, classes) for part, chosen in parts.items() if chosen.any()
    }
