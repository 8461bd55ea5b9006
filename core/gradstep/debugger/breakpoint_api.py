"""Breaking: the breakpoints of a Debugger, and the moment at which they look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.debugger.breakpoints.breakpoint import Breakpoint, Kinds, kinds_of
from gradstep.debugger.breakpoints.breakpoints import Breakpoints
from gradstep.debugger.breakpoints.history_search import Retrospect
from gradstep.debugger.conditions.moment import Moment
from gradstep.debugger.cursor import quiet
from gradstep.debugger.stepping import Stepping
from gradstep.history.records.breakpoints import BreakpointSpec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.debugger.timeline import Timeline
    from gradstep.history.records.breakpoints import LogLine
    from gradstep.history.records.finding import Finding
    from gradstep.program.program import Program

__all__ = ["Breaking"]


class Breaking(Stepping):
    """A cursor with breakpoints.

    Args:
        program: The live program.
        timeline: Its branches, and the cursor.
        known: Findings of an earlier watch over the same branches.
        breakpoints: Their texts, as a session keeps them.
    """

    def __init__(
        self,
        program: Program,
        timeline: Timeline,
        known: Sequence[Finding] = (),
        breakpoints: Sequence[str] = (),
    ) -> None:
        super().__init__(program, timeline, known)
        self._moment = Moment(program, noticed=self._noticed)
        self._breakpoints = Breakpoints(self._moment, breakpoints, self._keep_breakpoints)

    @quiet
    def break_when(
        self,
        expression: str,
        before: Kinds = None,
        after: Kinds = None,
        hits: int = 1,
        log: str | None = None,
    ) -> Breakpoint:
        """Let runs stop where a condition holds.

        Args:
            expression: Such as `loss > 10` or `changed("model.0.weight.grad")`; the whole language
                is in `gradstep.debugger.conditions.language.TABLE`.
            before: Kinds of Operation before which it is asked: "backward", or several, or "any".
            after: Kinds after which it is asked. When neither is told it is asked where what it
                reads gets its value: a loss after each Forward, a gradient after Backward,
                parameters and optimizer state after Step; and after every Operation when it asks
                what the Event just done did.
            hits: It stops from this hit on. Those before are counted only; going back, every hit
                counts.
            log: A text with `{expressions}` to note in `log_lines` instead of stopping.

        Returns:
            The breakpoint, to be disabled, enabled and removed.

        Raises:
            ExpressionError: The condition or the text says something that they cannot say.
            ArgumentError: There is no such kind of Operation, or `hits` is not positive.

        Example:
            >>> from gradstep.debugger import Debugger
            >>> from gradstep.program.document.codec import decode
            >>> dbg = Debugger(decode(b'''{"gradstep": 1,
            ...     "tensors": {"x": {"value": [1, 2], "requires_grad": true}},
            ...     "losses": {"loss": {"expression": "sum(x * x)"}},
            ...     "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.1}},
            ...     "loop": [{"op": "zero_grad"}, {"op": "forward"}, {"op": "backward"},
            ...              {"op": "step"}]}'''))
            >>> point = dbg.break_when("loss < 1")
            >>> dbg.run().sentence
            'loss < 1, after Event 18'
            >>> point.count, dbg.run().event, dbg.run_back().event
            (1, 22, 18)
        """
        spec = BreakpointSpec(expression, kinds_of(before), kinds_of(after), hits, log)
        trial = Breakpoint(0, spec, self._present(), self._breakpoints.replace)
        trial.try_now()
        if trial.error is not None:
            raise trial.error
        return self._breakpoints.add(spec)

    @quiet
    def set_breakpoint(self, spec: BreakpointSpec, number: int | None = None) -> Breakpoint:
        """Set a breakpoint, or let one do something else; a wrong one is kept, and tells so.

        Args:
            spec: What it is to do.
            number: Which one; None for another.

        Raises:
            ArgumentError: There is no such kind of Operation, or the hit count is not positive.
            OperationError: There is no such breakpoint, or there are too many.
        """
        self._present()
        if number is None:
            point = self._breakpoints.add(spec)
        else:
            point = self._breakpoints.find(number)
            self._breakpoints.replace(point, spec)
        point.try_now()
        return point

    def remove_breakpoint(self, number: int) -> None:
        """Take a breakpoint away.

        Raises:
            OperationError: There is no such breakpoint.
        """
        self._breakpoints.find(number).remove()

    @property
    def breakpoints(self) -> tuple[Breakpoint, ...]:
        """All breakpoints, in the order in which they were set."""
        return tuple(self._breakpoints)

    @property
    def log_lines(self) -> tuple[LogLine, ...]:
        """What breakpoints noted instead of stopping, the latest 10,000 lines."""
        return tuple(self._breakpoints.lines)

    # -- inside ----------------------------------------------------------------------------------

    def _present(self) -> Moment:
        """Return where breakpoints and watches look, brought to the present moment."""
        return self._stand_at(self._timeline.position)

    def _stand_at(self, position: int) -> Moment:
        moment, history = self._moment, self.history
        moment.event = position
        moment.done = history.applied_event(position) if position else None
        moment.last_loss = history.log.last_loss(position)
        return moment

    def _retrospect(self, points: Sequence[Breakpoint]) -> Retrospect:
        def seek(index: int) -> Moment:
            self.seek(index)
            return self._stand_at(index)

        return Retrospect(self._program, self.history, points, self._noticed, seek)

    def _noticed(self, event: int) -> bool:
        return event in self._monitor.beginnings()

    def _keep_breakpoints(self) -> None:
        self._keep("breakpoints", self._breakpoints.texts)

    def _keep(self, table: str, texts: Sequence[str]) -> None:
        """Let a recording know of all breakpoints or watches."""
        self._record(lambda recorder: recorder.texts(table, texts))
