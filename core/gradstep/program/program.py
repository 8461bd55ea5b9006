"""Program: the live objects built from a spec; runs Operations, captures and restores its state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.program import operation as ops
from gradstep.program.abilities import Abilities
from gradstep.program.builder.build import build
from gradstep.program.document.codec import read
from gradstep.program.document.files import CachedFiles, FolderFiles, InMemoryFiles
from gradstep.program.operations.closure import LossClosure
from gradstep.program.operations.dispatch import run_operation
from gradstep.program.operations.load_state import load_state
from gradstep.program.operations.loop import check_loop
from gradstep.program.operations.training import saved_tensors
from gradstep.program.runtime.descriptions import (
    ModuleDescription,
    OptimizerTensor,
    describe,
)
from gradstep.program.runtime.layer_activations import layer_activations
from gradstep.program.runtime.loss_probe import LossProbe
from gradstep.program.runtime.predictor import Predictor
from gradstep.program.state.capture import capture
from gradstep.program.state.restore import restore
from gradstep.program.walk.forward_activations import (
    activation_losses,
    capture_activations,
    last_activations,
)
from gradstep.program.walk.node_origins import node_origins
from gradstep.program.walk.value_names import operand_names
from gradstep.program.walk.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor
    from gradstep.nn import Module
    from gradstep.optim import Optimizer
    from gradstep.program.datasets.dataset import PreparedDataset
    from gradstep.program.document.files import Files
    from gradstep.program.micro_step import Walk
    from gradstep.program.notice import Notice
    from gradstep.program.operation import LoopLine, Operation
    from gradstep.program.operation_effect import Batch, OperationEffect
    from gradstep.program.schema.program_spec import ProgramSpec
    from gradstep.program.state.program_state import ProgramState

__all__ = ["Program"]

_EVERYTHING = Abilities()


class Program:
    """A program that runs one Operation at a time.

    Args:
        spec: The document from which it is built.
        files: The source of the files that the document names.

    Raises:
        ProgramError: If the document is inconsistent.

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
        self._files = CachedFiles(files)
        self._live = build(spec, self._files)

    @classmethod
    def from_spec(
        cls,
        spec: ProgramSpec,
        folder: Path | None = None,
        *,
        files: Files | None = None,
    ) -> Program:
        """Build a program.

        Args:
            spec: The document.
            folder: The folder of the files that it names; None if it has none.
            files: Another source of those files, such as a session that contains them.
        """
        return cls(spec, files or FolderFiles(folder))

    @classmethod
    def open(cls, path: Path) -> Program:
        """Build the program in the document at `path`."""
        return cls.from_spec(read(path), path.parent)

    @property
    def sources(self) -> Mapping[str, str]:
        """No text: a program has a document."""
        return {}

    @property
    def declared(self) -> Mapping[str, bool]:
        """Nothing: the document says what is intended."""
        return {}

    @property
    def answers(self) -> Mapping[str, bool]:
        """Nothing: the document decides."""
        return {}

    @property
    def abilities(self) -> Abilities:
        """What can be done with it: everything."""
        return _EVERYTHING

    def prepare(self, operation: Operation) -> Operation:
        """Return an Operation as it will be applied: as it is, since one that fails is an Event.

        Raises:
            OperationError: It edits the loop, and the lines cannot be one. That is no Event.
        """
        if isinstance(operation, ops.EditLoop):
            check_loop(self._live, operation)
        return operation

    @property
    def is_behind(self) -> bool:
        """Whether Operations were performed that are not applied yet: only a script does that."""
        return False

    def run_ahead(self, iteration: int) -> None:
        """Do nothing: a program performs an Operation when it is applied."""

    def begin_branch(self, position: int, branch: int) -> None:
        """Do nothing: a program does what it is asked at any moment."""

    def follow(self, branch: int) -> None:
        """Do nothing: a program computes what it does."""

    def twin(self) -> Program:
        """Return a second program of the same document, at its start."""
        return Program(self.spec, InMemoryFiles(self.files))

    # -- running -------------------------------------------------------------------------------

    def run(self, operation: Operation) -> OperationEffect:
        """Apply one Operation.

        Returns:
            What it read and wrote.

        Raises:
            GradStepError: If it fails; the state is then unchanged.
        """
        live = self._live
        effect = run_operation(live, operation)
        live.cursor.advance_past(operation)
        return effect

    def walk(self, operation: Operation) -> Walk:
        """Apply one Operation micro-step by micro-step, with the same code as `run`.

        A walk is provisional: the loop does not advance, and an unfinished walk leaves a partial
        state. Capture the state before a walk and restore it afterwards.

        Raises:
            GradStepError: Where `run` would raise it.
        """
        return walk(self._live, operation)

    def load_state(
        self, state: ProgramState, parts: tuple[str, ...] = ops.LoadState(0).parts
    ) -> OperationEffect:
        """Apply a LoadState: load parts of an earlier state, as from a checkpoint.

        Values are written into the existing tensors. Gradients, recorded graphs, the current
        batches and the position in the loop do not change.

        Args:
            state: The state after the Event that LoadState names.
            parts: The parts to load.

        Raises:
            GradStepError: If the state belongs to another program, or a part is unknown.
        """
        return load_state(self._live, state, parts)

    @property
    def iteration(self) -> int:
        """The number of complete passes of the loop."""
        return self._live.cursor.iteration

    @property
    def epoch(self) -> int | None:
        """The number of complete epochs of the data that the loop takes first; None without."""
        return self._live.cursor.epochs

    @property
    def next_operation(self) -> Operation | None:
        """The next Operation of the loop; None for a program without a loop."""
        return self._live.cursor.next

    @property
    def next_line(self) -> int | None:
        """The index of the next line of the loop, from 0; None without a loop."""
        cursor = self._live.cursor
        return cursor.position if cursor.operations else None

    @property
    def lines(self) -> tuple[LoopLine, ...]:
        """The lines of the loop at this moment; empty for a program without a loop."""
        return self._live.cursor.lines

    @property
    def written_loop(self) -> Sequence[LoopLine]:
        """The lines that run, where someone has written the loop; empty for the default loop."""
        lines = self._live.cursor.lines
        if self.spec.loop is None and lines is self._live.initial_loop:
            return ()
        return [line for line in lines if line.enabled]

    def loop_operations(self) -> tuple[Operation, ...]:
        """Return the Operations that complete the current iteration."""
        return self._live.cursor.remaining()

    # -- state ---------------------------------------------------------------------------------

    def capture(self) -> ProgramState:
        """Return the whole state; later changes do not affect it."""
        return capture(self._live)

    def restore(self, state: ProgramState, changed: Collection[str] | None = None) -> None:
        """Restore a captured state, bit for bit.

        Args:
            state: The state.
            changed: The only addresses at which the program may differ from the state, if known;
                None for all addresses.

        Raises:
            ProgramError: If the state belongs to another program; nothing is changed then.
        """
        restore(self._live, state, changed)

    # -- inspecting ----------------------------------------------------------------------------

    @property
    def tensors(self) -> Mapping[str, Tensor]:
        """Parameters and buffers of the modules, then the free tensors, by name."""
        return self._live.tensors

    @property
    def unrecorded(self) -> frozenset[str]:
        """The addresses whose present values are not known: none."""
        return frozenset()

    def unrecorded_after(self, event: int) -> frozenset[str]:  # noqa: ARG002 - as in Debuggee
        """Return nothing: every value can be computed again."""
        return frozenset()

    @property
    def measured(self) -> Mapping[str, tuple[float, float, float]]:
        """Norms of tensors whose values are not known: none."""
        return {}

    @property
    def unmet(self) -> frozenset[str]:
        """The names of tensors and optimizers that are not known yet: none."""
        return frozenset()

    @property
    def buffers(self) -> frozenset[str]:
        """The names of the tensors that are buffers, which no optimizer updates."""
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
        """The last tensor of each loss; None before its first Forward."""
        return self._live.loss_values

    @property
    def losses_in_progress(self) -> Mapping[str, Tensor]:
        """The tensors of losses whose Forward is being stepped through and is not complete."""
        return {name: value for name, (value, _) in self._live.losses_in_progress.items()}

    @property
    def batches(self) -> Mapping[str, Batch]:
        """The last batch of each loss; losses without data are absent."""
        return {
            name: record.batch
            for name, record in self._live.forward_records.items()
            if record.batch is not None
        }

    @property
    def files(self) -> Mapping[str, bytes]:
        """The files that the document names, by their paths in the document."""
        return self._files.contents

    @property
    def structure(self) -> int:
        """A number that grows when a tensor is replaced or frozen, or a module changes its mode."""
        return self._live.structure_version

    @property
    def optimizer_tensors(self) -> tuple[OptimizerTensor, ...]:
        """Which optimizer holds which tensor, including replaced ones."""
        return self._live.optimizer_tensors()

    def infers(self, event: int) -> bool:  # noqa: ARG002 - as in Debuggee
        """Return False: what a program writes is seen."""
        return False

    def ended_at(self, event: int) -> bool:  # noqa: ARG002 - as in Debuggee
        """Return False: a program can always continue."""
        return False

    def reaches(self, loss: str) -> tuple[str, ...]:
        """Return the names of the tensors on which a loss depends."""
        return tuple(key for key, _ in self._live.loss_tensors[self._live.loss(loss).name])

    def saved_tensors(self, loss: str) -> tuple[str, ...]:
        """Return the addresses of the tensors that the graph of a loss has saved.

        Empty if there is no such loss or it has no graph.
        """
        return saved_tensors(self._live, loss)

    def node_origins(self, loss: str) -> Mapping[int, tuple[str, int]]:
        """Return the module call that recorded each node of a loss's graph.

        Returns:
            The module's full name and the number of the call, from 1, by the node's number;
            ("", 0) for a node outside all modules. Empty if the calls cannot be determined.

        Raises:
            OperationError: If the loss has not been computed yet.
        """
        return node_origins(self._live, loss)

    def operand_names(self, loss: str) -> Mapping[int, Mapping[int, str]]:
        """Return what the program calls the operands of a loss's graph.

        Args:
            loss: The loss, which has been computed.

        Returns:
            Names by the number of the node and the index of the input; none for inputs that the
            program has no name for.
        """
        return operand_names(self._live, loss)

    def closure(
        self, operation: ops.Step, gradient: Callable[[], NDArray[Any]] | None = None
    ) -> LossClosure:
        """Return the closure that a Step passes to an optimizer that evaluates the loss itself.

        Args:
            operation: The Step.
            gradient: Reads the gradient of all held tensors as one vector, to split it by loss.

        Raises:
            OperationError: If no loss depends on the tensors that the optimizer holds.
        """
        return LossClosure(self._live, operation, gradient)

    def stepped_losses(self, optimizer: str) -> tuple[str, ...]:
        """Return the training losses that depend on the tensors an optimizer holds."""
        return self._live.stepped_losses(optimizer)

    def warning(self, loss: str) -> str:
        """Return the warning of a loss's criterion, such as about shapes that broadcast."""
        return self._live.loss(loss).warning

    @property
    def notices(self) -> Sequence[Notice]:
        """Nothing: the Events of a program show everything."""
        return ()

    @property
    def scales_losses(self) -> bool:
        """Whether a GradScaler scales the losses: never in a program."""
        return False

    def batches_per_epoch(self, loss: str) -> int:
        """Return the number of batches per epoch of a loss; 1 if it takes no batches."""
        spec = self.spec.computed[loss]
        if loss in self.spec.metrics or spec.data is None or spec.rows != "training":
            return 1
        return self._live.batch_iterators[spec.data].count

    def next_rows(self, data: str, place: Sequence[Any]) -> tuple[int, NDArray[Any] | None]:
        """Return where the next batch of a data set starts, and the order of the rows.

        Args:
            data: The name of the data set.
            place: Its place in the data, as a state has it.

        Returns:
            The number of rows of the epoch already used, 0 if the next batch begins an epoch; and
            the order, None if there is none or if the next epoch draws another.
        """
        return self._live.batch_iterators[data].next_rows(place)

    def examples(self, loss: str) -> tuple[NDArray[Any] | None, NDArray[Any] | None]:
        """Return all inputs and all targets of a loss, rows first; None where it has none."""
        found = self._live.loss(loss)
        return found.inputs, found.targets

    def dataset(self, name: str) -> PreparedDataset:
        """Return a data set with its held-out rows, by its name in the document."""
        return self._live.batch_iterator(name).dataset

    def batch_size(self, name: str) -> int:
        """Return how many rows the next batches of a data set have."""
        return self._live.batch_iterator(name).batch_size

    def kept_graphs(self, tensor: str) -> int:
        """Return how many graphs a running total keeps alive."""
        return self._live.running_totals.get(tensor, (0, 0))[0]

    def predicts(self, loss: str) -> bool:
        """Return whether the output of a loss can be computed for any inputs."""
        return self._live.loss(loss).predicts

    def predictor(self) -> Predictor:
        """Return what computes outputs for any inputs, without side effects.

        Example:
            >>> import numpy as np
            >>> from gradstep.program.document.codec import decode
            >>> program = Program.from_spec(decode(
            ...     b'{"gradstep": 1, "data": {"d": {"kind": "inline", "inputs": [[1]]}},'
            ...     b' "tensors": {"w": {"value": [2.0]}}, "losses": {"loss": {"data": "d",'
            ...     b' "output": "w * input", "expression": "mean(output)"}}}'))
            >>> program.predictor()("loss", np.array([[3.0], [4.0]], np.float32)).tolist()
            [[6.0], [8.0]]
        """
        return Predictor(self._live)

    def layer_activations(self, loss: str) -> Iterator[tuple[str, str, NDArray[Any], NDArray[Any]]]:
        """Yield the name, class, input and output of each layer of a loss's chain.

        The first rows of its data are evaluated in evaluation mode, without side effects.
        """
        return layer_activations(self._live, loss)

    def loss_probe(self, loss: str, *, all_rows: bool = False) -> LossProbe:
        """Return a loss as a function of its tensors, on rows that are held.

        Args:
            loss: The loss.
            all_rows: Use all rows of its data instead of the batch of its last Forward.

        Raises:
            OperationError: If there is no such loss.
        """
        return LossProbe(self._live, loss, all_rows=all_rows)

    def activation_losses(self) -> Mapping[str, tuple[str, ...]]:
        """Return the losses that run each module and each layer, by the layer's full name."""
        return activation_losses(self._live)

    def output_losses(self) -> Mapping[str, frozenset[str]]:
        """Return the losses whose Forwards count for the curve of a layer's output, by layer.

        They are the losses on training rows, as the norms of held-out batches are not points of the
        same curve. Metrics and losses on held-out rows count for layers that nothing else runs.
        """
        training = {name for name, loss in self.spec.losses.items() if loss.rows == "training"}
        return {
            layer: frozenset(training.intersection(losses) or losses)
            for layer, losses in self.activation_losses().items()
        }

    def last_activations(self, loss: str) -> Mapping[str, NDArray[Any]] | None:
        """Return the outputs of the last Forward of a loss, bit for bit, by the layer's full name.

        Returns:
            Copies; None if there was no Forward, or if autograd has noticed a change of something
            that it used. A write through `.data` is not noticed.

        Raises:
            OperationError: If there is no such loss.
        """
        return last_activations(self._live, loss)

    def capture_activations(self) -> AbstractContextManager[Mapping[str, NDArray[Any]]]:
        """Collect the last output of each layer that runs inside a `with` block, by full name."""
        return capture_activations(self._live)

    def describe_modules(self) -> tuple[ModuleDescription, ...]:
        """Return the module trees as plain records."""
        return describe(self._live.modules)
