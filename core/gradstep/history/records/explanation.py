"""The records of why: what a change is made of, what a gradient is made of, who holds what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.formula import Formula
    from gradstep.history.records.snapshot import BatchRecord
    from gradstep.program.operation import Operation

__all__ = ["Binding", "Contribution", "Explanation", "Factor", "Status", "Term"]


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """One named part of a parameter's change.

    Attributes:
        name: What it comes from: "gradient", "momentum memory", "weight decay", "clipping",
            "learning-rate change", "rounding", ...
        rules: The formulas of the update that it goes through, as the optimizer writes them.
        value: What it adds to every element; float64, of the parameter's shape.
        share: Which part of the whole change it is, as far as it goes the same way (its projection
            on the change); the shares of all terms add up to 1, and one that goes against the
            change is negative. None when the parameter did not move, or is not finite.
    """

    name: str
    rules: tuple[Formula, ...]
    value: NDArray[np.float64]
    share: float | None

    @property
    def formula(self) -> str:
        """The rules as text."""
        return "; ".join(rule.equation for rule in self.rules)

    @property
    def norm(self) -> float:
        """The Euclidean norm of the part."""
        return _norm(self.value)


@dataclass(frozen=True, slots=True)
class Factor:
    """What scaled a change, as one number: 1 is no effect."""

    name: str
    formula: str
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """Why a parameter has changed, or has not.

    Attributes:
        parameter: Its name.
        event: The Event that changed it last, or that should have; None when there is none.
        operation: What was applied there.
        optimizer: The class of the optimizer that moved it, such as "Adam"; empty for others.
        before: Its values before the Event; float64.
        total: The change; float64, of its shape. Zeros when it did not move.
        terms: What adds up to the change, element by element and exactly.
        factors: What has scaled it.
        sentence: All that in words.
    """

    parameter: str
    event: int | None
    operation: Operation | None
    optimizer: str
    before: NDArray[np.float64]
    total: NDArray[np.float64]
    terms: tuple[Term, ...]
    factors: tuple[Factor, ...]
    sentence: str

    @property
    def norm(self) -> float:
        """The Euclidean norm of the change."""
        return _norm(self.total)


@dataclass(frozen=True, slots=True, eq=False)
class Contribution:
    """What one Event has put into a gradient.

    Attributes:
        event: The Event.
        kind: "backward"; "step" for what the last evaluation of a Step that computes gradients has
            left; "clip" for what clipping has added, which goes against the rest; "earlier" for
            all that there was up to the Event, too long ago to be told apart.
        loss: The loss of a Backward, or of a Step; else empty.
        value: What it added to `.grad`, of its shape and dtype.
        batch: The batch that the loss was computed on; None without data.
        share: Which part of `.grad` it is, as far as it goes the same way; the shares of all add up
            to 1. None when `.grad` is zeros or not finite.
    """

    event: int
    kind: Literal["backward", "step", "clip", "earlier"]
    loss: str
    value: NDArray[Any]
    batch: BatchRecord | None = None
    share: float | None = None

    @property
    def norm(self) -> float:
        """The Euclidean norm of the contribution."""
        return _norm(self.value.astype(np.float64))


Status = Literal["held", "stale", "orphan", "foreign", "duplicate", "frozen"]
"""How a tensor and a parameter group go together.

held: the group holds it, a loss reaches it, it requires a gradient. stale: the group holds a tensor
that its module has replaced. orphan: no group holds it. foreign: it is held, and no loss reaches
it. duplicate: it is held more than once. frozen: it requires no gradient.
"""


@dataclass(frozen=True, slots=True)
class Binding:
    """One tensor in one parameter group, or one tensor that is in none.

    Attributes:
        tensor: The tensor's name; with `STALE` after it for one that was replaced.
        optimizer: The optimizer that holds it; empty when none does.
        group: The index of its parameter group; None when no optimizer holds it.
        status: How the two go together; of several the one that matters most.
    """

    tensor: str
    optimizer: str
    group: int | None
    status: Status


@np.errstate(all="ignore")
def _norm(values: NDArray[np.float64]) -> float:
    """Return the norm; infinite where the squares are."""
    return float(np.linalg.norm(values))
