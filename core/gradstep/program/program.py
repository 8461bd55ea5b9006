"""Program: the live objects built from a spec; runs one Operation, gives and takes its state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.program import operation as ops
from gradstep.program.builder.build import build
from gradstep.program.document.codec import read
from gradstep.program.document.files import FolderFiles, RecordedFiles
from gradstep.program.operations.closure import LossClosure
from gradstep.program.operations.dispatch import run_operation
from gradstep.program.operations.load_state import load_state
from gradstep.program.runtime.descriptions import (
    ModuleDescription,
    OptimizerTensor,
    describe,
)
from gradstep.program.runtime.layer_activations import layer_activations
from gradstep.program.state.capture import capture
from gradstep.program.state.restore import restore
from gradstep.program.walk.node_origins import node_origins
from gradstep.program.walk.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor
    from gradstep.nn import Module
    from gradstep.optim import Optimizer
    from gradstep.program.document.files import Files
    from gradstep.program.micro_step import Walk
    from gradstep.program.operation import Operation
    from gradstep.program.operation_effect import Batch, OperationEffect
    from gradstep.program.schema.program_spec import ProgramSpec
    from gradstep.program.state.program_state import ProgramState

__all__ = ["Program"]


class Program:
    """A program that can be run, one Operation at a time.

    Args:
        spec: The document it is built from.
        files: Where the files that the document names are found.

    Raises:
        ProgramError: If parts of the document do not fit together.

    Example:
        >>> from gradstep.program.document.codec import decode
        >>> program = Program.from_spec(decode(
        ...     b'{"gradstep": 1, "tensors": {"x": {"value": [1, 2], "requires_grad": true}},'
        ...     b' "losses": {"loss": {"expression": "sum(100 * x)"}},'
        ...     b' "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}}}'))
        >>> for operation in program.loop_operations():
        ...     effect = program.run(operation)
        >>> program.tensors["x"]
        tensor([0.9000, 1.9000], requires_grad=True)
        >>> effect.reads, effect.writes
        (('optimizer/lr', 'x', 'x.grad'), ('x',))
    """

    __slots__ = ("_files", "_live", "spec")

    def __init__(self, spec: ProgramSpec, files: Files) -> None:
        self.spec = spec
        self._files = RecordedFiles(files)
        self._live = build(spec, self._files)

    @classmethod
    def from_spec(
        cls,
        spec: ProgramSpec,
        folder: Path | None = None,
        *,
        files: Files | None = None,
        allow_outside: bool = False,
    ) -> Program:
        """Build a program.

        Args:
            spec: The document.
            folder: Where the files that it names are; None when it has none.
            files: Where they are found instead, as in a session that carries them.
            allow_outside: Follow paths out of the folder, since the user has picked them.
        """
        return cls(spec, files or FolderFiles(folder, allow_outside=allow_outside))

    @classmethod
    def open(cls, path: Path) -> Program:
        """Build the program in the document at `path`."""
        return cls.from_spec(read(path), path.parent)

    # -- running -------------------------------------------------------------------------------

    def run(self, operation: Operation) -> OperationEffect:
        """Carry out one Operation.

        Returns:
            What it read and wrote.

        Raises:
            GradStepError: If it cannot be carried out; the state is then exactly as it was.
        """
        live = self._live
        effect = run_operation(live, operation)
        live.cursor.passed(operation)
        return effect

    def walk(self, operation: Operation) -> Walk:
        """Carry out one Operation micro-step by micro-step, by the code that `run` runs.

        A walk is provisional: the place in the loop stays, and wherever it ends or is left, the
        state is that of half-way. Capture the state before, and restore it after.

        Raises:
            GradStepError: Where `run` would raise it.
        """
        return walk(self._live, operation)

    def load_state(
        self, state: ProgramState, parts: tuple[str, ...] = ops.LoadState(0).parts
    ) -> OperationEffect:
        """Carry out a LoadState: take parts of an earlier state, as loading a checkpoint does.

        Values are written into the tensors that are there; gradients, recorded graphs, the batches
        held and the place in the loop stay as they are.

        Args:
            state: The state after the Event that LoadState names.
            parts: Which parts of it.

        Raises:
            GradStepError: If the state is of another program, or a part is unknown.
        """
        return load_state(self._live, state, parts)

    @property
    def iteration(self) -> int:
        """How many whole passes of the loop are complete."""
        return self._live.cursor.iteration

    @property
    def next_operation(self) -> Operation | None:
        """The Operation of the loop that comes next; None for a program without a loop."""
        return self._live.cursor.next

    @property
    def next_line(self) -> int | None:
        """The place in the loop of the line that comes next, from 0; None without a loop."""
        cursor = self._live.cursor
        return cursor.position if cursor.operations else None

    def loop_operations(self) -> tuple[Operation, ...]:
        """Return the Operations that complete the current iteration."""
        return self._live.cursor.remaining()

    # -- state ---------------------------------------------------------------------------------

    def capture(self) -> ProgramState:
        """Return the whole state; nothing that happens later reaches it."""
        return capture(self._live)

    def restore(self, state: ProgramState, moved: Collection[str] | None = None) -> None:
        """Go back to a captured state, bit for bit.

        Args:
            state: The state.
            moved: Addresses at which alone the program may differ from it, for whoever knows; None
                for all.

        Raises:
            ProgramError: If the state is not one of this program; nothing is changed then.
        """
        restore(self._live, state, moved)

    # -- looking -------------------------------------------------------------------------------

    @property
    def tensors(self) -> Mapping[str, Tensor]:
        """Parameters and buffers of the modules, then the free tensors, by name."""
        return self._live.tensors

    @property
    def buffers(self) -> frozenset[str]:
        """The names of those tensors that are buffers, which no optimizer updates."""
        return self._live.buffers

    @property
    def modules(self) -> Mapping[str, Module]:
        """The modules by name."""
        return self._live.modules

    @property
    def optimizers(self) -> Mapping[str, Optimizer]:
        """The optimizers by name."""
        return self._live.optimizers

    @property
    def schedulers(self) -> Mapping[str, Any]:
        """The schedulers by name."""
        return self._live.schedulers

    @property
    def losses(self) -> Mapping[str, Tensor | None]:
        """The last tensor of each loss; None where there was no Forward."""
        return self._live.loss_values

    @property
    def losses_in_progress(self) -> Mapping[str, Tensor]:
        """The tensor of a loss whose Forward is being walked through, which is not there yet."""
        return {name: value for name, (value, _) in self._live.losses_in_progress.items()}

    @property
    def batches(self) -> Mapping[str, Batch]:
        """The batch that each loss last saw; losses without data are absent."""
        return {
            name: record.batch
            for name, record in self._live.forward_records.items()
            if record.batch is not None
        }

    @property
    def files(self) -> Mapping[str, bytes]:
        """The files that the document names, by the path that it names them with."""
        return self._files.held

    @property
    def structure(self) -> int:
        """A number that grows when tensors are replaced, frozen, or change their mode."""
        return self._live.structure_version

    @property
    def optimizer_tensors(self) -> tuple[OptimizerTensor, ...]:
        """Which optimizer holds which tensor, those that were replaced included."""
        return self._live.optimizer_tensors()

    def reaches(self, loss: str) -> tuple[str, ...]:
        """Return the names of the tensors that a loss is computed from."""
        return tuple(key for key, _ in self._live.loss_tensors[self._live.loss(loss).name])

    def node_origins(self, loss: str) -> Mapping[int, tuple[str, int]]:
        """Return by which call of which module each node of a loss's graph was recorded.

        Returns:
            The module's full name and the number of the call, from 1, by the node's number;
            ("", 0) for a node outside of all modules. Empty when it cannot be told.

        Raises:
            OperationError: The loss was not computed yet.
        """
        return node_origins(self._live, loss)

    def closure(
        self, operation: ops.Step, gradient: Callable[[], NDArray[Any]] | None = None
    ) -> LossClosure:
        """Return what a Step gives to an optimizer that evaluates the loss itself.

        Args:
            operation: The Step.
            gradient: Reads the gradient of all that is held as one vector, to tell the losses'
                parts in it.

        Raises:
            OperationError: No loss is computed from what the optimizer holds.
        """
        return LossClosure(self._live, operation, gradient)

    def stepped_losses(self, optimizer: str) -> tuple[str, ...]:
        """Return the losses to train on that are computed from what an optimizer holds."""
        return self._live.stepped_losses(optimizer)

    def warning(self, loss: str) -> str:
        """Return what the criterion of a loss warns of, such as shapes that broadcast."""
        return self._live.loss(loss).warns

    def batches_per_epoch(self, loss: str) -> int:
        """Return how many batches a loss takes to see every row; 1 if it takes no batches."""
        spec = self.spec.losses[loss]
        if spec.data is None or spec.rows != "training":
            return 1
        return self._live.batch_iterators[spec.data].count

    def examples(self, loss: str) -> tuple[NDArray[Any] | None, NDArray[Any] | None]:
        """Return all inputs and targets that a loss may see, rows first; None where it has none."""
        found = self._live.loss(loss)
        return found.inputs, found.targets

    def layer_activations(self, loss: str) -> Iterator[tuple[str, str, NDArray[Any], NDArray[Any]]]:
        """Give name, class, input and output of each layer that a loss goes through.

        The first rows of its data are sent through in evaluation mode; nothing is left of that.
        """
        return layer_activations(self._live, loss)

    def describe_modules(self) -> tuple[ModuleDescription, ...]:
        """Return the trees of the modules as plain records."""
        return describe(self._live.modules)
