"""Wraps a function or method, so that the agent sees each call as one Operation."""

from __future__ import annotations

import functools
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gradstep_agent.agent import Agent
    from gradstep_agent.operation import WrappedFunction

_INTERNAL = str(Path(__file__).parent / "importlib._bootstrap" / "wrapping.py")


def wrap(
    agent: Agent, function: Callable[..., Any], wrapped: WrappedFunction
) -> Callable[..., Any]:
    """Return a function that does the same, seen by the agent.

    Args:
        agent: Receives the Operations.
        function: What is wrapped.
        wrapped: How its calls are reported. Calls of the same kind inside of one are not seen.
    """
    kind, nested = wrapped.kind, agent.nested
    is_traced = tracing_check(agent.torch)

    @functools.wraps(function)
    def seen(*args: Any, **kwargs: Any) -> Any:
        if is_traced():
            return function(*args, **kwargs)
        try:
            if kind in nested or not agent.active or get_ident() != agent.thread:
                return function(*args, **kwargs)
            operation = agent.begin(wrapped, args, kwargs)
            if operation is not None and operation.is_skipped:
                return agent.end(operation, args)
            nested.add(kind)
            try:
                result = function(*args, **kwargs)
            except BaseException as error:
                nested.discard(kind)
                agent.end(operation, args, error)
                raise
            nested.discard(kind)
            agent.end(operation, args)
        except BaseException as error:
            leave_out_wrapper(error)
            raise
        return result

    return skipped_by_warnings(seen)


def tracing_check(torch: Any) -> Callable[[], bool]:
    """Return what says whether Dynamo traces the function that calls it.

    Dynamo knows the answer to it, as to `is_compiling`, and sees nothing of what the agent does.
    Everywhere else it returns False at once, and wrappers call it for each module of a network.
    """
    compiler = torch.compiler
    check: Callable[[], bool] = getattr(compiler, "is_dynamo_compiling", compiler.is_compiling)
    return check


def keep_from_compiling(torch: Any, *functions: Callable[..., Any]) -> None:
    """Keep Dynamo from compiling functions of the agent, and what they call.

    After a graph break it runs the wrapper as Python does, and compiles each function called there.
    Where torch has no such setting, it compiles the agent's as well, and warns of those it cannot.

    Args:
        torch: The script's own torch.
        functions: What is called by wrappers.
    """
    dynamo = getattr(getattr(torch, "_C", None), "_dynamo", None)
    evaluation: Any = getattr(dynamo, "eval_frame", None)
    action = getattr(evaluation, "_FrameAction", None)
    if action is not None:
        strategy = evaluation._FrameExecStrategy(action.SKIP, action.SKIP)
        for function in functions:
            evaluation.set_code_exec_strategy(function.__code__, strategy)


def skipped_by_warnings(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose frames warnings skip, so that they name the line that calls it.

    They skip what runs imports, which they know by its file (`_is_internal_frame` of CPython).
    """
    function.__code__ = function.__code__.replace(co_filename=_INTERNAL)
    return function


def leave_out_wrapper(error: BaseException) -> None:
    """Take the first frame, which is the wrapper's, out of a traceback that a script may print.

    The wrapper catches the error, calls this, and raises it again with a bare `raise`, which adds
    no frame of its own since Python 3.11; before, it brings back the traceback that was caught.
    """
    if error.__traceback__ is not None:
        error.__traceback__ = error.__traceback__.tb_next


def gradients(agent: Agent, parameters: Sequence[Any]) -> list[tuple[str, Any]]:
    """Return the gradients of parameters by address; None for one that is None."""
    found = [(agent.registry.find(parameter), parameter) for parameter in parameters]
    return [(f"{known.name}.grad", tensor.grad) for known, tensor in found if known is not None]


def with_gradients(parameters: Iterable[Any]) -> list[Any]:
    """Return those parameters that have a gradient."""
    return [parameter for parameter in parameters if parameter.grad is not None]
