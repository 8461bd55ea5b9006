"""Source: what a History needs of the thing it records, wherever that thing lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gradstep.program.operation import Operation

__all__ = ["Source", "SourceEffect", "SourceState"]


class SourceEffect(Protocol):
    """What carrying out one Operation read and wrote; see `Event` for the fields."""

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
        """A note to the person, or nothing."""


class SourceState(Protocol):
    """A whole restorable state."""

    def to_tree(self) -> dict[str, Any]:
        """Return it as a tree of dicts, lists, strings, numbers and arrays."""


class Source(Protocol):
    """Something that runs Operations and gives and takes its whole state: a `Program`."""

    @property
    def iteration(self) -> int:
        """How many whole passes of the loop are complete."""

    @property
    def tensors(self) -> Mapping[str, Any]:
        """Every named tensor, in order."""

    @property
    def optimizers(self) -> Mapping[str, Any]:
        """Every optimizer by name."""

    @property
    def losses(self) -> Mapping[str, Any]:
        """The last tensor of every loss; None for those not computed yet."""

    def run(self, operation: Operation) -> SourceEffect:
        """Carry out one Operation, or raise a `GradStepError` and leave the state as it was."""

    def capture(self) -> Any:  # noqa: ANN401 - each source has its own state; only it reads it
        """Return its whole state, which never changes afterwards."""

    def restore(self, state: Any) -> None:  # noqa: ANN401 - as above
        """Go back to a captured state, bit for bit."""

    def load_state(self, state: Any, parts: tuple[str, ...]) -> SourceEffect:  # noqa: ANN401
        """Take over the named parts of a captured state, as an Operation does."""
