"""The modules of a script at any moment: their trees, and the modes that they are in."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from gradstep.program import operation as ops
from gradstep.program.runtime.descriptions import ModuleDescription

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from gradstep.script.tape import Tape, TrackedModule

__all__ = ["MirroredModules"]


class MirroredModules:
    """The modules that a script has, according to its tape.

    Args:
        tape: The tape, which may grow.
        modules: The modules.
        tensors: The names of the tensors.
    """

    def __init__(
        self, tape: Tape, modules: Collection[TrackedModule], tensors: Collection[str]
    ) -> None:
        self._tape = tape
        self._modules = modules
        self._tensors = tensors
        self._known: list[int] = []
        self._looked_at = 0

    def _rows(self) -> list[int]:
        """Return the numbers of the rows that freeze a tensor or change a mode."""
        rows, known = self._tape.rows, self._known
        for number in range(self._looked_at, len(rows)):
            if isinstance(rows[number].operation, (ops.Freeze, ops.SetMode)):
                known.append(number)
        self._looked_at = len(rows)
        return known

    def count(self, position: int) -> int:
        """Return how many modes were changed, and tensors frozen, before a moment of the tape."""
        return bisect_left(self._rows(), position)

    def _modes(self, position: int) -> dict[str, bool]:
        """Return the modes that modules were put in before a moment, a later one last."""
        found: dict[str, bool] = {}
        for number in self._rows()[: self.count(position)]:
            row = self._tape.rows[number]
            if isinstance(row.operation, ops.SetMode):
                for address in row.writes:
                    module = address.removesuffix(".training")
                    found.pop(module, None)
                    found[module] = row.operation.training
        return found

    def described(self, position: int) -> tuple[ModuleDescription, ...]:
        """Return the module trees as they are at a moment of the tape."""
        modes = self._modes(position)
        return tuple(self._described(module, modes) for module in self._modules)

    def _described(self, module: TrackedModule, modes: Mapping[str, bool]) -> ModuleDescription:
        own: dict[str, list[str]] = {}
        for name in self._tensors:
            own.setdefault(name.rpartition(".")[0], []).append(name)
        children: dict[str, list[str]] = {}
        for path, *_ in module.tree:
            if path:
                children.setdefault(path.rpartition(".")[0], []).append(path)
        rows = {path: (kind, detail, training) for path, kind, detail, training in module.tree}

        def described(path: str) -> ModuleDescription:
            kind, detail, training = rows[path]
            name = f"{module.name}.{path}" if path else module.name
            for changed, mode in modes.items():
                if name == changed or name.startswith(f"{changed}."):
                    training = mode
            return ModuleDescription(
                name,
                kind,
                detail,
                training,
                tuple(own.get(name, ())),
                tuple(described(child) for child in children.get(path, ()) if child != path),
            )

        if "" not in rows:
            return ModuleDescription(
                module.name, "Module", "", training=True, parameters=(), children=()
            )
        return described("")
