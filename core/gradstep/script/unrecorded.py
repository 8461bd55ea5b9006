"""Which values of a script were not recorded: where it was thinned out, or not met yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.program.operation import Freeze

if TYPE_CHECKING:
    from gradstep.script.tape import Tape, TapeRow

__all__ = ["UnrecordedValues"]

_NONE: frozenset[str] = frozenset()


class UnrecordedValues:
    """Finds the addresses whose last write came without its value, at any moment of a tape.

    Args:
        tape: The tape, which may grow.
    """

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._after = [_NONE]
        self._sets: dict[frozenset[str], frozenset[str]] = {_NONE: _NONE}
        self._values_in: dict[tuple[str, ...], frozenset[str]] = {}

    def after(self, position: int) -> frozenset[str]:
        """Return the addresses whose values are not known after a number of Events."""
        rows = self._tape.rows
        position = min(max(position, 0), len(rows))
        for row in rows[len(self._after) - 1 : position]:
            self._after.append(self._next(self._after[-1], row))
        return self._after[position]

    def _next(self, before: frozenset[str], row: TapeRow) -> frozenset[str]:
        written = self._values_in.get(row.writes)
        if written is None:
            written = frozenset(filter(self._is_value, row.writes))
            self._values_in[row.writes] = written
        if isinstance(row.operation, Freeze) or (not before and len(row.values) >= len(written)):
            return before
        found = (before | written).difference(row.values)
        return self._sets.setdefault(found, found)

    def _is_value(self, address: str) -> bool:
        """Return whether an address is that of a tensor, a gradient or an optimizer's state."""
        run = self._tape.run
        optimizer, _, rest = address.partition("/")
        return address.removesuffix(".grad") in run.initial or (
            "/" in rest and optimizer in run.optimizers
        )
