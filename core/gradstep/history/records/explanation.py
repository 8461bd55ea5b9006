"""Explanations as records: terms of a change, parts of a gradient, and the holders of tensors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.formula import Formula
    from gradstep.history.records.snapshot import BatchRecord
    from gradstep.program.operation import Operation

__all__ = [
    "Binding",
    "Contribution",
    "Explanation",
    "Factor",
    "MomentumPart",
    "Status",
    "Term",
]

_NOTHING = np.zeros(0)


@dataclass(frozen=True, slots=True, eq=False)
class MomentumPart:
    """What one earlier gradient, kept in an optimizer's momentum, adds to a change.

    Attributes:
        kind: "gradient" of a loss; "weight decay" that joined the gradient in a step; "earlier" for
            everything too long ago to be separated.
        step: The Event of the Step that took it into the momentum; None for all earlier ones.
        event: The Event that computed the gradient; None for other kinds.
        loss: The loss of the gradient; otherwise empty.
        batch: The batch that the loss was computed on; None without data.
        value: What it adds to each element; float64, in the parameter's shape.
        share: Its fraction of the change, as in `Term`.
    """

    kind: Literal["gradient", "weight decay", "earlier"]
    step: int | None = None
    event: int | None = None
    loss: str = ""
    batch: BatchRecord | None = None
    value: NDArray[np.float64] = field(default_factory=lambda: _NOTHING)
    share: float | None = None

    @property
    def norm(self) -> float:
        """The Euclidean norm of what it adds."""
        return _norm(self.value)


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """One named part of a parameter's change.

    Attributes:
        name: Its cause: "gradient", "momentum memory", "weight decay", "clipping",
            "learning-rate change", "rounding", ...
        rules: The formulas of the optimizer's update that it passes through.
        value: What it adds to each element; float64, in the parameter's shape.
        share: Its fraction of the whole change (its projection on the change); the shares of all
            terms add up to 1, and a term that opposes the change has a negative share. None when
            the parameter did not change, or is not finite.
        parts: For "momentum memory", the earlier gradients that add up to it, the latest first;
            they add up to it. Empty for other terms.
    """

    name: str
    rules: tuple[Formula, ...]
    value: NDArray[np.float64]
    share: float | None
    parts: tuple[MomentumPart, ...] = ()

    @property
    def formula(self) -> str:
        """The rules as text."""
        return "; ".join(rule.equation for rule in self.rules)

    @property
    def norm(self) -> float:
        """The Euclidean norm of the term."""
        return _norm(self.value)


@dataclass(frozen=True, slots=True)
class Factor:
    """A factor that scaled a change; 1 has no effect."""

    name: str
    formula: str
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """Why a parameter has changed, or has not.

    Attributes:
        parameter: The name of the parameter.
        event: The Event that changed it last, or should have; None for none.
        operation: The Operation of that Event.
        optimizer: The class of the optimizer that changed it, such as "Adam"; empty for none.
        before: Its values before the Event; float64.
        total: The change; float64, in its shape. Zeros when it did not change.
        terms: The terms of the change, which add up to it exactly, element by element.
        factors: The factors that scaled it.
        sentence: The explanation in words.
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
    """The contribution of one Event to a gradient.

    Attributes:
        event: The Event.
        kind: "backward"; "step" for the last evaluation inside a Step that computes gradients;
            "clip" for clipping, which opposes the rest; "earlier" for the sum of everything up to
            the Event, which is too long ago to be separated.
        loss: The loss of a Backward, or of a Step; otherwise empty.
        value: What it added to `.grad`, in its shape and dtype.
        batch: The batch that the loss was computed on; None without data.
        share: Its fraction of `.grad`, as in `Term`; the shares of all add up to 1. None when
            `.grad` is zero or not finite.
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
"""The relation of a tensor to a parameter group.

held: the group holds it, a loss depends on it, and it requires a gradient. stale: the group holds
a tensor that its module has replaced. orphan: no group holds it. foreign: a group holds it, but no
loss depends on it. duplicate: it is held more than once. frozen: it requires no gradient.
"""


@dataclass(frozen=True, slots=True)
class Binding:
    """A tensor in one parameter group, or a tensor that is in none.

    Attributes:
        tensor: The tensor's name, followed by `STALE` if it was replaced.
        optimizer: The optimizer that holds it; empty for none.
        group: The index of its parameter group; None for none.
        status: Its relation to the group; the most important of several.
    """

    tensor: str
    optimizer: str
    group: int | None
    status: Status


@np.errstate(all="ignore")
def _norm(values: NDArray[np.float64]) -> float:
    """Return the Euclidean norm; it may overflow to infinity."""
    return float(np.linalg.norm(values))
