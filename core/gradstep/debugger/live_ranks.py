"""LiveRanks: the ranks of a distributed script, held together; the Debugger shows one of them."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Literal, TypeVar

from gradstep.debugger.change_names import kind_name
from gradstep.debugger.comparing.rank_comparison import RankComparison
from gradstep.debugger.live_script import LiveScript
from gradstep.history.records.ranks import RankRecord

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.debugger.debugger import Debugger
    from gradstep.program.operation import Operation
    from gradstep.script.rank_group import Rank, RankGroup

__all__ = ["LiveRanks"]

_Result = TypeVar("_Result")


class LiveRanks:
    """Holds the ranks of a script, and the Debugger of each that was looked at.

    What the Debugger of the shown rank lets its process do, the other ranks do too.

    Args:
        group: The ranks, not started yet.
        grown: Called with each Debugger that takes the place of the shown one.

    Raises:
        OperationError: The first rank does not come to an Operation.
        ScriptError: It broke the protocol.
    """

    def __init__(self, group: RankGroup, grown: Callable[[Debugger], None] | None = None) -> None:
        self._group = group
        self._grown = grown
        self._scripts: dict[int, LiveScript] = {}
        group.begin()
        if group.were_joined:
            group.bring_together()
        self._comparison = RankComparison(
            {number: rank.process.tape for number, rank in group.ranks.items()}
        )
        self._shown = self._script(group.shown.number)

    @property
    def shown(self) -> int:
        """The rank that the Debugger shows."""
        return self._group.shown.number

    @property
    def debugger(self) -> Debugger:
        """The Debugger of the shown rank."""
        return self._shown.debugger

    @property
    def is_running(self) -> bool:
        """Whether the shown rank can continue."""
        return self._shown.is_running

    def carry_out(self, command: Callable[[Debugger], _Result]) -> _Result:
        """Return the result of a command on the shown rank; see `LiveScript.carry_out`."""
        return self._shown.carry_out(command)

    def show(self, number: int) -> Debugger:
        """Show another rank, at the same Event, with the same breakpoints and watches.

        Args:
            number: The rank.

        Returns:
            Its Debugger.
        """
        before, (event, _) = self.debugger, self.debugger.position
        before.history.recorder = None  # what is shown is recorded
        was_at_end = event == len(before.events)
        waiting = len(self._group.shown.process.tape.rows) - len(before.events)
        self._group.show(number)
        self._shown = self._script(number, waiting)
        after = self.debugger
        if after is not before:
            after.breakpoints.take_over(before.breakpoints)
            after.watches.take_over(before.watches)
            after.layout = before.layout
        end = len(after.events)
        after.seek(end if was_at_end else min(event, end))
        return after

    def debuggers(self) -> dict[int, Debugger]:
        """Return the Debugger of every rank, with all that it has done."""
        return {number: self._script(number).debugger for number in self._group.ranks}

    def poll(self) -> bool:
        """Take what the ranks have sent while no command was running; see `RankGroup.poll`."""
        return self._group.poll()

    def end(self) -> None:
        """End all ranks; any thread may call this."""
        self._group.end()

    def records(self, *, with_norms: bool = True) -> tuple[RankRecord, ...]:
        """Return what is known of each rank now.

        Args:
            with_norms: Whether to compute the norms again, which takes a while for a large model.
        """
        self._comparison.update()
        return tuple(
            self._record(rank, with_norms=with_norms) for rank in self._group.ranks.values()
        )

    def _script(self, number: int, waiting: int = 0) -> LiveScript:
        """Return a rank with its Debugger, which has taken what it has done.

        Args:
            number: The rank.
            waiting: How many of its last Events are not taken yet: changes by hand are noticed only
                when the next Operation begins.
        """
        process = self._group.ranks[number].process
        if number not in self._scripts:
            self._scripts[number] = LiveScript.of_rank(
                process, lambda debugger: self._replace(number, debugger)
            )
        self._scripts[number].follow(len(process.tape.rows) - waiting)
        return self._scripts[number]

    def _replace(self, number: int, debugger: Debugger) -> None:
        if self._grown is not None and number == self.shown and number in self._scripts:
            self._grown(debugger)

    def _record(self, rank: Rank, *, with_norms: bool) -> RankRecord:
        tape, comparison = rank.process.tape, self._comparison
        run, number = tape.run, rank.number
        operation = (
            None if tape.has_ended else rank.left_before if rank.is_under_way else tape.coming
        )
        norms = comparison.norms(number) if with_norms else comparison.latest_norms(number)
        is_remote = rank.pid is None
        failed = next(iter(self._group.failed), number)
        ended_after = failed if run.lost and failed != number else None
        return RankRecord(
            number,
            run.script.removeprefix("process at ") if is_remote else socket.gethostname(),
            rank.pid,
            _state(rank),
            "" if operation is None else self._place(rank, operation),
            rank.is_past,
            "" if operation is None else operation.at,
            len(tape.rows),
            tape.iteration_after(len(tape.rows)) if tape.rows else None,
            comparison.loss(number),
            *norms,
            comparison.divergence(number),
            comparison.compared(number),
            run.status,
            (run.error or run.lost) if ended_after is None else "",
            ended_after,
            run.traceback,
            number in self._group.failed[:1],
            rank is self._group.shown,
        )

    def _place(self, rank: Rank, operation: Operation) -> str:
        """Return an Operation with its number among those of its kind."""
        count = self._comparison.count(rank.number, operation) + (not rank.is_past)
        return f"{kind_name(operation)} #{count:,}"


def _state(rank: Rank) -> Literal["held", "running", "waiting", "ended"]:
    if rank.has_ended:
        return "ended"
    if not rank.is_under_way:
        return "held"
    return "waiting" if rank.waits else "running"
