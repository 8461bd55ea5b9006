"""Wraps a function or method, so that the agent sees each call as one Operation."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradstep_agent.agent import Agent, Ongoing

    Name = Callable[..., str]
    Writes = Callable[..., "Callable[[], Sequence[tuple[str, Any]]]"]


def wrap(
    agent: Agent,
    function: Callable[..., Any],
    kind: str,
    name: Name,
    writes: Writes | None = None,
    detail: Callable[..., dict[str, object]] | None = None,
) -> Callable[..., Any]:
    """Return a function that does the same, seen by the agent.

    Args:
        agent: Who is told.
        function: What is wrapped.
        kind: The kind of Operation. Calls of the same kind inside of one are not seen.
        name: Called with the person's frame and the arguments: what it is done to.
        writes: Called with the arguments before the call: finds what it wrote afterwards.
        detail: Called with the arguments: what else is to be said.
    """

    @functools.wraps(function)
    def seen(*args: Any, **kwargs: Any) -> Any:
        if not agent.is_seen(kind):
            return function(*args, **kwargs)
        written = None

        def prepare(ongoing: Ongoing) -> None:
            nonlocal written
            if detail is not None:
                ongoing.detail = detail(*args, **kwargs)
            if writes is not None:
                written = writes(*args, **kwargs)

        ongoing = agent.begin(kind, lambda frame: name(frame, *args, **kwargs), prepare)
        failure = None
        agent.nested.add(kind)
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            failure = error
            raise
        finally:
            agent.nested.discard(kind)
            agent.end(ongoing, written, failure)

    return seen


def gradients(agent: Agent, parameters: Sequence[Any]) -> list[tuple[str, Any]]:
    """Return the gradients of parameters by address; None for one that is None."""
    found = [(agent.registry.find(parameter), parameter) for parameter in parameters]
    return [(f"{known.name}.grad", tensor.grad) for known, tensor in found if known is not None]
