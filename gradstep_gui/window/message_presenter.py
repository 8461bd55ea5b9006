"""MessagePresenter: when messages appear, and when they are dismissed as outdated or seen."""

from __future__ import annotations

from textwrap import shorten
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gradstep_gui.action_ids import ActionId

if TYPE_CHECKING:
    from PySide6.QtWidgets import QDockWidget

    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.controller import Controller
    from gradstep_gui.messages import Message, Messages
    from gradstep_gui.records import Document, Recording, State
    from gradstep_gui.widgets.message_bar import MessageBar

__all__ = ["FactNotices", "MessagePresenter"]

_LONGEST_ERROR = 90
"""Characters of a script's error on the bar, which hides a plot: the Event and the log have all."""


class MessagePresenter(QObject):
    """Shows messages on the bar, and dismisses them when they are outdated.

    A message that offers to show the findings does not appear while they are visible: it would hide
    a plot to repeat them.

    Args:
        bar: Where messages appear.
        messages: Where they come from.
        controller: Signals when they are outdated.
        findings: The dock of findings.
        parent: Its owner.
    """

    def __init__(
        self,
        bar: MessageBar,
        messages: Messages,
        controller: Controller,
        findings: QDockWidget,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._bar, self._messages, self._findings = bar, messages, findings
        self._facts = FactNotices(messages, self)
        self._alteration = self._ended = self._ending = ""
        self._controller = controller
        messages.posted.connect(self._show)
        controller.snapshot_changed.connect(self._follow)
        controller.state_changed.connect(self._take_state)
        controller.listing_changed.connect(self._forget)
        controller.opened.connect(self._take_opening)
        controller.branches.removed.connect(self._offer_restore)
        findings.visibilityChanged.connect(self._take_visibility)

    def follow_document(self, document: Document) -> None:
        """Warn, once, of a session that was changed, and of a script that ended with an error."""
        if document.alteration and document.alteration != self._alteration:
            sentence = document.alteration[0].upper() + document.alteration[1:]
            self._messages.warning(sentence, self.tr("open another copy, or an autosave"))
        self._alteration = document.alteration
        recording = document.recording
        ended = "" if recording is None or recording.is_running else recording.error
        if recording is not None and ended and ended != self._ended:
            self._ending, remedy = self._words_of_error(recording)
            self._messages.error(self._ending, remedy)
        self._ended = ended

    def _words_of_error(self, recording: Recording) -> tuple[str, str]:
        """Return that a script has ended with an error, and what to do: both fit into the bar."""
        if "No module named 'torch'" in recording.error:
            return (
                self.tr("{0}: its Python has no PyTorch").format(recording.script),
                self.tr("choose another (--python), or use --stand-in"),
            )
        error, place = recording.error_and_line
        error = shorten(error, _LONGEST_ERROR, placeholder="…").removesuffix(".")
        words = self.tr("{0} ended: {1}")
        if place:
            words = self.tr("{0} ended at {2}: {1}")
        if place.startswith(f"{recording.script}:"):
            place = self.tr("line {0}").format(place.rpartition(":")[2])
        return (
            words.format(recording.script, error, place),
            self.tr("its traceback is in Output"),
        )

    def _take_opening(self) -> None:
        shown = self._bar.message
        if shown is not None and shown.text == self._ending:
            self._bar.dismiss()
        self._alteration = self._ended = self._ending = ""

    def _warn_of_nothing(self) -> None:
        """Warn, once, that a script has ended in which there is nothing to see."""
        document = self._controller.document
        recording = None if document is None else document.recording
        if recording is None or recording.is_running or recording.error or recording.lost:
            return
        if not self._ending:
            self._ending = self.tr("{0} ended without training anything").format(recording.script)
            remedy = self.tr("check that it calls its training, and its arguments")
            self._messages.warning(self._ending, remedy)

    def _show(self, message: Message) -> None:
        seen = not self._findings.visibleRegion().isEmpty()
        if message.action != ActionId.SHOW_FINDINGS or not seen:
            self._bar.show_message(message)

    def _follow(self, snapshot: Snapshot) -> None:
        shown = self._bar.message
        event = None if snapshot.inside is not None else snapshot.event
        failed = event is not None and not event.outcome.ok
        if shown is not None and shown.transient and not failed:
            self._bar.dismiss()
        self._facts.follow(snapshot)
        if snapshot.event_count == 0:
            self._warn_of_nothing()

    def _take_state(self, state: State) -> None:
        if not state.has_removed_branch:
            self._dismiss_offer(ActionId.RESTORE_BRANCH)  # it was restored

    def _take_visibility(self, shown: bool) -> None:
        if shown:
            self._dismiss_offer(ActionId.SHOW_FINDINGS)

    def _forget(self) -> None:
        """Start over with another program."""
        self._dismiss_offer(ActionId.SHOW_FINDINGS)
        self._facts.forget()

    def _dismiss_offer(self, action: str) -> None:
        shown = self._bar.message
        if shown is not None and shown.action == action:
            self._bar.dismiss()

    def _offer_restore(self, branch: str) -> None:
        self._messages.notice(
            self.tr("Branch “{name}” was removed").format(name=branch),
            action=ActionId.RESTORE_BRANCH,
            offer=self.tr("&Restore"),
        )


class FactNotices(QObject):
    """Posts the first finding of each kind that is a fact.

    Facts found when a document is opened are not news, and a failed Operation has its own message.

    Args:
        messages: Takes the notices.
    """

    def __init__(self, messages: Messages, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._messages = messages
        self._known: set[str] | None = None

    def forget(self) -> None:
        """Start over with another document."""
        self._known = None

    def follow(self, snapshot: Snapshot) -> None:
        """Post the new facts of a moment."""
        facts = {found.id: found for found in snapshot.findings if found.severity == "fact"}
        if self._known is None:
            self._known = set(facts)
            return
        new = [found for name, found in facts.items() if name not in self._known]
        self._known.update(facts)
        failed = snapshot.event is not None and not snapshot.event.outcome.ok
        if new and not failed:
            first, *others = (found.title for found in new)
            self._messages.found(first, "; ".join(others))
