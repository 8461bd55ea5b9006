"""Operations on modules: freeze parameters, set the mode, rebuild a module."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from gradstep.errors import OperationError
from gradstep.program.operation_effect import OperationEffect
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from gradstep.program.operation import Freeze, RebuildModule, SetMode
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["freeze", "rebuild_module", "set_mode"]


def freeze(live: LiveObjects, operation: Freeze) -> OperationEffect:
    """Set `requires_grad` of the tensors whose names match a pattern."""
    names = [
        name
        for name in live.tensors
        if name not in live.buffers and fnmatchcase(name, operation.pattern)
    ]
    if not names:
        raise OperationError(
            f"no tensor matches {operation.pattern!r}", nearest(operation.pattern, live.tensors)
        )
    live.save_graph_settings()
    for name in names:
        live.tensors[name].requires_grad = not operation.frozen
    live.refresh()
    verb = "frozen" if operation.frozen else "unfrozen"
    return OperationEffect((), tuple(names), message=f"{verb}: {', '.join(names)}")


def set_mode(live: LiveObjects, operation: SetMode) -> OperationEffect:
    """Put modules in training or evaluation mode."""
    names = list(live.modules) if operation.module is None else [operation.module]
    chosen = [live.module(name) for name in names]
    live.save_graph_settings()
    for module in chosen:
        module.train(operation.training)
    live.refresh()
    return OperationEffect((), tuple(names))


def rebuild_module(live: LiveObjects, operation: RebuildModule) -> OperationEffect:
    """Replace a module by a freshly initialized one, as `model.part = ...` does in a script."""
    name = operation.module
    old = live.module(name)
    live.save_graph_settings()
    live.random_stream.apply()
    fresh = live.make_module(name)
    live.random_stream.save()
    live.replaced_modules[name, live.generations[name]] = old
    live.modules[name] = fresh
    live.generations[name] += 1
    live.drop_unused_modules()
    live.refresh()
    written = tuple(key for key in live.tensors if key.startswith(f"{name}."))
    stale = sorted({binding.optimizer for binding in live.optimizer_tensors() if binding.stale})
    verb = "holds" if len(stale) == 1 else "hold"
    message = f"{', '.join(stale)} still {verb} the old tensors" if stale else ""
    return OperationEffect(("generator",), (*written, "generator"), message=message)
