"""What a learner reads of a lesson that is being written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep_gui.views.labels import KIND_TITLES, kind_title
from gradstep_gui.widgets.text.lesson_view import LessonView

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from PySide6.QtWidgets import QWidget

    from gradstep.history.records.lesson import StepRecord

__all__ = ["LessonPreviewView"]


class LessonPreviewView(LessonView):
    """The whole lesson as a text, filled from a walk through it.

    Args:
        parent: The parent widget.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__({kind_title(kind): kind for kind in KIND_TITLES}, parent)
        self.setAccessibleName(self.tr("What a learner reads"))
        self.setMinimumWidth(260)

    def show_preview(self, title: str, steps: Sequence[StepRecord], end: str) -> None:
        """Show a lesson, at the place where it was scrolled to."""
        place = self.verticalScrollBar().value()
        self.show_lesson("\n\n".join((f"# {title}", *self._parts(steps), end)))
        self.verticalScrollBar().setValue(place)

    def _parts(self, steps: Sequence[StepRecord]) -> Iterator[str]:
        for step in steps:
            yield f"## {step.number}. {step.title}"
            yield step.text
            question = step.question
            if question is not None:
                yield f"**{self.tr('Question')}:** {question.ask}"
                yield "\n".join(f"- {choice}" for choice in question.choices)
                if question.truth:
                    yield f"**{question.truth}**. {question.explanation}"
            yield step.after
