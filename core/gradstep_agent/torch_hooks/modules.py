"""Forward of the outermost modules, Zero Grad of a module, and loaded weights."""

from __future__ import annotations

import functools
import weakref
from typing import TYPE_CHECKING, Any

from gradstep_agent.torch_hooks.wrapping import gradients, wrap

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from gradstep_agent.agent import Agent, Ongoing


def install(agent: Agent, torch: Any) -> None:
    """Wrap `__call__`, `zero_grad` and `load_state_dict` of Module."""
    module_class = torch.nn.Module
    module_class.__call__ = _seen_call(agent, torch, module_class.__call__)

    def name(frame: FrameType | None, module: Any, *_: object, **__: object) -> str:
        return agent.registry.module(module, frame)

    def clear(module: Any, *_: object, **__: object) -> Callable[[], list[tuple[str, Any]]]:
        had = [found for found in module.parameters() if found.grad is not None]
        return lambda: gradients(agent, had)

    def load(module: Any, *_: object, **__: object) -> Callable[[], list[tuple[str, Any]]]:
        return lambda: _tensors(agent, module)

    module_class.zero_grad = wrap(agent, module_class.zero_grad, "zero_grad", name, clear)
    module_class.load_state_dict = wrap(
        agent, module_class.load_state_dict, "load_state_dict", name, load
    )


def _seen_call(agent: Agent, torch: Any, call: Callable[..., Any]) -> Callable[..., Any]:
    """Return `Module.__call__`, seen where no other module's call is under way."""
    has_parameters: dict[int, tuple[weakref.ref[Any], bool]] = {}

    def is_part_of_forward(module: Any, args: tuple[Any, ...]) -> bool:
        known = has_parameters.get(id(module))
        if known is None or known[0]() is not module:
            has = next(module.parameters(), None) is not None
            known = has_parameters[id(module)] = (weakref.ref(module), has)
        return known[1] or any(
            isinstance(value, torch.Tensor) and value.requires_grad for value in args
        )

    @functools.wraps(call)
    def seen(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not agent.is_seen("forward") or torch.compiler.is_compiling():
            return call(self, *args, **kwargs)
        if torch.jit.is_tracing() or not is_part_of_forward(self, args):
            return call(self, *args, **kwargs)

        def prepare(ongoing: Ongoing) -> None:
            ongoing.detail = {"training": self.training, "grad": torch.is_grad_enabled()}

        ongoing = agent.begin("forward", lambda frame: agent.registry.module(self, frame), prepare)
        failure = None
        agent.nested.add("forward")
        try:
            return call(self, *args, **kwargs)
        except BaseException as error:
            failure = error
            raise
        finally:
            agent.nested.discard("forward")
            agent.end(ongoing, lambda: _buffers(agent, self), failure)

    return seen


def _buffers(agent: Agent, module: Any) -> list[tuple[str, Any]]:
    """Return the buffers that a Forward in training may write, such as running means."""
    if not module.training:
        return []
    found = [(agent.registry.find(buffer), buffer) for buffer in module.buffers()]
    return [(known.name, buffer) for known, buffer in found if known is not None]


def _tensors(agent: Agent, module: Any) -> list[tuple[str, Any]]:
    found = [(agent.registry.find(tensor), tensor) for tensor in module.state_dict().values()]
    named = [(known.name, tensor) for known, tensor in found if known is not None]
    parameters = [(agent.registry.find(tensor), tensor) for tensor in module.parameters()]
    return named + [(known.name, tensor) for known, tensor in parameters if known is not None]
