"""When a breakpoint is asked, as a choice and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QComboBox

from gradstep.history.records.breakpoints import ANY
from gradstep_gui.views.labels import kind_title

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gradstep.history.records.breakpoints import BreakpointRecord

__all__ = ["WhenBox", "when_text"]

_KINDS = ("zero_grad", "forward", "backward", "step")
_LETTERS = 12
"""Of the chosen words; those in the list may be longer."""

_CHOICES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    ((), ()),
    ((), (ANY,)),
    *(((), (kind,)) for kind in _KINDS),
    ((ANY,), ()),
    *(((kind,), ()) for kind in _KINDS),
)


def when_text(before: tuple[str, ...], after: tuple[str, ...]) -> str:
    """Write when a breakpoint is asked.

    Example:
        >>> when_text((), ()), when_text((), ("step",)), when_text(("any",), ())
        ('automatic', 'after Step', 'before any operation')
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


class WhenBox(QComboBox):
    """Offers the usual moments, and the one that a breakpoint has besides."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(_LETTERS)
        self.setAccessibleName(self.tr("When it is asked"))
        for choice in _CHOICES:
            self.addItem(when_text(*choice), choice)

    @property
    def choice(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The kinds before which, and those after which it is asked."""
        return _pair(self.currentData())

    def show_record(self, record: BreakpointRecord) -> None:
        """Show when a breakpoint is asked, and what automatic means for it."""
        wanted = record.spec.before, record.spec.after
        general = self.tr(
            "Automatic: where what the condition reads gets its value. A loss after Forward,\n"
            "a gradient after Backward, parameters and optimizer state after Step; after every\n"
            "operation when it asks what has changed, was refused, or is not finite."
        )
        own = self.tr("This one is asked {when}.").format(when=when_text((), record.after))
        self.setToolTip(f"{general}\n{own}" if record.after and not any(wanted) else general)
        places = [place for place in range(self.count()) if _pair(self.itemData(place)) == wanted]
        if not places:
            self.addItem(when_text(*wanted), wanted)
            places = [self.count() - 1]
        self.blockSignals(True)
        self.setCurrentIndex(places[0])
        self.blockSignals(False)


def _pair(data: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:  # noqa: ANN401 - what Qt kept
    """Return a choice as it was given: Qt hands tuples back as lists."""
    before, after = data
    return tuple(before), tuple(after)
