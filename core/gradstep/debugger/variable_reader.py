"""VariableReader: the variables of a script, where it is held."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final

from gradstep.history.records.variables import (
    FrameRecord,
    HeldVariables,
    TensorValues,
    VariableRecord,
)
from gradstep.history.summary import summarise
from gradstep.script.mirror import Mirror

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from gradstep.debugger.cursor import Cursor
    from gradstep.script.frames import Variable
    from gradstep.script.tape import Feed

__all__ = ["MOST_ELEMENTS", "VariableReader"]

MOST_ELEMENTS: Final = 1 << 16
"""The most elements of a tensor that are fetched; of a larger one the first."""

_FEW: Final = 8
_MOST_FETCHED: Final = 100
_MOST_OPENED: Final = 200
_LONGEST_PATH: Final = 2000

_PROGRAM = "A program has no variables: its tensors are in Parameters."
_RECORDING = "The variables of a script are not recorded: they are known only while it is held."
_PAST = "The variables are known only where the script is held: go to the latest event."
_UNDER_WAY = "The process is on its way to its next operation, and may wait for other ranks."
_ENDED = "The script has ended, and its variables with it."


class VariableReader:
    """Asks a script for its variables.

    Args:
        cursor: The place in time.
    """

    __slots__ = ("_cursor",)

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor

    def read(self, frame: int = 0, opened: Collection[str] = ()) -> HeldVariables:
        """Return the variables of one of the user's frames.

        Args:
            frame: Its number, 0 for the innermost.
            opened: The paths of those whose parts are wanted, too.

        Raises:
            ScriptError: The script's process broke the protocol.
        """
        feed, obstacle = self._held()
        found = None if feed is None else feed.variables(frame, _asked(opened))
        if feed is None or found is None:
            return HeldVariables(obstacle=obstacle or self._held()[1] or _UNDER_WAY)
        few = [item.address for item in found.variables if item.address and _is_few(item)]
        values = feed.arrays(few[:_MOST_FETCHED]) if few else {}
        return HeldVariables(
            tuple(FrameRecord(*item) for item in found.frames),
            found.frame,
            tuple(_records(found.variables, values)),
        )

    def values(self, address: str, shape: tuple[int, ...]) -> TensorValues:
        """Return the values of a tensor, or the first of them.

        Args:
            address: That of a variable, or of its gradient, which ends with ".grad".
            shape: The shape of the variable.

        Raises:
            ScriptError: The script's process broke the protocol.
        """
        feed, _ = self._held()
        found = {} if feed is None else feed.arrays([address], MOST_ELEMENTS)
        array = found.get(address)
        record = None if array is None else summarise(array, whole=True)
        return TensorValues(address, record, shape)

    def _held(self) -> tuple[Feed | None, str]:
        """Return the script that is held here, or why there is none."""
        program = self._cursor.program
        if not isinstance(program, Mirror):
            return None, _PROGRAM
        tape = program.tape
        if tape.feed is None:
            return None, _RECORDING
        if self._cursor.position < len(tape.rows):
            return None, _PAST
        return (None, _ENDED) if tape.has_ended else (tape.feed, "")


def _is_few(item: Variable) -> bool:
    return prod(item.shape) <= _FEW


def _asked(opened: Collection[str]) -> list[str]:
    return [path for path in sorted(opened) if len(path) <= _LONGEST_PATH][:_MOST_OPENED]


def _records(
    items: Iterable[Variable], values: Mapping[str, NDArray[Any]]
) -> Iterator[VariableRecord]:
    paths: list[str] = []  # of the rows that hold the present one
    for item in items:
        del paths[item.depth :]
        path = f"{paths[-1] if paths else ''}{item.name}"
        yield _record(item, values.get(item.address), len(paths), path)
        paths.append(path)


def _record(item: Variable, value: NDArray[Any] | None, depth: int, path: str) -> VariableRecord:
    return VariableRecord(
        item.name,
        item.kind,
        item.text,
        item.address,
        tuple(item.shape),
        item.requires_grad,
        item.has_grad,
        None if value is None else summarise(value, whole=True),
        depth,
        item.can_open,
        path,
    )
