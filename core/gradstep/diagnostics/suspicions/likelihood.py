"""Which of several suspicions about one model is reported: the likeliest, which explains the rest.

Steps that are too long make a loss swing, kill units, and leave weights behind that no longer move.
Whichever is measured first, only one of them is reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gradstep.history.debuggee import Debuggee

__all__ = ["likeliest"]

_ORDER = (
    (
        *("sum-reduction", "weight-decay"),
        *("clipping-too-tight", "small-steps", "chance-level-loss"),
    ),
    ("learning-rate",),
    ("loss-diverging",),
    ("exploding-gradient",),
    ("loss-oscillating",),
    ("dead-relu", "saturated-activation"),
    ("vanishing-gradient",),
    ("update-ratio",),
    ("poor-initialisation",),
    ("unchanged-parameter",),
    ("loss-not-decreasing",),
)
"""Ids of suspicions, from causes to effects."""

_RANKS = {name: rank for rank, names in enumerate(_ORDER) for name in names}

_SLOW = frozenset(("clipping-too-tight", "small-steps", "chance-level-loss"))
_FAST = frozenset(
    (
        *("learning-rate", "loss-diverging", "exploding-gradient"),
        *("loss-oscillating", "saturated-activation"),
    )
)
"""What explains that nothing moves does not explain that too much does."""

_PLACES = frozenset(
    (
        *("dead-relu", "saturated-activation", "vanishing-gradient", "exploding-gradient"),
        *("unchanged-parameter", "update-ratio", "poor-initialisation"),
    )
)
"""What a model shows in one layer or tensor after another; only the first is reported."""


_USUAL = 0.05, 20.0
"""Activations that began far smaller or larger explain later suspicions; so do equal units."""


class _Suspicion(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def value(self) -> float | None: ...
    @property
    def subjects(self) -> tuple[str, ...]: ...


_Item = TypeVar("_Item", bound=_Suspicion)


def likeliest(
    program: Debuggee, items: Sequence[_Item], known: Sequence[_Suspicion] = ()
) -> list[_Item]:
    """Return the findings without the suspicions that another suspicion explains.

    Args:
        program: The program, for which models the suspicions are about.
        items: The suspicions, in the order in which they were found.
        known: Suspicions that were found before them, and may explain them, too.
    """
    earlier: list[_Suspicion] = [item for item in known if item.id in _RANKS]
    ranked: list[_Suspicion] = [*earlier, *(item for item in items if item.id in _RANKS)]
    if len(ranked) < 2:  # noqa: PLR2004 - one has nothing to be explained by
        return list(items)
    losses = {item.subjects: _losses(program, item.subjects) for item in ranked}
    left: list[_Item] = []
    for item in items:
        if item.id in _RANKS:
            here = losses[item.subjects]
            others = [other for other in ranked if not here.isdisjoint(losses[other.subjects])]
            if any(_explains(other, item) for other in others):
                continue
            if any(_repeats(other, item) for other in others if other in earlier):
                continue
            earlier.append(item)
        left.append(item)
    return left


def _explains(cause: _Suspicion, item: _Suspicion) -> bool:
    if cause.id in _SLOW and item.id in _FAST:
        return False
    return _rank(cause) < _rank(item)


def _rank(item: _Suspicion) -> int:
    low, high = _USUAL
    if item.id == "poor-initialisation" and (item.value is None or not low <= item.value <= high):
        return _RANKS["learning-rate"]
    return _RANKS[item.id]


def _repeats(first: _Suspicion, item: _Suspicion) -> bool:
    return first.id == item.id in _PLACES and first.subjects != item.subjects


def _losses(program: Debuggee, subjects: Iterable[str]) -> frozenset[str]:
    """Return the losses that depend on what a suspicion is about: losses, layers or tensors."""
    spec = program.spec
    reached = {name: frozenset(program.reaches(name)) for name in spec.losses}
    found: set[str] = set()
    for subject in subjects:
        module = subject.partition(".")[0]
        if subject in reached:
            shared = reached[subject]
            found |= {subject, *(name for name in reached if not shared.isdisjoint(reached[name]))}
        elif module in spec.modules:
            found |= {name for name in reached if module in spec.modules_of(name)}
        elif subject in program.tensors:
            found |= {name for name in reached if subject in reached[name]}
        else:
            return frozenset(reached)  # an optimizer
    return frozenset(found)
