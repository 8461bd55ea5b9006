"""Experiments: to ask what would have been, and to compare what was."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from gradstep.debugger.comparing.compare import ROWS, compare
from gradstep.debugger.comparing.compared_branch import Line, line_of, shared_event
from gradstep.debugger.cursor import quiet
from gradstep.debugger.stepping import Stepping
from gradstep.debugger.what_if.resume import check_resume
from gradstep.debugger.what_if.trials import trial_of
from gradstep.debugger.what_if.what_if import WhatIf
from gradstep.history.history import Branch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gradstep.history.records.comparison import Comparison
    from gradstep.history.records.finding import Finding
    from gradstep.history.records.what_if import Edits, ResumeCheck
    from gradstep.program.operation import ExecutableOperation, Operation

__all__ = ["Compared", "Experiments"]

Compared: TypeAlias = "Branch | int | Path | str | Experiments"
"""What can be compared."""


class Experiments(Stepping, ABC):
    """A cursor whose branches can be asked about."""

    @quiet
    def what_if(
        self,
        at: int | None = None,
        *,
        skip: Sequence[int] = (),
        insert: Sequence[tuple[int, Operation]] = (),
        move: Sequence[tuple[int, int]] = (),
        set: Mapping[str, Any] | None = None,
        name: str = "",
        progress: Callable[[int, int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Branch:
        """Replay the rest of this branch on a new one, with something done otherwise.

        The new branch leaves this one at the moment before Event `at`. Every Operation recorded
        from there on is applied again, to what is then there. This branch, and the moment that is
        looked at, stay. Iterations are numbered as on this branch: an Event that is skipped stays
        in its place as a `Skip`, and what is put in is `out_of_loop`, no line of it.

        The replay ends early where an Operation fails that did not fail on this branch, whose
        Event is then the last of the new one and tells why; and where it is cancelled.

        Args:
            at: The first Event that is not taken over as it was; the first one that is edited
                when None, or else the next one.
            skip: Events to leave out.
            insert: Pairs of an Event and an Operation to put before it; the Event after the last
                stands for the end.
            move: Pairs of an Event and the one before which it is to happen.
            set: Values set before Event `at`: `optimizer.lr` (of every group), `optimizer[1].lr`,
                `optimizer.kind`, or `a.batch_size` of data set `a`. What is recorded later, a
                scheduler's step for one, sets them as it did.
            name: What to call the branch; what it does otherwise, when empty.
            progress: Told after every Operation how many are done, and of how many.
            should_stop: Asked before every Operation; True ends the branch there.

        Returns:
            The new branch; `checkout` looks at it, `compare` compares it.

        Raises:
            GradStepError: An Event to edit is not there, or a value cannot be set.

        Example:
            >>> from gradstep.debugger import Debugger
            >>> from gradstep.program.document.codec import decode
            >>> dbg = Debugger(decode(b'''{"gradstep": 1,
            ...     "tensors": {"x": {"value": 8, "requires_grad": true}},
            ...     "losses": {"loss": {"expression": "x * x"}},
            ...     "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.25}}}'''))
            >>> _ = dbg.iterate(3)
            >>> dbg.snapshot.parameters["x"].data.tolist()
            1.0
            >>> branch = dbg.what_if(at=5, set={"optimizer.lr": 0.5})
            >>> _ = dbg.checkout(branch)
            >>> dbg.snapshot.parameters["x"].data.tolist(), dbg.branch.name
            (0.0, 'optimizer.lr = 0.5 from 5')
        """
        home, position = self.branch, self._timeline.position
        plan = WhatIf(
            home.history.log,
            self._program,
            at,
            skip=skip,
            insert=insert,
            move=move,
            set=set,
            present=position,
        )
        with self._outside():
            try:
                self.seek(plan.at - 1)
                self._try(plan.settings)
                branch = self.fork(name or plan.title)
                self._follow(plan, progress, should_stop)
                self._settle()
                self._monitor.settle()
            finally:
                self._timeline.checkout(home.id, position)
        return branch

    @quiet
    def compare(
        self,
        a: Compared,
        b: Compared | None = None,
        *,
        rows: int = ROWS,
        names: tuple[str, str] | None = None,
    ) -> Comparison:
        """Tell where two branches, or two sessions, part, and how far they drift.

        Args:
            a: A branch or its number, the file of a session or a program, or another Debugger (the
                branch it looks at).
            b: The other, likewise; when None, the branch that is looked at is compared with `a`.
            rows: At how many iterations to put them side by side, at most.
            names: What to call them; what branches or files are called, when None.

        Raises:
            GradStepError: There is no such branch or file, or a moment cannot be gone back to.

        Example:
            >>> from gradstep.debugger import Debugger
            >>> from gradstep.program.document.codec import decode
            >>> dbg = Debugger(decode(b'''{"gradstep": 1,
            ...     "tensors": {"x": {"value": 8, "requires_grad": true}},
            ...     "losses": {"loss": {"expression": "x * x"}},
            ...     "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.25}}}'''))
            >>> _ = dbg.iterate(3)
            >>> found = dbg.compare(dbg.what_if(skip=(8,)))
            >>> found.first_event, found.tensor, found.difference.a, found.difference.b
            (8, 'x', '2.0', '4.0')
            >>> [(row.iteration, row.distance) for row in found.rows]
            [(0, 0.0), (1, 0.0), (2, 2.0), (3, 1.0)]
        """
        one, two = (self.branch, a) if b is None else (a, b)
        lines = self._line(one), self._line(two)
        if names is not None:
            lines = lines[0]._replace(name=names[0]), lines[1]._replace(name=names[1])
        return compare(*lines, rows)

    def trial(self, finding: Finding) -> Edits:
        """Return the remedy of a finding as edits, for `what_if` to try.

        Args:
            finding: One of `findings` whose `trial` is not empty.

        Raises:
            OperationError: There is nothing to try.
        """
        return trial_of(finding, self.history.log, self._program)

    def shared_event(self, a: int, b: int) -> int:
        """Return the last Event that two branches share.

        Args:
            a: The number of one.
            b: The number of the other.
        """
        return shared_event(self._line(a), self._line(b))

    @quiet
    def resume_check(
        self,
        at: int | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> ResumeCheck:
        """Tell whether this run could have been broken off and resumed from a checkpoint.

        The Operations recorded after Event `at` are done again by fresh programs: one that took
        every part of the state at the break (weights, optimizers, schedulers, generator, data
        order), one that lacks each of them in turn, and one with the weights alone.

        Args:
            at: The Event after which it is broken off; when None, the one that ended the iteration
                half-way.
            progress: Told after every Event how many are done, and of how many.
            should_stop: Asked before every Event; True ends it with a `StoppedError`.

        Raises:
            GradStepError: Nothing was recorded after the break, or it was asked to stop.

        Example:
            >>> from gradstep.debugger import Debugger
            >>> from gradstep.program.document.codec import decode
            >>> dbg = Debugger(decode(b'''{"gradstep": 1,
            ...     "tensors": {"x": {"value": 8, "requires_grad": true}},
            ...     "losses": {"loss": {"expression": "x * x"}}, "optimizers": {"optimizer":
            ...         {"kind": "SGD", "params": ["x"], "lr": 0.25, "momentum": 0.5}}}'''))
            >>> _ = dbg.iterate(4)
            >>> found = dbg.resume_check()
            >>> found.at, found.full.is_same, found.lost, found.weights_only.first_event
            (8, True, ('optimizers',), 12)
        """
        return check_resume(self._program, self.history, at, progress, should_stop)

    def _line(self, wanted: Compared) -> Line:
        """Return a line to compare, of this program or of another."""
        if isinstance(wanted, (str, Path)):
            return line_of(self.open(wanted), name=Path(wanted).name)
        if isinstance(wanted, Experiments):
            return line_of(wanted)
        number = wanted.id if isinstance(wanted, Branch) else wanted
        return line_of(self, self._timeline.find(number))

    @classmethod
    @abstractmethod
    def open(cls, path: Path | str) -> Experiments:
        """Open a program or a session."""

    def _follow(
        self,
        plan: WhatIf,
        progress: Callable[[int, int], None] | None,
        should_stop: Callable[[], bool] | None,
    ) -> None:
        """Apply what is planned, up to an Operation that fails now and did not before."""
        advance = self._advancing()
        for done, (operation, recorded) in enumerate(plan.operations(), 1):
            if should_stop is not None and should_stop():
                return
            seen = advance(operation)
            if not seen.outcome.ok and not plan.failed_before(recorded):
                return
            if progress is not None:
                progress(done, len(plan))

    def _try(self, operations: Sequence[ExecutableOperation]) -> None:
        """Refuse what cannot be done before there is a branch on which it failed."""
        state = self._program.capture()
        try:
            for operation in operations:
                self._program.run(operation)
        finally:
            self._program.restore(state)
