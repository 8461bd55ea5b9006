"""Remedy: shows what the remedy of a finding changes, and carries it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gradstep_gui.views.labels import event_text, operation_text
from gradstep_gui.widgets.dialogs.remedy_dialog import RemedyChoice, RemedyDialog
from gradstep_gui.widgets.number_format import count_text, value_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from PySide6.QtWidgets import QWidget

    from gradstep.history.records.what_if import Edits, Remedy
    from gradstep_gui.controller import Controller
    from gradstep_gui.documents import Documents

__all__ = ["RemedyDialogController"]

_SHOWN = 200
"""Changes that are listed; of long runs, the first ones."""

_RANGE = 5
"""Skipped events in a row that are listed one by one."""


class RemedyDialogController(QObject):
    """Shows the remedies of a finding before one is carried out: on a new branch, or as a program.

    Args:
        window: The parent of the dialog.
        controller: Finds remedies, replays, and opens documents.
        documents: Guards unsaved changes.
    """

    def __init__(self, window: QWidget, controller: Controller, documents: Documents) -> None:
        super().__init__(window)
        self._window = window
        self._controller = controller
        self._documents = documents
        self.dialog: RemedyDialog | None = None
        controller.branches.remedies_found.connect(self._show)

    def _show(self, remedies: tuple[Remedy, ...]) -> None:
        if self.dialog is not None:
            self.dialog.close()
        dialog = RemedyDialog([self._choice(remedy) for remedy in remedies], self._window)
        dialog.accepted.connect(lambda: self._apply(remedies[dialog.chosen]))
        dialog.finished.connect(self._forget)
        self.dialog = dialog
        dialog.open()

    def _choice(self, remedy: Remedy) -> RemedyChoice:
        """Return a remedy as the dialog shows it."""
        outcome = "" if remedy.outcome is None else remedy.outcome.sentence
        if remedy.edits is None:
            words = self.tr(
                "The program is opened with these changes of its document, and the recorded "
                "operations up to the present event are applied to it."
            )
            button = self.tr("&Open Edited Program")
            return RemedyChoice(remedy.title, outcome, words, remedy.difference, button)
        words = self.tr(
            "The recorded events are replayed on a new branch with these changes. The current "
            "branch stays as it is."
        )
        changes = list(self._changes(remedy.edits))
        text = "\n".join(changes[:_SHOWN])
        if len(changes) > _SHOWN:
            more = self.tr("and {0} more").format(count_text(len(changes) - _SHOWN))
            text = f"{text}\n{more}"
        return RemedyChoice(remedy.title, outcome, words, text, self.tr("&Replay"))

    def _apply(self, remedy: Remedy) -> None:
        if remedy.edits is not None:
            self._controller.branches.what_if(remedy.edits)
        elif remedy.document is not None:
            text = remedy.document[1]
            self._documents.guard(lambda: self._controller.branches.open_document(text))

    def _forget(self) -> None:
        self.dialog = None

    def _changes(self, edits: Edits) -> Iterator[str]:
        """Yield each change of the recorded Events in words, in their order."""
        for key, value in edits.set.items():
            words = self.tr("Set {0} to {1} before #{2}")
            yield words.format(key, value_text(value), count_text(edits.at or 1))
        lines = list(self._skips(edits.skip))
        for event, operation in edits.insert:
            words = self.tr("Insert {0} before #{1}")
            text = words.format(operation_text(operation), count_text(event))
            lines.append((event, 0, text))
        for event, before in edits.move:
            words = self.tr("Move {0} before #{1}")
            lines.append((event, 1, words.format(self._event(event), count_text(before))))
        for _, _, text in sorted(lines, key=lambda line: line[:2]):
            yield text

    def _skips(self, events: Sequence[int]) -> Iterator[tuple[int, int, str]]:
        """Yield the Events that are skipped, long ranges of them in one line."""
        runs: list[list[int]] = []
        for event in sorted(events):
            if runs and event == runs[-1][-1] + 1:
                runs[-1].append(event)
            else:
                runs.append([event])
        for run in runs:
            if len(run) > _RANGE:
                words = self.tr("Skip #{0} to #{1}, {2} events")
                ends = count_text(run[0]), count_text(run[-1])
                yield run[0], 1, words.format(*ends, count_text(len(run)))
            else:
                for event in run:
                    yield event, 1, self.tr("Skip {0}").format(self._event(event))

    def _event(self, index: int) -> str:
        found = self._controller.events_slice(index - 1, index)
        return f"#{count_text(index)} {event_text(found[0]) if found else ''}".strip()
