"""Debuggee: a program or a script as debugger, diagnostics and Snapshots see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from gradstep.history.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor
    from gradstep.program.abilities import Abilities
    from gradstep.program.micro_step import Walk
    from gradstep.program.notice import Notice
    from gradstep.program.operation import LoopLine, Operation, Step
    from gradstep.program.operation_effect import Batch
    from gradstep.program.operations.closure import LossClosure
    from gradstep.program.runtime.descriptions import ModuleDescription, OptimizerTensor
    from gradstep.program.schema.program_spec import ProgramSpec

__all__ = ["Debuggee"]


class Debuggee(Source, Protocol):
    """A program, or the mirror of a script that runs in another process.

    `Program` documents the members. A mirror has no document and no data sets: its `spec` only says
    by which names its losses, optimizers and schedulers are known.
    """

    @property
    def spec(self) -> ProgramSpec:
        """The document, or an outline in the same terms."""

    @property
    def files(self) -> Mapping[str, bytes]:
        """The data files that the document names."""

    @property
    def sources(self) -> Mapping[str, str]:
        """The texts of a script's own files by name; empty for a program."""

    @property
    def declared(self) -> Mapping[str, bool]:
        """What comments of a script declare as intended, or as not; empty for a program."""

    @property
    def answers(self) -> Mapping[str, bool]:
        """What the user has said that a script intends, or does not; empty for a program."""

    @property
    def abilities(self) -> Abilities:
        """What can be done with it."""

    def prepare(self, operation: Operation) -> Operation:
        """Return an Operation as it will be applied, before it is recorded.

        Raises:
            GradStepError: It cannot come next: a script does something else.
        """

    @property
    def is_behind(self) -> bool:
        """Whether a script has run ahead: it performed Operations that are not applied yet."""

    def run_ahead(self, iteration: int) -> None:
        """Let a script perform Operations before they are applied, up to an iteration; 0: none."""

    def twin(self) -> Debuggee:
        """Return a second instance, at its start, on which the past can be replayed."""

    def begin_branch(self, position: int, branch: int) -> None:
        """Prepare to do something else after an Event, which begins a branch.

        Args:
            position: The Event; it stands there.
            branch: The number of the branch.

        Raises:
            OperationError: Only its own code determines what it does, and it cannot go back there.
            DivergedError: It did not repeat what was recorded.
        """

    # -- running -------------------------------------------------------------------------------

    def walk(self, operation: Operation) -> Walk:
        """Apply one Operation micro-step by micro-step."""

    def restore(self, state: Any, changed: Collection[str] | None = None) -> None:  # noqa: ANN401
        """Restore a captured state; `changed` names the only addresses that may differ from it."""

    @property
    def epoch(self) -> int | None:
        """The number of complete epochs; None where there are none."""

    @property
    def next_operation(self) -> Operation | None:
        """The Operation that comes next; None if that is not known, or nothing does."""

    @property
    def next_line(self) -> int | None:
        """The index of the span of `next_operation` in the listing; None if that is None."""

    @property
    def written_loop(self) -> Sequence[LoopLine]:
        """The lines that run, if somebody has written the loop; otherwise empty."""

    def loop_operations(self) -> Sequence[Operation]:
        """Return the Operations that complete the current iteration."""

    # -- inspecting ----------------------------------------------------------------------------

    @property
    def tensors(self) -> Mapping[str, Tensor]:
        """Every named tensor, in order."""

    @property
    def buffers(self) -> frozenset[str]:
        """The names of tensors that are buffers."""

    @property
    def modules(self) -> Mapping[str, object]:
        """The modules by name."""

    @property
    def optimizers(self) -> Mapping[str, Any]:
        """The optimizers by name."""

    @property
    def schedulers(self) -> Mapping[str, Any]:
        """The schedulers by name."""

    @property
    def losses(self) -> Mapping[str, Tensor | None]:
        """The last tensor of each loss; None before its first Forward."""

    @property
    def losses_in_progress(self) -> Mapping[str, Tensor]:
        """The tensors of losses whose Forward is being stepped through."""

    @property
    def batches(self) -> Mapping[str, Batch]:
        """The last batch of each loss; losses without data are absent."""

    @property
    def unmet(self) -> frozenset[str]:
        """The names of tensors and optimizers that are not known yet at this moment."""

    def unrecorded_after(self, event: int) -> frozenset[str]:
        """Return the addresses whose values after an Event of this branch are not known."""

    @property
    def structure(self) -> int:
        """A number that grows when a tensor is replaced or frozen, or a module changes its mode.

        Also when a script comes to have a tensor or an optimizer, or one holds others.
        """

    @property
    def optimizer_tensors(self) -> tuple[OptimizerTensor, ...]:
        """Which optimizer holds which tensor, including replaced ones."""

    def infers(self, event: int) -> bool:
        """Return whether what an Event wrote was not recorded, but follows from earlier ones."""

    def ended_at(self, event: int) -> bool:
        """Return whether a script has ended, without an error, and this Event was its last."""

    def reaches(self, loss: str) -> tuple[str, ...]:
        """Return the names of the tensors on which a loss depends."""

    def saved_tensors(self, loss: str) -> tuple[str, ...]:
        """Return the addresses of the tensors that the graph of a loss has saved."""

    def node_origins(self, loss: str) -> Mapping[int, tuple[str, int]]:
        """Return the module call that recorded each node of a loss's graph."""

    def operand_names(self, loss: str) -> Mapping[int, Mapping[int, str]]:
        """Return the names of the operands of a loss's graph, by node and input."""

    def closure(
        self, operation: Step, gradient: Callable[[], NDArray[Any]] | None = None
    ) -> LossClosure:
        """Return the closure that a Step passes to its optimizer."""

    def stepped_losses(self, optimizer: str) -> tuple[str, ...]:
        """Return the training losses that depend on the tensors an optimizer holds."""

    def warning(self, loss: str) -> str:
        """Return the warning of a loss's criterion."""

    @property
    def notices(self) -> Sequence[Notice]:
        """What was noticed about variables of a script, in the order of Events; else empty."""

    @property
    def scales_losses(self) -> bool:
        """Whether a GradScaler scales the losses, so that gradients may overflow on purpose."""

    def batches_per_epoch(self, loss: str) -> int:
        """Return the number of batches per epoch of a loss; 1 if it takes no batches."""

    def next_rows(self, data: str, place: Sequence[Any]) -> tuple[int, NDArray[Any] | None]:
        """Return where the next batch of a data set starts, and the order of the rows."""

    def examples(self, loss: str) -> tuple[NDArray[Any] | None, NDArray[Any] | None]:
        """Return all inputs and all targets of a loss; None where it has none."""

    def layer_activations(self, loss: str) -> Iterator[tuple[str, str, NDArray[Any], NDArray[Any]]]:
        """Yield the name, class, input and output of each layer of a loss's chain."""

    def activation_losses(self) -> Mapping[str, tuple[str, ...]]:
        """Return the losses that run each module and each layer."""

    def last_activations(self, loss: str) -> Mapping[str, NDArray[Any]] | None:
        """Return the outputs of the last Forward of a loss; None where they are not known."""

    def capture_activations(self) -> AbstractContextManager[Mapping[str, NDArray[Any]]]:
        """Collect the last output of each layer that runs inside a `with` block."""

    def describe_modules(self) -> tuple[ModuleDescription, ...]:
        """Return the module trees as plain records."""
