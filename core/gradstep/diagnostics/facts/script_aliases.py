"""Facts about a network that a script takes for two."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradstep.diagnostics.observation import Observation
from gradstep.diagnostics.script_edits.aliases import alias_of
from gradstep.diagnostics.script_edits.spellings import last_step
from gradstep.diagnostics.script_edits.syntax import statement_at
from gradstep.program.operation import ScriptCall, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gradstep.diagnostics.script_outline import ScriptOutline
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.program.operation import Operation

__all__ = ["ScriptAliasRule"]


class ScriptAliasRule:
    """Finds target networks that are the network which learns from what they give.

    Args:
        script: What is known of the script.
    """

    __slots__ = ("_asked", "_script")

    def __init__(self, script: ScriptOutline) -> None:
        self._script = script
        self._asked: dict[str, int] = {}  # the last call without gradients of each network

    def handlers(self) -> dict[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event and yields the facts that it shows, by kind."""
        return {ScriptCall: self._call, Step: self._step}

    def _call(self, seen: AppliedEvent) -> tuple[()]:
        operation = seen.operation
        assert isinstance(operation, ScriptCall)
        if operation.call == "forward" and not operation.has_grad:
            alias = alias_of(self._script.files, operation.name)
            if alias is not None and self._is_called(alias.name, operation.at):
                self._asked[operation.name] = seen.index
        return ()

    def _is_called(self, name: str, place: str) -> bool:
        """Return whether a line calls a network by a name."""
        one = statement_at(self._script.files, place)
        return one is not None and any(
            isinstance(node, ast.Call) and last_step(ast.unparse(node.func)) == last_step(name)
            for node in ast.walk(one.node)
        )

    def _step(self, seen: AppliedEvent) -> Iterator[Observation]:
        if not self._asked:
            return
        moved = {self._script.module_of(name) for name in seen.reads_writes.read_gradients}
        for network in moved & self._asked.keys():
            alias = alias_of(self._script.files, network)
            if alias is not None:
                events = (self._asked[network], seen.index)
                yield Observation(
                    "network-aliased", (alias.name,), events, alias.network, cause=alias.place
                )
        self._asked.clear()
