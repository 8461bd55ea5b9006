"""What the worker thread does with documents that are edited: tries them, and opens them.

Every method of `ProgramHost` runs on the worker thread, beside those of `EngineHost`.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QCoreApplication

from gradstep.debugger import Debugger
from gradstep.errors import GradStepError, ProgramError
from gradstep.pluralize import pluralize
from gradstep.program.document import codec
from gradstep.program.document.files import HeldFiles, read_bytes
from gradstep.program.document.positions import span_of
from gradstep.session.opening import is_session
from gradstep_gui.records import Draft, DraftCheck
from gradstep_gui.worker.delivery import Delivery

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gradstep_gui.worker.engine import Engine
    from gradstep_gui.worker.engine_worker import EngineWorker

__all__ = ["ProgramHost"]

_LINE = re.compile(r"line \d+, column \d+: ")
"""How errors of JSON begin; where a place is known, whoever shows them names the line."""


class _Adopt(Protocol):
    def __call__(self, debugger: Engine, path: Path | None, *, is_saved: bool) -> None: ...


class ProgramHost:
    """The worker's side of editing documents.

    Args:
        worker: Where to post.
        opened: Gives the open Debugger, and the file that it is of.
        adopt: Takes a Debugger for the open one.
    """

    def __init__(
        self,
        worker: EngineWorker,
        opened: Callable[[], tuple[Engine, Path | None]],
        adopt: _Adopt,
    ) -> None:
        self._worker = worker
        self._opened = opened
        self._adopt = adopt
        self._sound: tuple[Draft, Debugger] | None = None

    def write(self) -> None:
        """Post the document of the open program; of a program's file, the file as it is."""
        debugger, path = self._opened()
        if path is not None and not is_session(path):
            draft = Draft(_text(read_bytes(path), path.name), path)
        else:
            draft = Draft(debugger.program_document, None, MappingProxyType(dict(debugger.files)))
        self._worker.post(Delivery(draft=draft))

    def read(self, path: Path) -> None:
        """Post a file, whatever it holds, to be edited."""
        draft = Draft(_text(read_bytes(path), path.name), path)
        self._worker.post(Delivery(draft=draft))

    def check(self, draft: Draft) -> None:
        """Make a program of a document, and post what it is, or what is wrong."""
        self._sound = None
        try:
            debugger = _made(draft)
        except GradStepError as error:
            place = span_of(draft.text, error) if isinstance(error, ProgramError) else None
            says = error.message if place is None else _LINE.sub("", error.message)
            checked = DraftCheck(draft, says, error.remedy, place)
        else:
            self._sound = draft, debugger
            checked = DraftCheck(draft, _summary(debugger), is_valid=True)
        self._worker.post(Delivery(checked=checked))

    def forget(self) -> None:
        """Let go of what was found sound: nobody edits any more."""
        self._sound = None

    def open(self, draft: Draft, *, is_saved: bool) -> None:
        """Open a document that `check` has found sound.

        Args:
            draft: The document.
            is_saved: Whether its file holds this very text.
        """
        sound, self._sound = self._sound, None
        debugger = sound[1] if sound is not None and sound[0] == draft else _made(draft)
        self._adopt(debugger, draft.path if is_saved else None, is_saved=is_saved)


def _made(draft: Draft) -> Debugger:
    spec = codec.decode(draft.text.encode("utf-8", "surrogatepass"))
    if draft.path is None and draft.files:
        return Debugger(spec, files=HeldFiles(draft.files))
    return Debugger(spec, None if draft.path is None else draft.path.parent)


def _text(raw: bytes, name: str) -> str:
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise GradStepError(f"{name} is not UTF-8 text", "open it in another editor") from None


def _summary(debugger: Debugger) -> str:
    """Say what a program is made of."""
    tensors = debugger.program.tensors.values()
    numbers = sum(int(tensor.numel()) for tensor in tensors)
    parts = [
        f"{pluralize(len(tensors), 'tensor')} of {pluralize(numbers, 'number')}",
        pluralize(len(debugger.program.losses), "loss"),
        pluralize(len(debugger.program.optimizers), "optimizer"),
    ]
    words = QCoreApplication.translate("ProgramHost", "A sound program: {0}.")
    return words.format(", ".join(parts))
