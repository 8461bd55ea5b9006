"""The text of a script, with the lines of it that do Operations."""

from __future__ import annotations

from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING

from gradstep.program import operation as ops
from gradstep.program.listing import LineSpan, Listing

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from gradstep.program.operation import Operation
    from gradstep.script.tape import Tape

__all__ = ["MirroredListing"]

_MOST_OFFERED = 40
"""Tensors that a menu offers to freeze."""


class MirroredListing:
    """Makes the listing of a script, and makes it again once its tape has more.

    Args:
        tape: The tape, which may grow.
        tensors: The names of the tensors.
        modules: Those of the modules.
    """

    def __init__(self, tape: Tape, tensors: Collection[str], modules: Collection[str]) -> None:
        self._tape = tape
        self._tensors = frozenset(tensors)
        self._modules = modules
        self._listing: tuple[tuple[object, ...], Listing, dict[Operation, int]] | None = None
        self._operations: dict[Operation, None] = {}
        self._scanned = 0

    def follow(self, tape: Tape) -> None:
        """List what is on the tape of another branch, too."""
        self._tape, self._scanned = tape, 0

    def take(self) -> tuple[Listing, Mapping[Operation, int]]:
        """Return the listing, and the index of the span of each Operation in it."""
        run, rows, listed = self._tape.run, self._tape.rows, self._operations
        listed.update(
            dict.fromkeys(
                row.operation
                for row in rows[self._scanned :]
                if not (row.operation.out_of_loop or isinstance(row.operation, ops.Skip))
            )
        )
        self._scanned = len(rows)
        if (coming := self._tape.coming) is not None:
            listed[coming] = None
        extent = len(listed), len(run.sources), self._tape.feed is None
        if self._listing is None or self._listing[0] != extent:
            main = next((key for key in run.sources if key.endswith(run.script)), None)
            main = main or next(iter(run.sources), "")
            paths = dict.fromkeys((main, *run.sources))
            files = {PurePath(path).name: run.sources[path] for path in paths if path}
            spans: dict[Operation, LineSpan] = {}
            for operation in listed:
                file, _, line = operation.at.rpartition(":")
                if file in files and line.isdecimal():
                    spans[operation] = LineSpan(operation, int(line), int(line), file=file)
            order = list(files)
            ordered = sorted(spans.values(), key=lambda span: (order.index(span.file), span.first))
            listing = Listing(
                PurePath(run.script).name,
                "",
                run.sources.get(main, ""),
                tuple(ordered),
                self._others(),
                MappingProxyType(files),
            )
            numbers = {span.operation: number for number, span in enumerate(ordered)}
            self._listing = extent, listing, numbers
        return self._listing[1], self._listing[2]

    def _others(self) -> tuple[Operation, ...]:
        """Return what can be done to a script while it is held, besides the four Operations."""
        if self._tape.feed is None:
            return ()
        trained = sorted(self._tape.run.trained & self._tensors)[:_MOST_OFFERED]
        return (
            *(ops.Freeze(name, frozen) for frozen in (True, False) for name in trained),
            *(ops.SetMode(training, name) for training in (True, False) for name in self._modules),
        )
