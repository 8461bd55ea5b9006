"""Debugger: hold a program's training loop, go anywhere in what it did, and look at it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from gradstep.debugger.branch import Branch
from gradstep.debugger.camera import Camera
from gradstep.debugger.condition import Condition, Moment
from gradstep.debugger.targets import choose_target
from gradstep.debugger.timeline import Timeline
from gradstep.diagnostics import Fact, Monitor
from gradstep.errors import OperationError
from gradstep.history.checkpoint import BUDGET_BYTES
from gradstep.history.history import DivergedError, History
from gradstep.program import document
from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
from gradstep.program.program import Program

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from gradstep.history.event import Event
    from gradstep.history.event_log import EventView
    from gradstep.history.finding import Finding
    from gradstep.history.snapshot import Snapshot
    from gradstep.program.operation import Operation
    from gradstep.program.spec import ProgramSpec

__all__ = ["Debugger"]

# A program that diverges shows its infinities as values; NumPy shall not warn of them as well.
_quiet = np.errstate(all="ignore")


class Debugger:
    """A cursor over the History of a program.

    Args:
        spec: The program's document.
        folder: Where files that the spec names are looked for.
        budget_bytes: The most memory that Checkpoints may take.

    Example:
        >>> from gradstep.program.document import decode
        >>> spec = decode(b'''{"gradstep": 1,
        ...     "tensors": {"x": {"value": [1, 2], "requires_grad": true}},
        ...     "losses": {"loss": {"expression": "sum(100 * x)"}},
        ...     "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}}}''')
        >>> dbg = Debugger(spec)
        >>> dbg.forward().loss
        300.0
        >>> dbg.backward().writes
        ('x.grad', 'loss.graph')
        >>> dbg.snapshot.parameters["x"].grad.tolist()
        [100.0, 100.0]
        >>> dbg.back()
        >>> dbg.snapshot.parameters["x"].grad is None
        True
    """

    def __init__(
        self,
        spec: ProgramSpec,
        folder: Path | None = None,
        *,
        budget_bytes: int = BUDGET_BYTES,
    ) -> None:
        program = Program.from_spec(spec, folder)
        history = History.start(program, budget_bytes)
        main = Branch(0, None, 0, "main", history)
        self._begin(program, Timeline(program, [main], budget_bytes=budget_bytes))

    def _begin(self, program: Program, timeline: Timeline) -> None:
        self._program = program
        self._timeline = timeline
        self._camera = Camera(program)
        self._monitors = {timeline.branch.id: Monitor(program)}

    @classmethod
    def open(cls, path: Path | str) -> Debugger:
        """Open a program (`.json`) or a session (`.gradstep`).

        Args:
            path: The file.

        Raises:
            ProgramError: The program cannot be read or built.
            SessionError: The session cannot be read.
        """
        path = Path(path)
        return cls(document.read(path), path.parent)

    # -- the four buttons ----------------------------------------------------------------------

    def zero_grad(self, optimizer: str | None = None, *, set_to_none: bool = True) -> Event:
        """Clear the gradients of an optimizer's parameters.

        Args:
            optimizer: Its name; the one that the loop expects, or the first, when None.
            set_to_none: To None, or else to zeros.
        """
        return self.apply(ZeroGrad(self._optimizer(optimizer), set_to_none))

    def forward(self, loss: str | None = None, *, hold: bool = False) -> Event:
        """Compute a loss on the next batch.

        Args:
            loss: Its name; the one that the loop expects, or the first, when None.
            hold: Compute it on the batch that it last saw, once more.
        """
        batch: Literal["next", "held"] = "held" if hold else "next"
        return self.apply(Forward(self._loss(loss), batch))

    def backward(self, loss: str | None = None, *, retain_graph: bool = False) -> Event:
        """Backpropagate from a loss.

        Args:
            loss: Its name; the one computed last, when None.
            retain_graph: Keep what the graph has saved, for another backward.
        """
        name = self._last_loss() or None if loss is None else loss
        return self.apply(Backward(self._loss(name), retain_graph))

    def step(self, optimizer: str | None = None) -> Event:
        """Let an optimizer update the parameters it holds.

        Args:
            optimizer: Its name; the one that the loop expects, or the first, when None.
        """
        return self.apply(Step(self._optimizer(optimizer)))

    # -- running -------------------------------------------------------------------------------

    @_quiet
    def apply(self, operation: Operation) -> Event:
        """Apply one Operation; in the past, on a new branch that leaves the old one as it was.

        Returns:
            Its Event. An Operation that fails leaves the state as it was, and its Event tells why.
        """
        index = self._advance(operation)
        return self.history.log.event(index)

    @_quiet
    def iterate(
        self,
        n: int = 1,
        *,
        should_stop: Callable[[], bool] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Event | None:
        """Run the program's loop; in the middle of an iteration its rest counts as one.

        Args:
            n: How many iterations.
            should_stop: Asked before every Operation; True ends the run there.
            progress: Told after every iteration how many are done.

        Returns:
            The last Event; its outcome tells when the run ended at an Operation that failed. None
            when there is no Event at all.
        """
        for _ in self._run(n, should_stop, progress):
            pass
        return self.event

    @_quiet
    def run_until(
        self,
        condition: str,
        max_iterations: int = 100_000,
        *,
        should_stop: Callable[[], bool] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> bool:
        """Run the loop until a condition holds; at once when it holds now.

        Args:
            condition: Such as `loss < 0.1`; see `gradstep.debugger.condition`.
            max_iterations: After how many to give up.
            should_stop: Asked before every Operation; True ends the run there.
            progress: Told after every iteration how many are done.

        Returns:
            Whether the condition holds.

        Raises:
            ExpressionError: The condition cannot be read or computed.
        """
        moment = Moment(self._program, self._timeline.position, self._last_loss())
        holds = Condition(condition, moment)
        if holds():
            return True
        for index in self._run(max_iterations, should_stop, progress):
            moment.event = index
            operation = self.history.log.operation(index)
            if isinstance(operation, Forward):
                moment.last_loss = operation.loss
            if holds():
                return True
        return False

    # -- time ----------------------------------------------------------------------------------

    @_quiet
    def seek(self, event_index: int) -> None:
        """Go to the moment after an Event; 0 is the very start.

        Raises:
            OperationError: There is no such Event on this branch.
            ReplayError: A replay did not give what was recorded. The debugger then stands at the
                last Checkpoint before, and a finding tells of it.
        """
        try:
            self._timeline.seek(event_index)
        except DivergedError as error:
            self._monitor.report(Fact("replay-diverged", (), (error.event,), error.reason))
            raise

    def back(self) -> None:
        """Go one Event back.

        Raises:
            OperationError: There is nothing before.
        """
        if not self._timeline.position:
            raise OperationError("this is the very start", "there is no Event to go back from")
        self.seek(self._timeline.position - 1)

    @_quiet
    def fork(self, name: str = "") -> Branch:
        """Begin a new branch at the present moment, and look at it; the old one stays."""
        parent = self._monitor
        branch = self._timeline.fork(name)
        self._monitors[branch.id] = parent.fork(branch.history, branch.forked_at)
        return branch

    @_quiet
    def checkout(self, branch: Branch | int) -> Branch:
        """Look at the end of another branch.

        Raises:
            OperationError: There is no such branch.
        """
        return self._timeline.checkout(branch.id if isinstance(branch, Branch) else branch)

    # -- looking -------------------------------------------------------------------------------

    @property
    def program(self) -> Program:
        """The live program, standing at the present moment."""
        return self._program

    @property
    def position(self) -> tuple[int, int | None]:
        """The index of the present Event (0 at the start), and None: not inside an Operation."""
        return self._timeline.position, None

    @property
    def event(self) -> Event | None:
        """The Event just done at the present moment; None at the very start."""
        position = self._timeline.position
        return self.history.log.event(position) if position else None

    @property
    def events(self) -> EventView:
        """The Events of this branch, those after the present moment included; growing."""
        return self.history.events

    @property
    def history(self) -> History:
        """The History of this branch."""
        return self._timeline.history

    @property
    def branches(self) -> tuple[Branch, ...]:
        """Every branch, in the order in which they came."""
        return tuple(self._timeline.branches)

    @property
    def branch(self) -> Branch:
        """The branch that is looked at."""
        return self._timeline.branch

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the diagnostics say up to the present moment."""
        return self._monitor.findings(self._timeline.position)

    @property
    def snapshot(self) -> Snapshot:
        """The present moment, with every array."""
        return self.capture_snapshot(None)

    @_quiet
    def capture_snapshot(self, wanted: Collection[str] | None) -> Snapshot:
        """Return the present moment.

        Args:
            wanted: Addresses whose whole arrays shall be in it, such as "model.0.weight" or
                "model.0.weight.grad"; None for all. Others are there in summary.
        """
        return self._camera.take(self.history, self._timeline.position, wanted, self.findings)

    # -- inside --------------------------------------------------------------------------------

    @property
    def _monitor(self) -> Monitor:
        return self._monitors[self._timeline.branch.id]

    def _advance(self, operation: Operation) -> int:
        if not self._timeline.is_at_end:
            self.fork()
        iteration = self._program.iteration
        index = self._timeline.apply(operation)
        self._monitor.observe(self.history, index, completes=self._program.iteration != iteration)
        return index

    def _run(
        self,
        n: int,
        should_stop: Callable[[], bool] | None,
        progress: Callable[[int], None] | None,
    ) -> Iterator[int]:
        """Run the loop and give the index of each Event; ends at one that failed."""
        for done in range(1, n + 1):
            operations = self._program.loop_operations()
            if not operations:
                raise OperationError(
                    "the program has no loop to run", "give it losses and an optimizer, or a loop"
                )
            for operation in operations:
                if should_stop is not None and should_stop():
                    return
                index = self._advance(operation)
                yield index
                if self.history.log.failed(index):
                    return
            if progress is not None:
                progress(done)

    def _loss(self, name: str | None) -> str:
        return choose_target("loss", name, self._program.losses, self._program.next_operation)

    def _optimizer(self, name: str | None) -> str:
        return choose_target(
            "optimizer", name, self._program.optimizers, self._program.next_operation
        )

    def _last_loss(self) -> str:
        forward = self.history.log.last_done(Forward, self._timeline.position)
        return "" if forward is None else forward.loss
