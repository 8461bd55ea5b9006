"""LiveScript: a running script that is held before each Operation and debugged."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from gradstep.debugger.debugger import Debugger
from gradstep.script.mirror import GrownError, Mirror

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.script.process import ScriptProcess

__all__ = ["LiveScript"]

_Result = TypeVar("_Result")


class LiveScript:
    """Holds a script, and the Debugger of what it has done.

    When the script has something new, such as its first optimizer, a new Debugger takes the place
    of the old one, at the same Event and with the same breakpoints and watches.

    Args:
        process: The script, not begun yet.
        grown: Called with each Debugger that takes the place of another one.

    Attributes:
        process: The script.
        debugger: The Debugger of what it has done so far.

    Raises:
        ScriptError: Its process broke the protocol.
    """

    def __init__(
        self, process: ScriptProcess, grown: Callable[[Debugger], None] | None = None
    ) -> None:
        self.process = process
        self._grown = grown
        process.hold()
        self.debugger = Debugger(Mirror(process.tape))

    def carry_out(self, command: Callable[[Debugger], _Result]) -> _Result:
        """Return the result of a command on the Debugger, which may let the script continue.

        Args:
            command: Called with the Debugger; called again with another one when the script has
                something new.
        """
        while True:
            try:
                return command(self.debugger)
            except GrownError as error:
                self._grow()
                for _ in range(error.taken):
                    self.debugger.step_into()
                following = self.debugger.next_operation
                if error.finishes and following is not None:
                    return self.debugger.apply(following)  # type: ignore[return-value]  # a step

    def _grow(self) -> None:
        before, tape = self.debugger, self.process.tape
        recorded, tape.recorded = tape.recorded, 0
        self.debugger = Debugger(Mirror(tape))
        self.debugger.follow(recorded)
        self.debugger.take_over(before)
        if self._grown is not None:
            self._grown(self.debugger)
