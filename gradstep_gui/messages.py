"""The one channel for what the application has to say: notices, warnings, errors."""

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
"""How many messages the history keeps; a run that fails each iteration must not fill memory."""


class MessageKind(StrEnum):
    """How much a message matters."""

    NOTICE = "notice"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Message:
    """One thing said.

    Attributes:
        kind: How much it matters.
        text: What is the matter, in one or two lines.
        remedy: What to do about it; may be empty.
        at: When it was said.
        action: The id of an Action that is offered with it; may be empty.
        offer: The words of that offer, with a `&` before the letter to press.
        passing: True when it is about the Operation just pressed; the next one takes it away.
    """

    kind: MessageKind
    text: str
    remedy: str
    at: datetime
    action: str = ""
    offer: str = ""
    passing: bool = False


class Messages(QObject):
    """Takes messages from anywhere in the window and tells whoever shows them.

    Example:
        >>> messages = Messages()
        >>> messages.warning("the loss is not a number", "lower the learning rate")
        >>> messages.history[-1].remedy
        'lower the learning rate'
    """

    posted = Signal(object)
    """There is a new `Message`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history: deque[Message] = deque(maxlen=KEPT)

    @property
    def history(self) -> tuple[Message, ...]:
        """The latest messages, oldest first."""
        return tuple(self._history)

    def notice(self, text: str, remedy: str = "", action: str = "", offer: str = "") -> None:
        """Say something good to know, and offer an Action with it."""
        self._post(MessageKind.NOTICE, text, remedy, action, offer)

    def found(self, text: str, others: str = "") -> None:
        """Say what mistake was found in the loop, and offer to show it."""
        self.notice(text, others, ActionId.SHOW_FINDINGS, self.tr("&Show"))

    def warning(self, text: str, remedy: str = "", action: str = "", offer: str = "") -> None:
        """Say something that deserves a look, and offer an Action with it."""
        self._post(MessageKind.WARNING, text, remedy, action, offer)

    def error(self, text: str, remedy: str = "") -> None:
        """Say what went wrong."""
        self._post(MessageKind.ERROR, text, remedy)

    def failed(self, task: str, error: GradStepError) -> None:
        """Say why what was to be done could not be; what is wrong in a file can be mended."""
        if isinstance(error, RecordingError):
            self.error(error.message, error.remedy)
            return
        text = self.tr("Could not {0}: {1}").format(task, error.message)
        is_inside = isinstance(error, ProgramError) and error.place.startswith("$")
        can_be_mended = is_inside and not isinstance(error, NotTextError)
        offer = (ActionId.EDIT_BROKEN_DOCUMENT, self.tr("Edit &It")) if can_be_mended else ("", "")
        self._post(MessageKind.ERROR, text, error.remedy, *offer)

    def refused(self, text: str, remedy: str) -> None:
        """Say why the Operation just pressed was refused."""
        self._post(MessageKind.ERROR, text, remedy, passing=True)

    def _post(
        self,
        kind: MessageKind,
        text: str,
        remedy: str,
        action: str = "",
        offer: str = "",
        *,
        passing: bool = False,
    ) -> None:
        now = datetime.now().astimezone()
        message = Message(kind, text, remedy, now, action, offer, passing)
        self._history.append(message)
        self.posted.emit(message)
