"""Forward of the outermost modules, Zero Grad and modes of a module, and loaded weights."""

from __future__ import annotations

import functools
import weakref
from collections import OrderedDict
from threading import get_ident
from typing import TYPE_CHECKING, Any

from gradstep_agent.operation import Operation, WrappedFunction
from gradstep_agent.torch_hooks.inside import ModuleSteps
from gradstep_agent.torch_hooks.modes import see_modes
from gradstep_agent.torch_hooks.wrapping import (
    leave_out_wrapper,
    skipped_by_warnings,
    tracing_check,
    wrap,
)
from gradstep_agent.torch_hooks.zero_grad import see_zero_grad

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from gradstep_agent.agent import Agent
    from gradstep_agent.expected_calls import ExpectedCall


_LONGEST_KEY = 100
"""Longer names of a state are not reported."""


def install(agent: Agent, torch: Any) -> None:
    """Wrap `__call__`, `zero_grad`, `train` and `load_state_dict` of Module."""
    module_class = torch.nn.Module
    module_class.__call__ = _seen_call(agent, torch, module_class.__call__)

    def describe_load(operation: Operation, frame: FrameType | None) -> None:
        module, *given = operation.args
        operation.target = agent.registry.module(module, frame)
        given = given or [(operation.kwargs or {}).get("state_dict")]
        if _is_own_state(module, given[0]):
            name = operation.target
            agent.send({"type": "noticed", "what": "own_state", "name": name, "target": ""})

    see_zero_grad(agent, torch, module_class, agent.registry.module, lambda one: one.parameters())
    see_modes(agent, module_class)
    unmatched: list[str] = []  # the first names of the last load, if no name fitted

    def complete_load(operation: Operation) -> None:
        if unmatched and all(_can_be_sent(name) for name in unmatched):
            header = {"type": "noticed", "what": "unmatched", "name": operation.target}
            agent.send({**header, "target": " ".join(unmatched)})

    module_class.load_state_dict = wrap(
        agent,
        _noting_names(module_class.load_state_dict, unmatched),
        WrappedFunction(
            "load_state_dict",
            describe_load,
            writes=lambda made: _tensors(agent, made.args[0]),
            complete=complete_load,
        ),
    )


def _seen_call(agent: Agent, torch: Any, call: Callable[..., Any]) -> Callable[..., Any]:
    """Return `Module.__call__`, seen where no other module's call is under way."""
    nested = agent.nested
    is_traced, is_compiling = tracing_check(torch), torch.compiler.is_compiling
    is_tracing = getattr(torch._C, "_is_tracing", torch.jit.is_tracing)
    dispatch_modes = getattr(torch._C, "_len_torch_dispatch_stack", int)  # such as fake tensors
    is_part_of_forward = _parts_of_forward(torch.Tensor)
    wrapped = _forward(agent, torch.is_grad_enabled)

    @functools.wraps(call)
    def seen(*args: Any, **kwargs: Any) -> Any:  # to name the module would copy the others
        if is_traced():
            return call(*args, **kwargs)
        try:
            if "forward" in nested or not agent.active or get_ident() != agent.thread:
                if agent.inside is not None and not is_compiling():
                    return agent.inside.call(call, args, kwargs)
                return call(*args, **kwargs)
            if is_tracing() or is_compiling() or dispatch_modes() or not is_part_of_forward(*args):
                return call(*args, **kwargs)
            operation = agent.begin(wrapped, args, kwargs)
            nested.add("forward")
            try:
                result = call(*args, **kwargs)
            except BaseException as error:
                nested.discard("forward")
                agent.end(operation, args, error)
                raise
            nested.discard("forward")
            agent.end(operation, args)
        except BaseException as error:
            leave_out_wrapper(error)
            raise
        return result

    return skipped_by_warnings(seen)


