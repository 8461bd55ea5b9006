"""Facts about the life of each gradient: which Operation wrote it, used it, and cleared it.

They are `grad-accumulated`, `grad-reused`, `grad-discarded`, `clip-after-step` and
`clip-per-microbatch`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.diagnostics.backward_pass import BackwardPass
from gradstep.diagnostics.observation import Observation
from gradstep.diagnostics.replaced_tensors import renamed
from gradstep.program.operation import Backward, RebuildModule, Step, ZeroGrad

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.program.operation import Operation

__all__ = ["GradientLifetimeRule"]


class _Gradient:
    """One `.grad` that is not None.

    `first` and `latest` are the first and the last Backward that wrote to it, `iteration` that of
    the first; `used_by` is the last Step that read it, `clipped` the last clipping that changed it,
    and `limited` the last clipping of it, 0 for none; `added` says whether it holds gradients of
    several iterations. `unread` are the Backwards that wrote to it since a Step has read it.
    """

    __slots__ = ("added", "clipped", "first", "iteration", "latest", "limited", "unread", "used_by")

    def __init__(self, index: int, iteration: int) -> None:
        self.first = self.latest = index
        self.iteration = iteration
        self.used_by = self.clipped = self.limited = 0
        self.added = False
        self.unread: list[BackwardPass] = []


class GradientLifetimeRule:
    """Follows every `.grad` from Backward to Step to Zero Grad.

    Args:
        accumulates: The program declares that it accumulates gradients over iterations.
        discards: The program declares that it computes gradients that no Step uses.
        defers: Accumulated gradients are reported only when a Step uses them, because another
            optimizer's Zero Grad may clear them first.

    Attributes:
        misplaced: The number of clippings in the wrong place, even if they changed nothing.
    """

    __slots__ = ("_defers", "_discards", "_entries", "accumulates", "misplaced")

    def __init__(
        self, *, accumulates: bool = False, discards: bool = False, defers: bool = False
    ) -> None:
        self.accumulates = accumulates
        self._discards = discards
        self._defers = defers
        self.misplaced = 0
        self._entries: dict[str, _Gradient] = {}

    def handlers(self) -> dict[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event and yields the facts that it shows, by kind."""
        return {
            Backward: self._backward,
            Step: self._step,
            ZeroGrad: self._zero_grad,
            RebuildModule: self._rebuild,
        }

    def _backward(self, seen: AppliedEvent) -> Iterator[Observation]:
        index, iteration, entries = seen.index, seen.iteration, self._entries
        added: dict[str, int] = {}
        clipped: dict[str, int] = {}
        done = BackwardPass(index)
        for name in seen.reads_writes.written_gradients:
            entry = entries.get(name)
            if entry is None:
                entry = entries[name] = _Gradient(index, iteration)
            else:
                if entry.iteration != iteration:
                    added[name] = entry.first
                    entry.added = True
                if entry.limited > entry.used_by:
                    self.misplaced += 1
                if entry.clipped > entry.used_by:
                    clipped[name] = entry.clipped
                entry.latest = index
            entry.unread.append(done)
        if added and not self.accumulates and not self._defers:
            yield Observation("grad-accumulated", tuple(added), (min(added.values()), index))
        if clipped:
            yield Observation("clip-per-microbatch", tuple(clipped), (min(clipped.values()), index))

    def _step(self, seen: AppliedEvent) -> Iterator[Observation]:
        index, entries = seen.index, self._entries
        if seen.reads_writes.written_losses:
            # It cleared the gradients of what it holds, and used those that it computed.
            for name in seen.reads_writes.written_tensors:
                entries.pop(name, None)
            return
        reused: dict[str, tuple[int, int]] = {}
        added: dict[str, tuple[int, int]] = {}
        for name in seen.reads_writes.read_gradients:
            entry = entries.get(name)
            if entry is not None:
                if entry.added and self._defers and not self.accumulates:
                    added[name] = entry.first, entry.latest
                if entry.used_by:
                    reused[name] = entry.first, entry.used_by
                entry.used_by = index
                for done in entry.unread:
                    done.is_used = True
                entry.unread.clear()
        if added:
            yield Observation("grad-accumulated", tuple(added), (*min(added.values()), index))
        if reused:
            first, before = min(reused.values())
            yield Observation("grad-reused", tuple(reused), (first, before, index))

    def _zero_grad(self, seen: AppliedEvent) -> Iterator[Observation]:
        unused: dict[str, int] = {}
        for name in seen.reads_writes.written_gradients:
            entry = self._entries.pop(name, None)
            lost = (
                [] if entry is None else [done.index for done in entry.unread if not done.is_used]
            )
            if lost:
                unused[name] = lost[-1]
        if unused and not self._discards:
            yield Observation("grad-discarded", tuple(unused), (min(unused.values()), seen.index))

    def clip(self, seen: AppliedEvent, changed: Collection[str] | None) -> Iterator[Observation]:
        """Handle a clipping.

        Args:
            seen: Its Event.
            changed: The gradients that it changed; None if that is not known.
        """
        held = {
            name: entry
            for name in seen.reads_writes.written_gradients
            if (entry := self._entries.get(name)) is not None
        }
        if held and all(entry.used_by > entry.latest for entry in held.values()):
            self.misplaced += 1
            if changed and not held.keys().isdisjoint(changed):
                step = max(entry.used_by for entry in held.values())
                yield Observation("clip-after-step", (seen.operation_target(),), (step, seen.index))
        for name, entry in held.items():
            entry.limited = seen.index
            if changed and name in changed:
                entry.clipped = seen.index

    def _rebuild(self, seen: AppliedEvent) -> tuple[()]:
        self._entries = renamed(self._entries, seen)
        return ()
