"""Zero Grad of an optimizer or a module, and the loss whose Backward comes after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep_agent.operation import WrappedFunction
from gradstep_agent.torch_hooks.backward import number_of, tell_graph
from gradstep_agent.torch_hooks.wrapping import gradients, with_gradients, wrap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType

    from gradstep_agent.agent import Agent
    from gradstep_agent.expected_calls import ExpectedCall
    from gradstep_agent.operation import Operation


def see_zero_grad(
    agent: Agent,
    torch: Any,
    kind: Any,
    name_of: Callable[[Any, FrameType | None], str],
    parameters_of: Callable[[Any], Iterable[Any]],
) -> None:
    """Wrap the `zero_grad` of a class.

    Args:
        agent: Who reports it.
        torch: The script's torch.
        kind: The class.
        name_of: Returns what an object of the class is called.
        parameters_of: Returns the parameters that it clears.
    """

    def describe(operation: Operation, frame: FrameType | None) -> None:
        operation.target = name_of(operation.args[0], frame)
        operation.detail = operation.site.look_for_loss()

    def repeats(call: ExpectedCall, args: tuple[Any, ...]) -> bool:
        return call.subject() is args[0]

    def show(operation: Operation, frame: FrameType | None) -> dict[str, Any]:
        computed = operation.site.computed
        if computed is None:
            return {}
        loss, value = computed.tensor(frame), None
        if isinstance(loss, torch.Tensor):
            value = number_of(agent, loss)
            tell_graph(agent, loss, computed.name, frame)
        text = "" if value is None else repr(value)
        return {"loss": text, "loss_name": computed.name, "loss_line": computed.line}

    kind.zero_grad = wrap(
        agent,
        kind.zero_grad,
        WrappedFunction(
            "zero_grad",
            describe,
            note=lambda made: with_gradients(parameters_of(made.args[0])),
            writes=lambda made: gradients(agent, made.noted or ()),
            show=show,
            repeats=repeats,
        ),
    )
