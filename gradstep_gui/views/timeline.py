"""The timeline: every Event of the branch on a bar, to seek any of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gradstep_gui.theme import kind_of
from gradstep_gui.views.dock_view import DockView
from gradstep_gui.views.labels import operation_text
from gradstep_gui.widgets.accessibility import announce
from gradstep_gui.widgets.number_format import count_text, number_text
from gradstep_gui.widgets.timeline.event_marks import LANES, Flag
from gradstep_gui.widgets.timeline.timeline_bar import TimelineBar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gradstep.history.records.finding import FindingOccurrences
    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.views.model import ViewModel

__all__ = ["TimelineView"]

_OTHER = LANES.index("edit")


class TimelineView(DockView):
    """Feeds a `TimelineBar` with the Events recorded since the last time."""

    def __init__(self, controller: ViewModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "time_line", parent)
        self.bar = TimelineBar(self._text, self)
        self.bar.setAccessibleName(self.tr("Timeline"))
        self.bar.setAccessibleDescription(
            self.tr(
                "Left and Right move one event, with Ctrl one iteration; Home and End go to "
                "the ends."
            )
        )
        self.bar.moved.connect(self.controller.seek)
        self.bar.sliderPressed.connect(lambda: self.controller.set_scrubbing(True))
        self.bar.sliderReleased.connect(lambda: self.controller.set_scrubbing(False))
        self._log = 0
        self.controller.muted_findings.changed.connect(self._follow_muting)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.bar)

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show a Snapshot."""
        self._feed(snapshot.event_count)
        flags = _flags(self.controller.muted_findings.unmuted(snapshot))
        flags += [
            Flag(
                np.array([fork.index]),
                "fork",
                self.tr("{branch} forks here").format(branch=fork.name),
            )
            for fork in self.controller.forks
        ]
        self.bar.show_moment(snapshot.event_index, flags)
        if not self.controller.state.changes_rapidly:
            announce(self.bar, self._moment_text(snapshot))

    @Slot()
    def _follow_muting(self) -> None:
        """Update the flags after a change of the muted findings."""
        if self.controller.snapshot is not None:
            self.render(self.controller.snapshot)

    def _feed(self, count: int) -> None:
        marks = self.bar.marks
        found = self.controller.events_columns(len(marks), count)
        if found is None or found.log != self._log or len(marks) > count:
            marks.clear()
            found = self.controller.events_columns(0, count)
        if found is None:
            return
        self._log = found.log
        lanes = np.array([_lane(kind_of(operation)) for operation in found.known], np.uint8)
        marks.extend(lanes[found.operations], found.iterations, found.failed)

    def _moment_text(self, snapshot: Snapshot) -> str:
        """Return the current Event or micro-step as text."""
        if snapshot.micro_step is not None:
            return " > ".join([*snapshot.micro_step.path, snapshot.micro_step.title])
        return self._text(snapshot.event_index)

    def _text(self, moment: int) -> str:
        """Return an Event as one line of text."""
        if moment == 0:
            return self.tr("Start, before the first event")
        events = self.controller.events_slice(moment - 1, moment)
        if not events:
            return ""
        event = events[0]
        parts = [
            self.tr("Event {index}").format(index=count_text(event.index)),
            self.tr("iteration {number}").format(number=count_text(event.iteration)),
            operation_text(event.operation),
        ]
        if event.loss is not None:
            parts.append(self.tr("loss {value}").format(value=number_text(event.loss)))
        if not event.outcome.ok:
            parts.append(self.tr("failed: {why}").format(why=event.outcome.message))
        return " · ".join(parts)


def _lane(kind: str) -> int:
    return LANES.index(kind) if kind in LANES else _OTHER


def _flags(occurrences: Iterable[FindingOccurrences]) -> list[Flag]:
    """Return a flag for each finding, facts on top."""
    flags = [
        Flag(
            item.events[np.searchsorted(item.events, 1) :],
            "error" if item.severity == "fact" else "warning",
            item.title,
        )
        for item in occurrences
    ]
    return sorted(flags, key=lambda flag: flag.kind, reverse=True)
