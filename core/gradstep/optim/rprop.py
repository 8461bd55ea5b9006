"""Resilient backpropagation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.errors import ArgumentError
from gradstep.optim.common_terms import GRADIENT_TERMS, PARAM_TERM, ascent_gradient
from gradstep.optim.optimizer import Optimizer
from gradstep.optim.option_checks import check_not_negative, check_numbers
from gradstep.optim.state_storage import StateSpec
from gradstep.optim.terms import Formula, named_terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.optim.optimizer import Params
    from gradstep.optim.parameter_batch import Block
    from gradstep.optim.terms import Terms

__all__ = ["Rprop"]


class Rprop(Optimizer):
    r"""Updates each element by its own step size, along the sign of its gradient.

    The step size grows by :math:`\eta^+` while the sign stays the same, and shrinks by
    :math:`\eta^-` when it changes; the element then stays unchanged for one step.

    Args:
        params: Tensors, `(name, tensor)` pairs, or groups.
        lr: The initial step size of every element.
        etas: The factors :math:`\eta^-, \eta^+`.
        step_sizes: The smallest and the largest step size.
        capturable: Accepted for compatibility with torch; no effect.
        foreach: Accepted for compatibility with torch; no effect.
        maximize: Ascend instead of descend.
        differentiable: Accepted for compatibility with torch; no effect.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0], requires_grad=True)
        >>> optimizer = Rprop([x], lr=0.1)
        >>> (x * x).sum().backward()
        >>> optimizer.step()
        >>> x
        tensor([0.9000], requires_grad=True)

    References:
        Riedmiller & Braun, A direct adaptive method for faster backpropagation learning, ICNN 1993.
    """

    TERMS = named_terms(
        {
            "ascent_grad": GRADIENT_TERMS["ascent_grad"],
            "factor": Formula(
                "where(grad * prev > 0, etaplus, where(grad * prev < 0, etaminus, 1))",
                times=(("prev", "t-1"),),
            ),
            "step_size": Formula("clamp(step_size * factor, step_size_min, step_size_max)"),
            "prev": Formula("where(grad * prev < 0, 0, grad)"),
            "update": Formula("step_size * sign(prev)"),
            **PARAM_TERM,
        }
    )

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "etas": etas,
                "step_sizes": step_sizes,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "capturable": capturable,
            },
        )

    @classmethod
    def check_options(cls, options: Mapping[str, Any]) -> None:
        """Check that each hyperparameter is within its range."""
        check_not_negative(options, lr="learning rate")
        check_numbers(options, "etas", (0.5, 1.2))
        check_numbers(options, "step_sizes", (1e-6, 50))
        if "etas" in options:
            shrink, grow = options["etas"]
            if not 0 < shrink < 1 < grow:
                raise ArgumentError(
                    f"Invalid eta values: {shrink}, {grow}",
                    "the first must lie between 0 and 1, the second above 1",
                )

    def _spec(self, group: dict[str, Any]) -> StateSpec:
        return StateSpec({"prev": 0.0, "step_size": float(group["lr"])}, {"step": 0.0})

    def _update(self, block: Block, group: dict[str, Any]) -> Terms:
        (etaminus, etaplus), (smallest, largest) = group["etas"], group["step_sizes"]
        grad = yield from ascent_gradient(block, group)
        prev, step_size = block.state["prev"], block.state["step_size"]
        factor = np.multiply(grad, prev, block.scratch[0])
        grows, shrinks = factor > 0, factor < 0
        factor.fill(1)
        np.copyto(factor, etaplus, where=grows)
        np.copyto(factor, etaminus, where=shrinks)
        yield "factor", factor
        np.multiply(step_size, factor, step_size)
        np.clip(step_size, smallest, largest, step_size)
        yield "step_size", step_size
        np.copyto(prev, grad)
        np.copyto(prev, 0, where=shrinks)
        yield "prev", prev
        update = np.sign(prev, block.scratch[1])
        np.multiply(update, step_size, update)
        yield "update", update
        np.subtract(block.data, update, block.data)
        yield "param", block.data
