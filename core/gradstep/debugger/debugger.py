"""Debugger: hold a program's training loop, go anywhere in what it did, and look at it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gradstep.atomic_write import write_text
from gradstep.debugger.cursor import quiet
from gradstep.debugger.experiments import Experiments
from gradstep.debugger.explaining import Explaining
from gradstep.debugger.targets import choose_target
from gradstep.debugger.timeline import Timeline
from gradstep.debugger.watch_api import Watching
from gradstep.history.checkpoint import BUDGET_BYTES
from gradstep.history.history import Branch, History
from gradstep.program.document import codec
from gradstep.program.document.layout import text_of
from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
from gradstep.program.program import Program
from gradstep.program.torch_export.export import (
    RecordedOperation,
    export_script,
    export_test,
    list_program,
)
from gradstep.session import store
from gradstep.session.archive import restored, session_of
from gradstep.session.opening import is_session
from gradstep.session.recorder import SessionRecorder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.history.records.event import Event
    from gradstep.program.document.files import Files
    from gradstep.program.listing import Listing
    from gradstep.program.schema.program_spec import ProgramSpec
    from gradstep.session.record import Session

__all__ = ["Debugger"]


class Debugger(Watching, Experiments, Explaining):
    """A cursor over the History of a program.

    Args:
        spec: The program's document.
        folder: Where files that the spec names are looked for.
        budget_bytes: The most memory that Checkpoints may take.
        session: What was recorded of this very spec, to go on where it was left.
        files: Finds the files that the spec names, instead of a folder.

    Example:
        >>> from gradstep.program.document.codec import decode
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

    @quiet
    def __init__(
        self,
        spec: ProgramSpec,
        folder: Path | None = None,
        *,
        budget_bytes: int = BUDGET_BYTES,
        session: Session | None = None,
        files: Files | None = None,
    ) -> None:
        if session is None:
            program = Program.from_spec(spec, folder, files=files)
            main = Branch(0, None, 0, "main", History.start(program, budget_bytes))
            timeline = Timeline(program, [main], budget_bytes=budget_bytes)
        else:
            program, histories = restored(session)
            branches = [
                Branch(item.id, item.parent, item.forked_at, item.name, histories[item.id])
                for item in session.branches
            ]
            timeline = Timeline(program, branches, session.branch, session.position, budget_bytes)
        super().__init__(
            program,
            timeline,
            () if session is None else session.findings,
            () if session is None else session.breakpoints,
            () if session is None else session.watches,
        )

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
        if is_session(path):
            session = store.read(path)
            return cls(session.spec, session=session)
        return cls(codec.read(path), path.parent)

    @property
    def listing(self) -> Listing:
        """The program to be read: the PyTorch script that it stands for, and its lesson."""
        return list_program(self._program)

    @property
    def program_document(self) -> str:
        """The program's document, laid out to be read and edited."""
        return text_of(self._program.spec)

    @property
    def files(self) -> Mapping[str, bytes]:
        """The files that the document names, by the path that it names them with."""
        return self._program.files

    def save(self, path: Path | str) -> None:
        """Save everything as a session: all branches, and the moment that is looked at.

        Args:
            path: Where to, usually `something.gradstep`; a file that is there is replaced.

        Raises:
            SessionError: The file cannot be written.
        """
        store.write(path, self._session())

    def script(self, *, test: bool = False) -> str:
        """Return what was recorded on this branch as a PyTorch script that does the same on torch.

        Without a record it is the program's loop.

        Args:
            test: Return a test for pytest instead, which asserts the recorded losses.

        Raises:
            UnsupportedError: Something recorded cannot be written, or for a test no loss was.

        Example:
            >>> from gradstep.program.document.codec import decode
            >>> dbg = Debugger(decode(b'''{"gradstep": 1,
            ...     "tensors": {"x": {"value": [1, 2], "requires_grad": true}},
            ...     "losses": {"loss": {"expression": "sum(100 * x)"}},
            ...     "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}}}'''))
            >>> _ = dbg.forward()
            >>> '("loss", 300.0),' in dbg.script(test=True)
            True
        """
        recorded = [
            RecordedOperation(event.operation, event.loss, event.index)
            for event in self.events
            if event.outcome.ok
        ]
        return (export_test if test else export_script)(self._program, recorded)

    def export(self, path: Path | str, *, test: bool = False) -> None:
        """Write what `script` returns to a file, whole or not at all.

        Args:
            path: Where to, usually `something.py`; a file that is there is replaced.
            test: Write a test for pytest.

        Raises:
            UnsupportedError: As `script`.
            SerializationError: The file cannot be written.
        """
        write_text(Path(path), self.script(test=test))

    def record_to(self, path: Path | str) -> SessionRecorder:
        """Append what happens from now on to a session file of its own, as it happens.

        Args:
            path: The file to make; there must be none yet.

        Returns:
            The recorder, to be closed when the recording shall be kept, or else discarded.

        Raises:
            SessionError: The file cannot be made.
        """
        recorder = SessionRecorder(
            Path(path),
            self._session(),
            lambda history: next(item for item in self.branches if item.history is history),
        )
        self.history.recorder = recorder
        return recorder

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
        name = self._present().last_loss or None if loss is None else loss
        return self.apply(Backward(self._loss(name), retain_graph))

    def step(self, optimizer: str | None = None) -> Event:
        """Let an optimizer update the parameters it holds.

        Args:
            optimizer: Its name; the one that the loop expects, or the first, when None.
        """
        return self.apply(Step(self._optimizer(optimizer)))

    # -- inside --------------------------------------------------------------------------------

    def _session(self) -> Session:
        with self._outside():
            return session_of(
                self._program,
                self.branches,
                self.branch.id,
                self._timeline.position,
                breakpoints=self._breakpoints.texts,
                watches=self._watch_texts,
                findings=self._monitor.findings(len(self.history)),
            )

    def _loss(self, name: str | None) -> str:
        return choose_target("loss", name, self._program.losses, self._program.next_operation)

    def _optimizer(self, name: str | None) -> str:
        return choose_target(
            "optimizer", name, self._program.optimizers, self._program.next_operation
        )
