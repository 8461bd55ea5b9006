"""The ranks of a distributed script as records: where each is, and where its parameters diverge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from gradstep.history.records.comparison import Difference

__all__ = ["RankDivergence", "RankRecord"]


@dataclass(frozen=True, slots=True)
class RankDivergence:
    """Where the parameters of a rank diverge from those of the first one.

    Attributes:
        first: The rank that it is compared with.
        event: The Event of this rank; 0 where they were different before the first Step.
        step: Which Step of its optimizer that is, from 1; 0 where they were different before.
        optimizer: The optimizer.
        at: The line of the Step; empty where they were different before.
        iteration: The pass of the loop, from 0.
        difference: The first element that differs: `a` of the first rank, `b` of this one.
        largest: The largest difference of any element of that tensor; None where shapes differ.
        last_equal: The last Step after which they were equal; not the one before this where values
            were not recorded in between. 0 for none.
        tensors: How many parameters differ.
        gradient: How the gradient of that parameter differed before the Step; None if it was equal,
            or nothing is known of it.
        is_synchronized: Whether DistributedDataParallel is meant to keep them equal.
        equal_since: The Step since which they have been equal again; None while they differ.
    """

    first: int
    event: int
    step: int
    optimizer: str
    at: str
    iteration: int
    difference: Difference
    largest: float | None
    tensors: int
    last_equal: int = 0
    gradient: Difference | None = None
    is_synchronized: bool = False
    equal_since: int | None = None

    @property
    def sentence(self) -> str:
        """Where they diverge, in one sentence."""
        what = self.difference.place
        if not self.step:
            return f"The ranks' parameters differ before the first Step: {what}"
        if self.step > self.last_equal + 1:
            return (
                f"The ranks' parameters diverge between Step #{self.last_equal} and Step "
                f"#{self.step} (Event {self.event:,}): {what}"
            )
        return f"The ranks' parameters diverge at Step #{self.step} (Event {self.event:,}): {what}"

    @property
    def cause(self) -> str:
        """The known reason why they diverge."""
        if not self.step:
            return "They were not the same before the first Step."
        if self.gradient is not None:
            return (
                f"{self.gradient.place} was {self.gradient.a} on rank {self.first} and "
                f"{self.gradient.b} on this one."
            )
        if self.step > self.last_equal + 1:
            return "Values were not recorded in between."
        return "Their gradients were equal: the optimizer's state or options differ."


@dataclass(frozen=True, slots=True)
class RankRecord:
    """One process of a distributed script.

    Attributes:
        number: Its rank.
        host: The machine that it runs on.
        pid: The number of its process; None where that is not known.
        state: Whether it is held, runs, waits for other ranks inside an Operation, or has ended.
        place: The Operation before which it is held, or in which it runs, such as "Step #12".
        is_past: Whether it has done that Operation, and runs or waits after it.
        at: The line of that.
        event: How many Events it has done.
        iteration: The pass of the loop that it is in, from 0; None before the first.
        loss: The loss that it has computed last; None before the first.
        parameter_norm: The norm of all its parameters; None where they are not known.
        gradient_norm: The norm of all their gradients; None where there are none.
        divergence: Where its parameters diverge from those of the first rank; None while they are
            equal.
        compared: How many Steps were compared with those of the first rank.
        status: Its exit status; None if that is not known.
        error: The error that has ended it, or why nothing more is known of it; empty for none.
        ended_after: The rank whose failure made torchrun end this one; None if it did not.
        traceback: The traceback of that error; empty where none is known.
        is_first_failure: Whether it was the first rank to fail.
        is_shown: Whether the window shows it.
    """

    number: int
    host: str
    pid: int | None
    state: Literal["held", "running", "waiting", "ended"]
    place: str
    is_past: bool
    at: str
    event: int
    iteration: int | None
    loss: float | None
    parameter_norm: float | None
    gradient_norm: float | None
    divergence: RankDivergence | None
    compared: int
    status: int | None
    error: str
    ended_after: int | None
    traceback: str
    is_first_failure: bool
    is_shown: bool
