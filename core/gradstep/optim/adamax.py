"""Adamax."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.optim.common_terms import GRADIENT_TERMS, MOMENT_TERMS, PARAM_TERM, decayed_gradient
from gradstep.optim.optimizer import Optimizer
from gradstep.optim.option_checks import check_adam_options
from gradstep.optim.state_storage import StateSpec
from gradstep.optim.terms import Formula, named_terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.optim.optimizer import Params
    from gradstep.optim.parameter_batch import Block
    from gradstep.optim.terms import Terms

__all__ = ["Adamax"]

_KEPT = StateSpec({"exp_avg": 0.0, "exp_inf": 0.0}, {"step": 0.0})


class Adamax(Optimizer):
    r"""Adam with the largest gradient so far, decaying, in place of the second moment.

    .. math::
        u_t = \max(\beta_2 u_{t-1}, |g_t| + \epsilon), \qquad
        \theta_t = \theta_{t-1} - \frac{\gamma}{1 - \beta_1^t}\,\frac{m_t}{u_t}

    Args:
        params: Tensors, `(name, tensor)` pairs, or groups.
        lr: Learning rate :math:`\gamma`.
        betas: Decay rates :math:`\beta_1, \beta_2` of the mean and of the maximum.
        eps: :math:`\epsilon`, added to the gradient's size.
        weight_decay: Factor :math:`\lambda` of the L2 penalty that joins the gradient.
        foreach: Accepted for compatibility with torch; no effect.
        maximize: Ascend instead of descend.
        differentiable: Accepted for compatibility with torch; no effect.
        capturable: Accepted for compatibility with torch; no effect.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0], requires_grad=True)
        >>> optimizer = Adamax([x], lr=0.1)
        >>> (x * x).sum().backward()
        >>> optimizer.step()
        >>> x
        tensor([0.9000], requires_grad=True)

    References:
        Kingma & Ba, Adam, arXiv 1412.6980, section 7.1.
    """

    TERMS = named_terms(
        {
            **GRADIENT_TERMS,
            "exp_avg": MOMENT_TERMS["exp_avg"],
            "exp_inf": Formula("max(beta2 * exp_inf, abs(grad) + eps)"),
            "step_size": Formula("lr / (1 - beta1 ** step)"),
            "update": Formula("step_size * exp_avg / exp_inf"),
            **PARAM_TERM,
        }
    )

    def __init__(
        self,
        params: Params,
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "capturable": capturable,
            },
        )

    @classmethod
    def check_options(cls, options: Mapping[str, Any]) -> None:
        """Check that each hyperparameter is within its range."""
        check_adam_options(options)

    def _spec(self, group: dict[str, Any]) -> StateSpec:  # noqa: ARG002 - always the same
        return _KEPT

    def _update(self, block: Block, group: dict[str, Any]) -> Terms:
        number, a = block.numbers, block.scratch[0]
        beta1, beta2 = group["betas"]
        grad = yield from decayed_gradient(block, group)
        exp_avg, exp_inf = block.state["exp_avg"], block.state["exp_inf"]
        np.subtract(grad, exp_avg, a)
        np.multiply(a, number[1 - beta1], a)
        np.add(exp_avg, a, exp_avg)
        yield "exp_avg", exp_avg
        np.abs(grad, a)
        np.add(a, number[group["eps"]], a)
        np.multiply(exp_inf, number[beta2], exp_inf)
        np.maximum(exp_inf, a, out=exp_inf)
        yield "exp_inf", exp_inf
        step_size = float(group["lr"]) / (1 - beta1 ** block.counters["step"])
        yield "step_size", step_size
        update = np.divide(exp_avg, exp_inf, a)
        np.multiply(update, step_size, update)
        yield "update", update
        np.subtract(block.data, update, block.data)
        yield "param", block.data
