"""LiveScript: a running script that is held before each Operation and debugged."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from gradstep.debugger.debugger import Debugger
from gradstep.script.branch_processes import BranchProcesses
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
        process: The script, not started yet.
        grown: Called with each Debugger that takes the place of another one.

    Attributes:
        process: The script.
        branches: Its branches, and their processes.
        debugger: The Debugger of what it has done so far.

    Raises:
        ScriptError: Its process broke the protocol.
    """

    def __init__(
        self, process: ScriptProcess, grown: Callable[[Debugger], None] | None = None
    ) -> None:
        self.process = process
        self._grown = grown
        self.branches = BranchProcesses.of(process)
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

    @classmethod
    def of_rank(
        cls, process: ScriptProcess, grown: Callable[[Debugger], None] | None = None
    ) -> LiveScript:
        """Return a script that is held already, one of several that run together, at its start.

        Args:
            process: The script.
            grown: As above.
        """
        self = cls.__new__(cls)
        self.process, self._grown = process, grown
        self.branches = BranchProcesses.alone(process, "its ranks run together")
        process.tape.recorded = 0
        self.debugger = Debugger(Mirror(process.tape))
        return self

    def follow(self, count: int) -> None:
        """Apply what the script did without being shown, up to a number of Events."""
        self.carry_out(lambda debugger: debugger.follow(count))

    @property
    def is_running(self) -> bool:
        """Whether the process of the current branch can continue."""
        return self.branches.has_process(self.debugger.branches.current.id)

    def end(self) -> None:
        """End its processes."""
        self.process.end()

    def _grow(self) -> None:
        before, tapes = self.debugger, self.branches.tapes
        recorded = {line: tape.recorded for line, tape in tapes.items()}
        for tape in tapes.values():
            tape.recorded = 0
        first, *others = before.branches
        self.debugger = after = Debugger(Mirror(tapes[first.id]))
        after.follow(recorded[first.id])
        if first.name != after.branches[0].name:
            after.branches.rename(first.id, first.name)
        for branch in others:
            assert branch.parent is not None, "it left another branch"
            after.checkout(branch.parent)
            after.seek(branch.forked_at)
            after.fork(branch.name, branch.id)
            after.follow(recorded[branch.id])
        if after.branches.current.id != before.branches.current.id:
            after.checkout(before.branches.current)
        after.breakpoints.continue_from(before.breakpoints)
        after.watches.take_over(before.watches)
        after.layout = before.layout
        if self._grown is not None:
            self._grown(self.debugger)