def _forward(agent: Agent, is_grad_enabled: Callable[[], bool]) -> WrappedFunction:
    """Return how the Forward of a module is reported."""
    details = {
        (training, grad): (("training", training), ("grad", grad))
        for training in (False, True)
        for grad in (False, True)
    }

    def describe(operation: Operation, frame: FrameType | None) -> None:
        module = operation.args[0]
        operation.target = agent.registry.module(module, frame)
        operation.detail = details[bool(module.training), is_grad_enabled()]

    def enter(operation: Operation) -> Callable[[], None]:
        agent.inside = ModuleSteps(agent, operation.args[0], operation.target)
        return leave

    def leave() -> None:
        agent.inside = None

    def repeats(call: ExpectedCall, args: tuple[Any, ...]) -> bool:
        module = args[0]
        return (
            call.subject() is module
            and call.detail is details[bool(module.training), is_grad_enabled()]
        )

    return WrappedFunction(
        "forward",
        describe,
        writes=lambda made: _buffers(agent, made.args[0]),
        enter=enter,
        repeats=repeats,
    )


def _parts_of_forward(tensor_class: Any) -> Callable[..., bool]:
    """Return what distinguishes modules of a network, and losses, from what prepares data."""
    has_parameters: dict[int, tuple[weakref.ref[Any], bool]] = {}

    def is_part_of_forward(module: Any, *args: Any) -> bool:
        known = has_parameters.get(id(module))
        if known is None or known[0]() is not module:
            has = next(module.parameters(), None) is not None
            known = has_parameters[id(module)] = (weakref.ref(module), has)
        if known[1]:
            return True
        for value in args:  # noqa: SIM110 - a generator takes longer than what it finds
            if isinstance(value, tensor_class) and value.requires_grad:
                return True
        return False

    return is_part_of_forward


def _buffers(agent: Agent, module: Any) -> list[tuple[str, Any]]:
    """Return the buffers that a Forward in training may write, such as running means."""
    if not module.training:
        return []
    found = [(agent.registry.find(buffer), buffer) for buffer in module.buffers()]
    return [(known.name, buffer) for known, buffer in found if known is not None]


def _noting_names(load: Callable[..., Any], unmatched: list[str]) -> Callable[..., Any]:
    """Return `load_state_dict`, which notes a name of the state and one of the module if none fit.

    With `strict=False` that is no error.
    """

    @functools.wraps(load)
    def load_state_dict(*args: Any, **kwargs: Any) -> Any:
        unmatched.clear()
        try:
            result = load(*args, **kwargs)
        except BaseException as error:
            leave_out_wrapper(error)
            raise
        missing = getattr(result, "missing_keys", ())
        unexpected = getattr(result, "unexpected_keys", ())
        given = args[1] if len(args) > 1 else kwargs["state_dict"]
        if missing and unexpected and len(unexpected) == len(given):
            unmatched.extend((str(unexpected[0]), str(missing[0])))
        return result

    return skipped_by_warnings(load_state_dict)


def _can_be_sent(name: str) -> bool:
    return bool(name) and len(name) <= _LONGEST_KEY and not set(name) & {" ", "/"}


def _is_own_state(module: Any, state: Any) -> bool:
    """Return whether a state holds the parameters of a module themselves, and no copies."""
    if type(state) not in (dict, OrderedDict):
        return False
    pairs = [(found, state.get(name)) for name, found in module.named_parameters()]
    return bool(pairs) and all(_is_same_memory(one, other) for one, other in pairs)


def _is_same_memory(one: Any, other: Any) -> bool:
    """Return whether two tensors have their elements in one place; not whether they are equal."""
    try:
        return bool(one.numel() > 0 and one.data_ptr() == other.data_ptr())
    except (AttributeError, RuntimeError):  # it has no memory, or is no tensor
        return False


def _tensors(agent: Agent, module: Any) -> list[tuple[str, Any]]:
    found = [(agent.registry.find(tensor), tensor) for tensor in module.state_dict().values()]
    named = [(known.name, tensor) for known, tensor in found if known is not None]
    parameters = [(agent.registry.find(tensor), tensor) for tensor in module.parameters()]
    return named + [(known.name, tensor) for known, tensor in parameters if known is not None]
