"""How two branches differ, as two phrases such as "with lr 0.0375" and "without it"."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gradstep.debugger.change_names import numbered_name, setting_name, short_name
from gradstep.debugger.comparing.alignment import is_same_operation
from gradstep.debugger.comparing.comparison_text import document_differences
from gradstep.history.records.comparison import Contrast
from gradstep.pluralize import pluralize
from gradstep.program.operation import Skip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.debugger.comparing.compared_branch import ComparedBranch
    from gradstep.history.records.comparison import Pair
    from gradstep.program.operation import Operation

__all__ = ["contrast", "place_name"]


class _Side(NamedTuple):
    """A branch, and what it did where the two diverge."""

    branch: ComparedBranch
    event: int | None

    @property
    def operation(self) -> Operation | None:
        """What it did there; None for nothing."""
        return None if self.event is None else self.branch.history.log.operation(self.event)


def contrast(a: ComparedBranch, b: ComparedBranch, diverging: Sequence[Pair]) -> Contrast | None:
    """Return how two branches differ in what was done, if that can be said in a few words.

    Args:
        a: One branch.
        b: The other.
        diverging: The pairs of Events that did something different, in order, up to the last Event
            that both have.
    """
    if any(side.program.abilities.diverge for side in (a, b)):
        return None
    if a.program.spec != b.program.spec:
        return _of_documents(a, b)
    first = 0 if b.id in a.lineage and a.is_related(b) else 1  # the one that forked from the other
    pairs = [_phrases(*_sides(a, b, pair, first)) for pair in diverging]
    if not pairs or pairs[0] is None:
        return None
    return Contrast(first, *_joined(pairs[0], pairs, (b, a)[first].name))


def _joined(
    both: tuple[str, str], pairs: Sequence[tuple[str, str] | None], other: str
) -> tuple[str, str]:
    """Return the phrases of several changes; `both` are the phrases of the first one."""
    if all(pair == both for pair in pairs):  # such as another limit, of every clipping
        return both
    alike = {(pair[0].partition("#")[0], pair[1]) for pair in pairs if pair is not None}
    if None not in pairs and len(alike) == 1 and both[1].endswith(" it"):
        return f"{both[0]} and {len(pairs) - 1:,} more", f"{both[1].removesuffix('it')}them"
    return f"{both[0]} and {pluralize(len(pairs) - 1, 'more change')}", f"in '{other}'"


def _sides(a: ComparedBranch, b: ComparedBranch, pair: Pair, first: int) -> tuple[_Side, _Side]:
    one, two = _Side(a, pair.a), _Side(b, pair.b)
    return (one, two) if first == 0 else (two, one)


def place_name(a: ComparedBranch, b: ComparedBranch, pair: Pair) -> str:
    """Return the Operation and the number of a pair of Events, such as "Step #4"."""
    branch, event = (b, pair.b) if pair.a is None else (a, pair.a)
    return numbered_name(branch.history.log.operation(event), event) if event else ""


def _of_documents(a: ComparedBranch, b: ComparedBranch) -> Contrast | None:
    """Return how two programs differ, if they differ in one place."""
    found = document_differences(a.program, b.program)
    if len(found) != 1:
        return None
    place, values = found[0]
    section, _, rest = place.removeprefix("$.").partition(".")
    name = rest.removeprefix("optimizer.") or section
    one, two = (
        f"without {name}" if value == "missing" else f"with {name} {value}" for value in values
    )
    return Contrast(0, one, two)


def _phrases(new: _Side, old: _Side) -> tuple[str, str] | None:
    """Return what was done on the new branch, and on the other one."""
    one, two = new.operation, old.operation
    if one is not None and two is not None:
        if isinstance(one, Skip) != isinstance(two, Skip):
            skipped, event = (one, new.event) if isinstance(one, Skip) else (two, old.event)
            name = numbered_name(skipped, event or 0)
            return _with_and_without(name, has=not isinstance(one, Skip))
        if is_same_operation(one, two):  # and one of them failed
            return None
        texts = [setting_name(item) or short_name(item) for item in (one, two)]
        return None if texts[0] == texts[1] else (f"with {texts[0]}", f"with {texts[1]}")
    side = new if one is not None else old
    operation, event = side.operation, side.event
    if operation is None or event is None or isinstance(operation, Skip):
        return None
    name = setting_name(operation) or numbered_name(operation, event)
    return _with_and_without(name, has=side is new)


def _with_and_without(name: str, *, has: bool) -> tuple[str, str]:
    return (f"with {name}", "without it") if has else (f"without {name}", "with it")
