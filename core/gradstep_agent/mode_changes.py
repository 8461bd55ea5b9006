"""The modes that a script puts modules in: noted where it sets them, reported before what is next.

`eval` calls `train`, which calls itself for each module below. A class may do more in a `train` of
its own, such as keep its normalization in evaluation mode, so only the modes that are left at the
next Operation count.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from gradstep_agent.registry import LARGEST_TREE
from gradstep_agent.user_code import user_frame

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

    from gradstep_agent.agent import Agent
    from gradstep_agent.sites import Site

_OWN = {"train": ((), ("mode",)), "eval": ((),)}
"""The arguments of methods that set modes as torch's do; others by these names may do anything."""


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

    def place(self, agent: Agent, frame: FrameType | None) -> None:
        """Note which line has set the modes of the call that ends, if it has changed any."""
        if self._recent:
            site = agent.sites.at(_caller(frame, agent.torch.nn.Module))
            self._sites.update(dict.fromkeys(self._recent, site))
            self._recent.clear()
            agent.expect_nothing()

    def report(self, agent: Agent) -> None:
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
        for name, root in agent.registry.modules():
            found = list(root.named_modules())[:LARGEST_TREE]
            set_by = [sites[id(module)] for _, module in found if id(module) in changed]
            if set_by:
                site = set_by[0]
                agent.recorder.sources.send(site.file)
                header = {"type": "modes", "name": name, "file": site.file, "line": site.line}
                agent.send({**header, "modes": _modes(found)})


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


def _caller(frame: FrameType | None, module_class: type) -> FrameType | None:
    """Return who has called the outermost `train` or `eval` of a module that is under way."""
    frame = user_frame(frame)
    while frame is not None:
        code = frame.f_code
        given = code.co_varnames[1 : code.co_argcount]
        if given not in _OWN.get(code.co_name, ()):
            break
        if not issubclass(type(frame.f_locals.get("self")), module_class):
            break
        frame = user_frame(frame.f_back)
    return frame
