"""Adagrad."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.optim.common_terms import GRADIENT_TERMS, PARAM_TERM, decayed_gradient
from gradstep.optim.optimizer import Optimizer
from gradstep.optim.option_checks import check_not_negative
from gradstep.optim.state_storage import StateSpec
from gradstep.optim.terms import Formula, named_terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.optim.optimizer import Params
    from gradstep.optim.parameter_batch import Block
    from gradstep.optim.terms import Terms

__all__ = ["Adagrad"]


class Adagrad(Optimizer):
    r"""Divides the gradient by the root of the sum of all its squares so far.

    .. math::
        s_t = s_{t-1} + g_t^2, \qquad
        \theta_t = \theta_{t-1} - \frac{\gamma}{1 + (t - 1)\eta}\,\frac{g_t}{\sqrt{s_t} + \epsilon}

    Its state is created by the constructor, not at the first step.

    Args:
        params: Tensors, `(name, tensor)` pairs, or groups.
        lr: Learning rate :math:`\gamma`.
        lr_decay: Decay :math:`\eta` of the learning rate with the steps.
        weight_decay: Factor :math:`\lambda` of the L2 penalty that joins the gradient.
        initial_accumulator_value: Initial value of the sum.
        eps: :math:`\epsilon`, added to the denominator outside the root.
        foreach: Accepted for compatibility with torch; no effect.
        maximize: Ascend instead of descend.
        differentiable: Accepted for compatibility with torch; no effect.
        fused: Accepted for compatibility with torch; no effect.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0], requires_grad=True)
        >>> optimizer = Adagrad([x], lr=0.1)
        >>> (x * x).sum().backward()
        >>> optimizer.step()
        >>> x
        tensor([0.9000], requires_grad=True)

    References:
        Duchi et al., Adaptive subgradient methods, JMLR 12, 2011.
    """

    TERMS = named_terms(
        {
            **GRADIENT_TERMS,
            "sum": Formula("sum + grad ** 2"),
            "denominator": Formula("sqrt(sum) + eps"),
            "step_size": Formula("lr / (1 + (step - 1) * lr_decay)"),
            "update": Formula("step_size * grad / denominator"),
            **PARAM_TERM,
        }
    )

    takes_sparse = True

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "lr_decay": lr_decay,
                "eps": eps,
                "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "fused": fused,
            },
        )
        self._create_state()

    @classmethod
    def check_options(cls, options: Mapping[str, Any]) -> None:
        """Check that each hyperparameter is within its range."""
        check_not_negative(
            options,
            lr="learning rate",
            lr_decay="lr_decay value",
            weight_decay="weight_decay value",
            initial_accumulator_value="initial_accumulator_value value",
            eps="epsilon value",
        )

    def _spec(self, group: dict[str, Any]) -> StateSpec:
        return StateSpec({"sum": group["initial_accumulator_value"]}, {"step": 0.0})

    def _update(self, block: Block, group: dict[str, Any]) -> Terms:
        number, (a, b, _, _) = block.numbers, block.scratch
        grad = yield from decayed_gradient(block, group)
        total = block.state["sum"]
        np.multiply(grad, grad, a)
        np.add(total, a, total)
        yield "sum", total
        denominator = np.sqrt(total, a)
        np.add(denominator, number[group["eps"]], denominator)
        yield "denominator", denominator
        step_size = float(group["lr"]) / (1 + (block.counters["step"] - 1) * group["lr_decay"])
        yield "step_size", step_size
        update = np.divide(grad, denominator, b)
        np.multiply(update, step_size, update)
        yield "update", update
        np.subtract(block.data, update, block.data)
        yield "param", block.data
