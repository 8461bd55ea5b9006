"""Messages: the one channel for notices, warnings and errors."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from PySide6.QtCore import QObject, Signal

from gradstep.errors import GradStepError, NotTextError, ProgramError, RecordingError
from gradstep_gui.action_ids import ActionId

__all__ = ["Message", "MessageKind", "Messages"]

KEPT = 200
"""The length of the history; a run that fails each iteration must not fill memory."""


class MessageKind(StrEnum):
    """The severity of a message."""

    NOTICE = "notice"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Message:
    """A message to the user.

    Attributes:
        kind: Its severity.
        text: What happened, in one or two lines.
        remedy: What to do about it; may be empty.
        at: When it was posted.
        action: The id of an Action offered with it; may be empty.
        offer: The title of that offer, with `&` before the mnemonic.
        transient: Whether the next Operation dismisses it.
    """

    kind: MessageKind
    text: str
    remedy: str
    at: datetime
    action: str = ""
    offer: str = ""
    transient: bool = False


class Messages(QObject):
    """Takes messages from anywhere in the window, and emits them to be shown.

    Example:
        >>> messages = Messages()
        >>> messages.warning("the loss is not a number", "lower the learning rate")
        >>> messages.history[-1].remedy
        'lower the learning rate'
    """

    posted = Signal(object)
    """A new `Message`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history: deque[Message] = deque(maxlen=KEPT)

    @property
    def history(self) -> tuple[Message, ...]:
        """The latest messages, oldest first."""
        return tuple(self._history)

    def notice(self, text: str, remedy: str = "", action: str = "", offer: str = "") -> None:
        """Post a notice, optionally with an Action."""
        self._post(MessageKind.NOTICE, text, remedy, action, offer)

    def found(self, text: str, others: str = "") -> None:
        """Post a finding, and offer to show it."""
        self.notice(text, others, ActionId.SHOW_FINDINGS, self.tr("&Show"))

    def warning(self, text: str, remedy: str = "", action: str = "", offer: str = "") -> None:
        """Post a warning, optionally with an Action."""
        self._post(MessageKind.WARNING, text, remedy, action, offer)

    def error(self, text: str, remedy: str = "") -> None:
        """Post an error."""
        self._post(MessageKind.ERROR, text, remedy)

    def failed(self, task: str, error: GradStepError) -> None:
        """Post why a command failed; offer to edit a document with errors."""
        if isinstance(error, RecordingError):
            self.error(error.message, error.remedy)
            return
        text = self.tr("Could not {0}: {1}").format(task, error.message)
        is_inside = isinstance(error, ProgramError) and error.place.startswith("$")
        can_be_edited = is_inside and not isinstance(error, NotTextError)
        offer = (
            (ActionId.EDIT_BROKEN_DOCUMENT, self.tr("&Edit Document"))
            if can_be_edited
            else ("", "")
        )
        self._post(MessageKind.ERROR, text, error.remedy, *offer)

    def operation_failed(self, text: str, remedy: str) -> None:
        """Post why the Operation just applied failed."""
        self._post(MessageKind.ERROR, text, remedy, transient=True)

    def _post(
        self,
        kind: MessageKind,
        text: str,
        remedy: str,
        action: str = "",
        offer: str = "",
        *,
        transient: bool = False,
    ) -> None:
        now = datetime.now().astimezone()
        message = Message(kind, text, remedy, now, action, offer, transient)
        self._history.append(message)
        self.posted.emit(message)
