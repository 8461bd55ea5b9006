"""Source: what a History needs of the program that it records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from gradstep.program.operation import Operation

__all__ = ["Source", "SourceEffect", "SourceState"]


class SourceEffect(Protocol):
    """What one Operation read and wrote; the fields are those of `Event`."""

    @property
    def reads(self) -> tuple[str, ...]:
        """Addresses that were read."""

    @property
    def writes(self) -> tuple[str, ...]:
        """Addresses that were changed."""

    @property
    def loss(self) -> float | None:
        """The loss's value after a Forward."""

    @property
    def rows(self) -> Sequence[int] | None:
        """The rows of the data set that a Forward used."""

    @property
    def message(self) -> str:
        """A note for the user; empty for none."""

    @property
    def parts(self) -> Sequence[tuple[str, float]]:
        """The values of the other losses that a Forward's loss was computed from."""


class SourceState(Protocol):
    """A complete, restorable state."""

    def to_tree(self) -> dict[str, Any]:
        """Return it as a tree of dicts, lists, strings, numbers and arrays."""


class Source(Protocol):
    """Runs Operations, and captures and restores its whole state; `Program` is one."""

    @property
    def iteration(self) -> int:
        """How many whole passes of the loop are complete."""

    @property
    def tensors(self) -> Mapping[str, Any]:
        """Every named tensor, in order."""

    @property
    def unrecorded(self) -> Set[str]:
        """The addresses whose present values are not known: a recording was thinned out."""

    @property
    def measured(self) -> Mapping[str, tuple[float, float, float]]:
        """The norms of values, gradient and update of tensors, where they were measured elsewhere.

        They are of the iteration that the last Event belongs to.
        """

    @property
    def optimizers(self) -> Mapping[str, Any]:
        """Every optimizer by name."""

    @property
    def losses(self) -> Mapping[str, Any]:
        """The last tensor of every loss; None for those not computed yet."""

    def output_losses(self) -> Mapping[str, Set[str]]:
        """Return the losses whose Forwards count for the curve of a layer's output, by layer."""

    def capture_activations(self) -> AbstractContextManager[Mapping[str, NDArray[Any]]]:
        """Collect the last output of each layer that runs inside a `with` block, by full name."""

    def follow(self, branch: int) -> None:
        """Replay the Events of this branch from now on, if it can only repeat recordings."""

    def run(self, operation: Operation) -> SourceEffect:
        """Run one Operation, or raise a `GradStepError` and leave the state as it was."""

    def capture(self) -> Any:  # noqa: ANN401 - opaque to all but the source
        """Return its whole state, which never changes afterwards."""

    def restore(self, state: Any) -> None:  # noqa: ANN401 - as above
        """Restore a captured state, bit for bit."""

    def load_state(self, state: Any, parts: tuple[str, ...]) -> SourceEffect:  # noqa: ANN401
        """Load the named parts of a captured state, as an Operation."""
