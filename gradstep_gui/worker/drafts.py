"""Drafts on the worker thread: reading the documents that the user edits, and checking them."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gradstep.debugger import Debugger
from gradstep.errors import GradStepError, ProgramError, UnsupportedError
from gradstep.program.document import codec
from gradstep.program.document.files import InMemoryFiles, read_bytes
from gradstep.program.document.layout import format_document
from gradstep.program.document.positions import error_span
from gradstep.session.opening import is_session
from gradstep_gui.records import Draft, DraftCheck
from gradstep_gui.translation import counted
from gradstep_gui.worker.updates import DraftCheckUpdate, DraftUpdate

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DraftChecker", "draft_of", "read_draft"]

_LINE = re.compile(r"line \d+, column \d+: ")
"""How JSON errors begin; where the place is known, the editor shows the line."""


class DraftChecker:
    """Builds programs from drafts, and keeps the last valid one so that it opens at once."""

    def __init__(self) -> None:
        self._valid: tuple[Draft, Debugger] | None = None

    def check(self, draft: Draft) -> DraftCheckUpdate:
        """Build a program from a draft, and return its summary or the error."""
        self._valid = None
        try:
            debugger = _build(draft)
        except GradStepError as error:
            place = error_span(draft.text, error) if isinstance(error, ProgramError) else None
            message = error.message if place is None else _LINE.sub("", error.message)
            return DraftCheckUpdate(DraftCheck(draft, message, error.remedy, place))
        self._valid = draft, debugger
        return DraftCheckUpdate(DraftCheck(draft, _summary(debugger), is_valid=True))

    def take(self, draft: Draft) -> Debugger:
        """Return the Debugger of a draft, and forget it.

        Raises:
            ProgramError: The draft is not valid.
        """
        valid, self._valid = self._valid, None
        return valid[1] if valid is not None and valid[0] == draft else _build(draft)

    def forget(self) -> None:
        """Free the last valid program: the editor is closed."""
        self._valid = None


def read_draft(path: Path) -> DraftUpdate:
    """Return the text of a file, valid or not.

    Raises:
        GradStepError: The file cannot be read, or is not text.
    """
    return DraftUpdate(Draft(_decode(read_bytes(path), path.name), path))


def draft_of(debugger: Debugger, path: Path | None) -> DraftUpdate:
    """Return the document of the open program; for a program file, its exact text.

    Raises:
        GradStepError: The file cannot be read, or is not text; or it is a script that is open.
    """
    if path is not None and not is_session(path):
        return read_draft(path)
    if debugger.recording is not None:
        raise UnsupportedError("a script has no document", "edit the script, and run it again")
    files = MappingProxyType(dict(debugger.program.files))
    return DraftUpdate(Draft(format_document(debugger.program.spec), None, files))


def _build(draft: Draft) -> Debugger:
    spec = codec.decode(draft.text.encode("utf-8", "surrogatepass"))
    if draft.path is None and draft.files:
        return Debugger(spec, files=InMemoryFiles(draft.files))
    return Debugger(spec, None if draft.path is None else draft.path.parent)


def _decode(raw: bytes, name: str) -> str:
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise GradStepError(f"{name} is not UTF-8 text", "open it in another editor") from None


def _summary(debugger: Debugger) -> str:
    tensors = debugger.program.tensors.values()
    numbers = sum(int(tensor.numel()) for tensor in tensors)
    program = debugger.program
    parts = (
        counted(len(tensors), _tr("{0} tensor"), _tr("{0} tensors")),
        counted(numbers, _tr("{0} number"), _tr("{0} numbers")),
        counted(len(program.losses), _tr("{0} loss"), _tr("{0} losses")),
        counted(len(program.optimizers), _tr("{0} optimizer"), _tr("{0} optimizers")),
    )
    return _tr("Valid program: {0} of {1}, {2}, {3}.").format(*parts)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Drafts", text)
