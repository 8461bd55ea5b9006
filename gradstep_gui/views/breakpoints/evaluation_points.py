"""Evaluation points of a breakpoint: before or after which Operations it is checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QComboBox

from gradstep.history.records.breakpoints import ANY
from gradstep_gui.views.labels import kind_title

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gradstep.history.records.breakpoints import BreakpointRecord

__all__ = ["EvaluationPointsBox", "evaluation_points_text"]

_KINDS = ("zero_grad", "forward", "backward", "step")
_LETTERS = 12
"""Characters shown of the current choice; the list is wider."""

_CHOICES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    ((), ()),
    ((), (ANY,)),
    *(((), (kind,)) for kind in _KINDS),
    ((ANY,), ()),
    *(((kind,), ()) for kind in _KINDS),
)


def evaluation_points_text(before: tuple[str, ...], after: tuple[str, ...]) -> str:
    """Return evaluation points as text; "automatic" without any.

    Args:
        before: Kinds of Operations, or `ANY`.
        after: Likewise.

    Example:
        >>> evaluation_points_text((), ("step",)), evaluation_points_text(("any",), ())
        ('after Step', 'before any operation')
    """
    translate = QCoreApplication.translate
    parts = []
    if before:
        parts.append(translate("When", "before {0}").format(_kinds(before)))
    if after:
        parts.append(translate("When", "after {0}").format(_kinds(after)))
    return ", ".join(parts) or translate("When", "automatic")


def _kinds(kinds: tuple[str, ...]) -> str:
    if ANY in kinds:
        return QCoreApplication.translate("When", "any operation")
    return ", ".join(kind_title(kind) for kind in kinds)


class EvaluationPointsBox(QComboBox):
    """A choice of the common evaluation points, and of those that the breakpoint has."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(_LETTERS)
        self._line = ""
        self.setAccessibleName(self.tr("Evaluate"))
        for choice in _CHOICES:
            self.addItem(evaluation_points_text(*choice), choice)

    @property
    def choice(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The kinds of Operations before which and after which the condition is checked."""
        return _pair(self.currentData())

    @property
    def shows_line(self) -> bool:
        """Whether it stands at the line of a script."""
        return bool(self._line) and self.currentText() == self._line

    def show_record(self, record: BreakpointRecord) -> None:
        """Show a breakpoint's evaluation points, and what automatic means for it."""
        wanted = record.spec.before, record.spec.after
        general = self.tr(
            "Automatic: stops where the condition becomes true, after the operations that write\n"
            "what it reads. A loss after its Forward, a gradient after Backward, parameters and\n"
            "optimizer state after Step; changed(), raised and non_finite after every operation.\n"
            "Anything else: stops there every time the condition holds."
        )
        own = self.tr("Here: {when}.").format(when=evaluation_points_text((), record.after))
        self.setToolTip(f"{general}\n{own}" if record.after and not any(wanted) else general)
        line = record.spec.line
        if line:
            self._show_line(self.tr("before {0}").format(line), wanted)
            return
        places = [place for place in range(self.count()) if _pair(self.itemData(place)) == wanted]
        if not places:
            self.addItem(evaluation_points_text(*wanted), wanted)
            places = [self.count() - 1]
        self.blockSignals(True)
        self.setCurrentIndex(places[0])
        self.blockSignals(False)

    def _show_line(self, text: str, wanted: object) -> None:
        """Show that a breakpoint is evaluated before the operations of one line."""
        self._line = text
        self.blockSignals(True)
        if self.findText(text) < 0:
            self.addItem(text, wanted)
        self.setCurrentIndex(self.findText(text))
        self.blockSignals(False)


def _pair(data: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:  # noqa: ANN401 - Qt item data
    """Return a choice as tuples, because Qt returns them as lists."""
    before, after = data
    return tuple(before), tuple(after)
