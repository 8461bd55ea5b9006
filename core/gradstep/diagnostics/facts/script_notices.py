"""What was noticed of a script besides its Events, such as running totals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.diagnostics.criterion_fit import mismatches
from gradstep.diagnostics.observation import Observation
from gradstep.diagnostics.script_edits.aliases import alias_of
from gradstep.program.operation import Backward, ScriptCall, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gradstep.diagnostics.script_outline import ScriptOutline
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.program.notice import Notice
    from gradstep.program.operation import Operation

__all__ = ["ScriptNoticeRule"]

_MEANINGLESS = (
    "the attribute of parameters is requires_grad",
    "a module has no such attribute, only its parameters have",
)
"""Why what was set to False freezes nothing: a misspelled attribute, and that of a module."""
_FINDINGS = {
    "total": "total-keeps-graphs",
    "order": "unshuffled-batches",
    "epoch": "sampler-epoch-not-set",
    "renewed": "optimizer-rebuilt",
    "unfrozen": "freeze-without-effect",
    "own_state": "state-not-copied",
    "unmatched": "nothing-loaded",
    "used_up": "clip-of-nothing",
    "closure": "closure-accumulates",
    "criterion": "criterion-mismatch",
}
_OF_STEPS = frozenset(("renewed", "closure"))
"""What is reported at a Step of the optimizer that it is about."""
_OF_LOADS = frozenset(("own_state", "unmatched"))
"""What is reported at the load that it is about."""


class ScriptNoticeRule:
    """Reports each notice at the Event before which it was made, or at the next Step.

    Args:
        script: What is known of the script.
    """

    __slots__ = ("_reported", "_script", "_waiting")

    def __init__(self, script: ScriptOutline) -> None:
        self._script = script
        self._reported = 0
        self._waiting: list[Notice] = []

    def handlers(self) -> dict[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event and yields the facts that it shows, by kind."""
        return {Backward: self._look, Step: self._look, ScriptCall: self._call}

    def _call(self, seen: AppliedEvent) -> Iterable[Observation]:
        return self._look(seen) if _is_load(seen.operation) else ()

    def _look(self, seen: AppliedEvent) -> Iterator[Observation]:
        notices = self._script.notices
        while self._reported < len(notices) and notices[self._reported].event <= seen.index:
            notice = notices[self._reported]
            self._reported += 1
            if notice.what in _FINDINGS and not self._is_of_alias(notice):
                self._waiting.append(notice)
        for notice in tuple(self._waiting):
            if _shows(seen, notice):
                self._waiting.remove(notice)
                id_ = _FINDINGS[notice.what]
                for note, cause in _notes(notice):
                    yield Observation(id_, (notice.name,), (seen.index,), note, cause=cause)

    def _is_of_alias(self, notice: Notice) -> bool:
        """Return whether a network was given its own state because it has two names."""
        is_own = notice.what == "own_state"
        return is_own and alias_of(self._script.files, notice.name) is not None


def _shows(seen: AppliedEvent, notice: Notice) -> bool:
    """Return whether an Event shows what was noticed before it."""
    step = seen.operation if isinstance(seen.operation, Step) else None
    if notice.what == "unfrozen":
        moved = seen.reads_writes.read_gradients if step is not None else ()
        return any(name == notice.name or name.startswith(f"{notice.name}.") for name in moved)
    if notice.what in _OF_LOADS:
        return _is_load(seen.operation) and seen.index == notice.event
    is_own = step is not None and step.optimizer == notice.name
    return is_own or notice.what not in _OF_STEPS


def _is_load(operation: Operation) -> bool:
    return isinstance(operation, ScriptCall) and operation.call == "load_state_dict"


def _notes(notice: Notice) -> Iterable[tuple[str, str]]:
    """Return what there is to say of a notice, and why; nothing of a criterion that fits."""
    match notice.what:
        case "criterion":
            return [(note, notice.target) for note in mismatches(*notice.target.split())]
        case "unfrozen":
            return [(notice.target, _MEANINGLESS[notice.target == "requires_grad"])]
        case "unmatched":
            given, _, expected = notice.target.partition(" ")
            return [(given, expected)]
    return [(notice.target, "")]
