"""The modes that a script puts modules in: noted where it sets them, reported before what is next.

`eval` calls `train`, which calls itself for each module below. A class may do more in a `train` of
its own, such as keep its normalization in evaluation mode, so only the modes that are left at the
next Operation count.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from gradstep_agent.registry import LARGEST_TREE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradstep_agent.recorder import Recorder
    from gradstep_agent.registry import Registry
    from gradstep_agent.sites import Site


class ModeChanges:
    """The modules whose mode a script has set since the last Operation.

    Attributes:
        are_under_way: Whether a call of `train` is under way.
    """

    __slots__ = ("_before", "_recent", "_sites", "are_under_way")

    def __init__(self) -> None:
        self.are_under_way = False
        self._before: dict[int, tuple[weakref.ref[Any], object]] = {}  # their modes, by identity
        self._recent: list[int] = []  # those of the call that is under way
        self._sites: dict[int, Site] = {}

    def note(self, module: Any, before: object) -> None:
        """Note that a module is no longer in the mode in which it was before."""
        key = id(module)
        known = self._before.get(key)
        if known is None or known[0]() is not module:
            self._before[key] = weakref.ref(module), before
        self._recent.append(key)

    def place(self, site: Site) -> None:
        """Note which line has set the modes of the call that ends."""
        self._sites.update(dict.fromkeys(self._recent, site))
        self._recent.clear()

    @property
    def has_changed_any(self) -> bool:
        """Whether the call that ends has changed a mode."""
        return bool(self._recent)

    def report(self, registry: Registry, recorder: Recorder, send: Callable[[Any], None]) -> None:
        """Report the modes of all known modules with a part that is in another mode now."""
        if not self._before:
            return
        before, self._before = self._before, {}
        sites, self._sites = self._sites, {}
        changed = set()
        for key, (reference, mode) in before.items():
            module = reference()
            if module is not None and module.training is not mode:
                changed.add(key)
        if not changed:
            return
        for name, root in registry.modules():
            found = list(root.named_modules())[:LARGEST_TREE]
            set_by = [sites[id(module)] for _, module in found if id(module) in changed]
            if set_by:
                site = set_by[0]
                recorder.sources.send(site.file)
                header = {"type": "modes", "name": name, "file": site.file, "line": site.line}
                send({**header, "modes": _modes(found)})


def _modes(found: Sequence[tuple[str, Any]]) -> list[tuple[str, bool]]:
    """Return the modes of a module's tree: of each path whose mode is not that of what it is in.

    Args:
        found: The paths and modules of the tree, each before what is in it.
    """
    modes: dict[str, bool] = {}
    rows = []
    for path, module in found:
        mode = modes[path] = bool(module.training)
        if not path or modes.get(path.rpartition(".")[0]) is not mode:
            rows.append((path, mode))
    return rows
