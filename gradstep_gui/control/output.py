"""OutputController: what scripts print that were started from the window, and what they read."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot

from gradstep.script.output_log import OutputLog
from gradstep.script.output_reader import OutputReader

if TYPE_CHECKING:
    from gradstep.script.output_log import OutputChange

__all__ = ["OutputController", "OutputSource"]


@dataclass(frozen=True, slots=True, eq=False)
class OutputSource:
    """A script whose output is shown.

    Attributes:
        name: Its name.
        is_recorded: Whether it is recorded, rather than debugged.
    """

    name: str
    is_recorded: bool
    _reader: OutputReader

    @property
    def has_ended(self) -> bool:
        """Whether the script has ended; processes of its branches may go on."""
        return self._reader.has_ended

    @property
    def awaits_input(self) -> bool:
        """Whether it is known to wait for a line of input."""
        return self._reader.is_awaited

    def take(self, *, whole: bool = False) -> OutputChange:
        """Return what has been printed since this was called before; with `whole`, everything."""
        return self._reader.log.take(whole=whole)

    def clear(self) -> None:
        """Forget what has been printed."""
        self._reader.log.clear()

    def type_line(self, text: str) -> None:
        """Type a line, for the script to read."""
        self._reader.type_line(text)

    def end_input(self) -> None:
        """Tell the script that there is no more input."""
        self._reader.end_input()


class OutputController(QObject):
    """Holds the output of the script that is debugged, and of the one that was recorded last.

    Args:
        parent: Its owner.
    """

    changed = Signal()
    """There is another script, or something that `OutputSource.take` returns."""

    awaited_changed = Signal()
    """A script has begun or stopped to wait for a line of input."""

    _arrived = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._sources: tuple[OutputSource, ...] = ()
        self._readers: list[OutputReader] = []
        self._arrived.connect(self._arrive, Qt.ConnectionType.QueuedConnection)

    @property
    def sources(self) -> tuple[OutputSource, ...]:
        """The scripts, the latest last."""
        return self._sources

    @property
    def has_begun(self) -> bool:
        """Whether a script was started whose output is shown, or will be in a moment."""
        return any(reader.has_begun for reader in self._readers)

    def begin(self, name: str, *, is_recorded: bool) -> OutputReader:
        """Return what reads the output of a script that is about to be started.

        It takes the place of the one before once it has been started.

        Args:
            name: The name of the script.
            is_recorded: Whether it is recorded, rather than debugged.
        """
        log = OutputLog(lambda: self._tell(source))
        reader = OutputReader(log, self._tell_awaited)
        source = OutputSource(name, is_recorded, reader)
        self._readers.append(reader)
        return reader

    def close(self) -> None:
        """Stop reading."""
        for reader in self._readers:
            reader.close()

    @Slot(object)
    def _arrive(self, source: OutputSource) -> None:
        if source not in self._sources:
            kept = [one for one in self._sources if one.is_recorded is not source.is_recorded]
            self._sources = (*kept, source)
            readers = [one._reader for one in self._sources]  # noqa: SLF001 - made here
            self._readers = [one for one in self._readers if one in readers or not one.has_ended]
        self.changed.emit()

    # -- on the reader's thread ----------------------------------------------------------------

    def _tell(self, source: OutputSource) -> None:
        with suppress(RuntimeError):  # the window has been destroyed, and this object with it
            self._arrived.emit(source)

    def _tell_awaited(self) -> None:
        with suppress(RuntimeError):
            self.awaited_changed.emit()
