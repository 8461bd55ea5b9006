"""How the layers compare at the current moment: their gradients, and their relative updates."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from gradstep.names import steps_of
from gradstep_gui.plotting import columns
from gradstep_gui.plotting.curve_set import CurveSet
from gradstep_gui.plotting.layer_bars import LayerBars
from gradstep_gui.widgets.number_format import number_text

if TYPE_CHECKING:
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.history.records.tensor import ParameterRecord
    from gradstep_gui.plotting.series import SeriesBatch

__all__ = ["GradientFlow", "gradient_flow", "relative_updates"]


class GradientFlow(QScrollArea):
    """Bars for the gradient of each layer, and for its update relative to its weights.

    Attributes:
        gradients: The root mean square of `.grad` by layer.
        updates: The norm of the last iteration's change by the norm of the data.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._curves = CurveSet()
        self.gradients = LayerBars(_tr("RMS of .grad by layer"), "backward", number_text)
        self.gradients.setToolTip(
            _tr("Gradient flow: the root mean square of .grad in each layer, logarithmic")
        )
        self.gradients.set_empty_text(_tr(".grad is None: Backward computes it."))
        self.updates = LayerBars(_tr("|update| / |data| by layer"), "step", number_text)
        self.updates.setToolTip(
            _tr(
                "The norm of the change in the last complete iteration by the norm of the data, "
                "logarithmic; about 0.001 is usual"
            )
        )
        self.updates.set_empty_text(_tr("No iteration is complete yet."))
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.gradients)
        column.addWidget(self.updates)
        column.addStretch(1)
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(_tr("Gradient Flow"))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the updates are computed from."""
        return self._curves.columns

    def follow(self, snapshot: Snapshot) -> None:
        """Compare the layers of another program."""
        names = [name for name, found in snapshot.parameters.items() if not found.is_buffer]
        self._curves = CurveSet(
            [column for name in names for column in (columns.update(name), columns.norm(name))]
        )

    def apply(self, batch: SeriesBatch) -> None:
        """Take new points of `columns`."""
        self._curves.apply(batch)

    def draw(self, snapshot: Snapshot, x: float) -> None:
        """Draw a moment, where x is its iteration."""
        self.gradients.set_rows(gradient_flow(snapshot))
        self.updates.set_rows(relative_updates(snapshot, self._curves, x))


def gradient_flow(snapshot: Snapshot) -> tuple[tuple[str, float | None], ...]:
    """Return the root mean square of `.grad` of each layer, in the order of the model.

    Returns:
        Pairs of a layer and the value: over all elements of its tensors that have a gradient. None
        if none has one; NaN if an element is not finite. A free tensor is its own layer.
    """
    return tuple((name, _root_mean_square(held)) for name, held in _layers(snapshot).items())


def relative_updates(
    snapshot: Snapshot, curves: CurveSet, x: float
) -> tuple[tuple[str, float | None], ...]:
    """Return the relative update of each layer in the last complete iteration.

    Args:
        snapshot: Any Snapshot of the program.
        curves: The columns `update/<tensor>` and `norm/<tensor>`.
        x: The present iteration.

    Returns:
        Pairs of a layer and the norm of its change by the norm of its data after the change; None
        before the first complete iteration, and if the data are zero.
    """
    return tuple(
        (name, _relative([found.name for found in held], curves, x))
        for name, held in _layers(snapshot).items()
    )


def _layers(snapshot: Snapshot) -> dict[str, list[ParameterRecord]]:
    layers: dict[str, list[ParameterRecord]] = {}
    for name, parameter in snapshot.parameters.items():
        if not parameter.is_buffer:
            layers.setdefault(".".join(steps_of(name)[:-1]) or name, []).append(parameter)
    return layers


def _root_mean_square(held: list[ParameterRecord]) -> float | None:
    gradients = [parameter.gradient for parameter in held if parameter.gradient is not None]
    count = sum(math.prod(gradient.shape) for gradient in gradients)
    if not count:
        return None
    if any(gradient.nan_count or gradient.inf_count for gradient in gradients):
        return math.nan
    return math.hypot(*(gradient.norm for gradient in gradients)) / math.sqrt(count)


def _relative(names: list[str], curves: CurveSet, x: float) -> float | None:
    update, data = (
        [
            value
            for name in names
            if (column := column_of(name)) in curves
            and (value := curves[column].last_finite(x)) is not None
        ]
        for column_of in (columns.update, columns.norm)
    )
    weight = math.hypot(*data)
    return math.hypot(*update) / weight if update and weight and x >= 1 else None


def _tr(text: str) -> str:
    return QCoreApplication.translate("GradientFlow", text)
