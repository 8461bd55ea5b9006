"""What the agent noticed about a script's variables: running totals, and batches in one order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.diagnostics.observation import Observation
from gradstep.program.operation import Backward, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gradstep.diagnostics.script_outline import ScriptOutline
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.program.operation import Operation

__all__ = ["ScriptNoticeRule"]

_FINDINGS = {"total": "total-keeps-graphs", "order": "unshuffled-batches"}


class ScriptNoticeRule:
    """Reports each notice at the Event before which it was made.

    Args:
        script: What is known of the script.
    """

    __slots__ = ("_reported", "_script")

    def __init__(self, script: ScriptOutline) -> None:
        self._script = script
        self._reported = 0

    def handlers(self) -> dict[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event and yields the facts that it shows, by kind."""
        return {Backward: self._look, Step: self._look}

    def _look(self, seen: AppliedEvent) -> Iterator[Observation]:
        notices = self._script.notices
        while self._reported < len(notices) and notices[self._reported].event <= seen.index:
            notice = notices[self._reported]
            self._reported += 1
            yield Observation(_FINDINGS[notice.what], (notice.name,), (seen.index,), notice.target)
