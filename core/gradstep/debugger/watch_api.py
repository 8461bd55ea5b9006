"""Watching: the watches of a Debugger, and who changed a value last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.debugger.breakpoints.history_search import RecordedMoment, tells_losses
from gradstep.debugger.conditions.numeric import same
from gradstep.debugger.conditions.place import Place, place_of
from gradstep.debugger.cursor import quiet
from gradstep.debugger.last_writer import is_written, writers
from gradstep.debugger.running import Running
from gradstep.debugger.watches.record import watch_records
from gradstep.debugger.watches.watch import Watch
from gradstep.errors import OperationError
from gradstep.history.reads_writes import parse
from gradstep.history.records.breakpoints import Breaks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradstep.debugger.conditions.moment import Moment
    from gradstep.debugger.timeline import Timeline
    from gradstep.history.records.finding import Finding
    from gradstep.program.program import Program

__all__ = ["Watching"]

MOST = 200
"""Watches of one Debugger: more than a person reads, and a window asks them all."""

LINES_SHOWN = 1000
"""Of the lines that breakpoints noted, those that a window is handed."""


class Watching(Running):
    """A cursor with watches.

    Args:
        program: The live program.
        timeline: Its branches, and the cursor.
        known: Findings of an earlier watch over the same branches.
        breakpoints: Their texts, as a session keeps them.
        watches: Their expressions, likewise.
    """

    def __init__(
        self,
        program: Program,
        timeline: Timeline,
        known: Sequence[Finding] = (),
        breakpoints: Sequence[str] = (),
        watches: Sequence[str] = (),
    ) -> None:
        super().__init__(program, timeline, known, breakpoints)
        self._watches: list[Watch] = []
        self._next_watch = 1
        for expression in watches[:MOST]:
            self._add(expression)

    @quiet
    def watch(self, expression: str) -> Watch:
        """Watch an expression.

        Args:
            expression: Such as `norm(grad("model.0.weight"))`; the whole language is in
                `gradstep.debugger.conditions.language.TABLE`.

        Returns:
            The watch: `value` tells its value at the present moment, `history` that at past ones.

        Raises:
            ExpressionError: It says something that it cannot say, or cannot be computed now.

        Example:
            >>> from gradstep.debugger import Debugger
            >>> from gradstep.program.document.codec import decode
            >>> dbg = Debugger(decode(b'''{"gradstep": 1,
            ...     "tensors": {"x": {"value": [3, 4], "requires_grad": true}},
            ...     "losses": {"loss": {"expression": "sum(x * x)"}},
            ...     "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.25}}}'''))
            >>> watch = dbg.watch("norm(grad('x'))")
            >>> _ = dbg.forward(), dbg.backward()
            >>> watch.value, watch.before, watch.at(0)
            (10.0, None, None)
        """
        trial = Watch(0, expression, self, self._drop)
        _ = trial.value
        made = self._add(expression)
        self._keep_watches()
        return made

    def set_watch(self, expression: str, number: int | None = None) -> Watch:
        """Watch an expression, or let a watch look at another; a wrong one is kept, and tells so.

        Args:
            expression: What to watch.
            number: Which watch; None for another.

        Raises:
            OperationError: There is no such watch, or there are too many.
        """
        if number is None:
            if len(self._watches) >= MOST:
                raise OperationError(f"there are {MOST} watches already", "remove one first")
            watch = self._add(expression)
        else:
            watch = self._watch(number)
            watch.become(expression)
        self._keep_watches()
        return watch

    def remove_watch(self, number: int) -> None:
        """Watch something no more.

        Raises:
            OperationError: There is no such watch.
        """
        self._drop(self._watch(number))

    @property
    def watches(self) -> tuple[Watch, ...]:
        """All watches, in the order in which they were added."""
        return tuple(self._watches)

    @quiet
    def who_changed(
        self, address: str, *, should_stop: Callable[[], bool] | None = None
    ) -> int | None:
        """Return the Event that wrote a value last, up to the present moment.

        Args:
            address: What Events tell that they write: "model.0.weight", "model.0.weight.grad",
                "optimizer/model.0.weight/exp_avg", "optimizer/lr", "loss"; or "optimizer/1/lr", of
                group 1. Of one element, such as "model.0.weight[0, 1]", the last Event that gave
                it another value.
            should_stop: Asked on the way to an element; True ends the search.

        Returns:
            Its index; None when no Event has.

        Raises:
            ExpressionError: There is no such value.

        Example:
            >>> from gradstep.debugger import Debugger
            >>> from gradstep.program.document.codec import decode
            >>> dbg = Debugger(decode(b'''{"gradstep": 1,
            ...     "tensors": {"x": {"value": [1, 2], "requires_grad": true}},
            ...     "losses": {"loss": {"expression": "sum(100 * x)"}},
            ...     "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}}}'''))
            >>> _ = dbg.forward(), dbg.backward(), dbg.step()
            >>> dbg.who_changed("x"), dbg.who_changed("x.grad"), dbg.who_changed("x[1]")
            (3, 2, 3)
        """
        history, here = self.history, self._timeline.position
        if is_written(history, address):
            place = Place(address, parse(address, self._program.losses))
        else:
            place = place_of(self._program, address)
        for event in writers(history, place.address, place.parsed, here):
            if not place.index or self._differs(place, event):
                return event
            if should_stop is not None and should_stop():
                break
        return None

    @quiet
    def breaks(self, *, compare: bool = True) -> Breaks:
        """Return breakpoints, watches and noted lines as they stand at the present moment.

        Args:
            compare: Tell what the watches were before the last Event, which may take a replay.
        """
        return Breaks(
            tuple(point.record for point in self._breakpoints),
            watch_records(self._watches, self, compare=compare),
            self.log_lines[-LINES_SHOWN:],
        )

    @property
    def texts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What a session keeps of the breakpoints, and of the watches."""
        return self._breakpoints.texts, self._watch_texts

    @property
    def is_inside(self) -> bool:
        """Whether an Operation was entered, and the program stands half-way."""
        return self._inside is not None

    @property
    def tells_losses(self) -> bool:
        """Whether the Event log has each loss."""
        return tells_losses(self.history)

    def moment(self) -> Moment:
        """Return where breakpoints and watches look, brought to the present moment."""
        return self._present()

    # -- inside ----------------------------------------------------------------------------------

    def _add(self, expression: str) -> Watch:
        watch = Watch(self._next_watch, expression, self, self._drop)
        self._next_watch += 1
        self._watches.append(watch)
        return watch

    def _watch(self, number: int) -> Watch:
        for watch in self._watches:
            if watch.id == number:
                return watch
        raise OperationError(f"there is no watch {number}", "add one first")

    def _drop(self, watch: Watch) -> None:
        if watch in self._watches:
            self._watches.remove(watch)
            self._keep_watches()

    def _keep_watches(self) -> None:
        self._keep("watches", self._watch_texts)

    @property
    def _watch_texts(self) -> tuple[str, ...]:
        return tuple(watch.expression for watch in self._watches)

    def _differs(self, place: Place, event: int) -> bool:
        """Whether an Event gave a place another value."""
        values: list[object] = []
        self.visit((event - 1, event), lambda _: values.append(place.value(self._program)))
        return not same(values[0], values[1])

    def visit(
        self, indices: Sequence[int], look: Callable[[Moment], None], *, recorded: bool = False
    ) -> None:
        """Look at moments of this branch, and then stand where one stood before.

        Args:
            indices: The Events after which to look, in this order.
            look: Looks; the program stands there.
            recorded: The Event log is enough to look at, and the program stays where it is.

        Raises:
            OperationError: There is no such Event on this branch.
        """
        if recorded:
            moment = RecordedMoment(self._program, self.history, self._noticed)
            for index in indices:
                if not 0 <= index <= len(self.history):
                    raise OperationError(
                        f"there is no Event {index:,}", "ask for one of this branch"
                    )
                moment.stand(index)
                look(moment)
            return
        if not indices:
            return
        here, inside = self._timeline.position, self._inside
        try:
            for index in indices:
                self.seek(index)
                look(self._stand_at(index))
        finally:
            self.seek(here)
            if inside is not None:
                self._reenter(inside)
