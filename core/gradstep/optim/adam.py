"""Adam, with its AMSGrad variant."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from numpy import add, divide, maximum, multiply, sqrt, subtract

from gradstep.optim.common_terms import (
    DECAY_TERMS,
    GRADIENT_TERMS,
    MOMENT_TERMS,
    PARAM_TERM,
    penalized_gradient,
    update_moments,
)
from gradstep.optim.optimizer import Optimizer
from gradstep.optim.option_checks import check_adam_options, check_flags, without_tensors
from gradstep.optim.state_storage import StateSpec
from gradstep.optim.terms import Formula, named_terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.optim.optimizer import Params
    from gradstep.optim.parameter_batch import Block
    from gradstep.optim.terms import Terms

__all__ = ["Adam"]

_MOMENTS = StateSpec({"exp_avg": 0.0, "exp_avg_sq": 0.0}, {"step": 0.0})
_AMSGRAD = StateSpec({**_MOMENTS.buffers, "max_exp_avg_sq": 0.0}, _MOMENTS.counters)


class Adam(Optimizer):
    r"""Adaptive moment estimation.

    .. math::
        m_t &= \beta_1 m_{t-1} + (1 - \beta_1) g_t, \quad
        v_t = \beta_2 v_{t-1} + (1 - \beta_2) g_t^2 \\
        \theta_t &= \theta_{t-1} - \gamma\,
        \frac{m_t / (1 - \beta_1^t)}{\sqrt{v_t} / \sqrt{1 - \beta_2^t} + \epsilon}

    Args:
        params: Tensors, `(name, tensor)` pairs, or groups.
        lr: Learning rate :math:`\gamma`.
        betas: Decay rates :math:`\beta_1, \beta_2` of the two moments.
        eps: :math:`\epsilon`, added to the denominator outside the root.
        weight_decay: Factor :math:`\lambda` of the L2 penalty that joins the gradient.
        amsgrad: Divide by the largest second moment so far.
        foreach: Accepted for compatibility with torch; no effect.
        maximize: Ascend instead of descend.
        capturable: Accepted for compatibility with torch; no effect.
        differentiable: Accepted for compatibility with torch; no effect.
        fused: Accepted for compatibility with torch; no effect.
        decoupled_weight_decay: Shrink the parameter itself instead (AdamW).

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0], requires_grad=True)
        >>> optimizer = Adam([x], lr=0.1)
        >>> (x * x).sum().backward()
        >>> optimizer.step()
        >>> x
        tensor([0.9000], requires_grad=True)

    References:
        Kingma & Ba, Adam, arXiv 1412.6980. Reddi et al., On the convergence of Adam and beyond,
        ICLR 2018.
    """

    TERMS = named_terms(
        {
            **DECAY_TERMS,
            **GRADIENT_TERMS,
            **MOMENT_TERMS,
            "bias_correction1": Formula("1 - beta1 ** step"),
            "bias_correction2": Formula("1 - beta2 ** step"),
            "max_exp_avg_sq": Formula("max(max_exp_avg_sq, exp_avg_sq)"),
            "step_size": Formula("lr / bias_correction1"),
            "denominator": Formula("sqrt(exp_avg_sq) / sqrt(bias_correction2) + eps"),
            "denominator.amsgrad": Formula("sqrt(max_exp_avg_sq) / sqrt(bias_correction2) + eps"),
            "update": Formula("step_size * exp_avg / denominator"),
            **PARAM_TERM,
        }
    )

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        check_flags(options)
        options["betas"] = without_tensors(betas)
        super().__init__(params, options)

    @classmethod
    def check_options(cls, options: Mapping[str, Any]) -> None:
        """Check hyperparameters: none negative, and betas in [0, 1)."""
        check_adam_options(options)

    def _spec(self, group: dict[str, Any]) -> StateSpec:
        return _AMSGRAD if group["amsgrad"] else _MOMENTS

    def _update(self, block: Block, group: dict[str, Any]) -> Terms:
        number, scratch = block.numbers, block.scratch
        lr, (beta1, beta2), step = float(group["lr"]), group["betas"], block.counters["step"]
        grad = yield from penalized_gradient(block, group)
        yield from update_moments(block, grad, group["betas"])
        exp_avg, second = block.state["exp_avg"], block.state["exp_avg_sq"]
        way = "denominator"
        if group["amsgrad"]:
            way = "denominator.amsgrad"
            largest = block.state["max_exp_avg_sq"]
            second = maximum(largest, second, out=largest)
            yield "max_exp_avg_sq", second
        bias_correction1 = 1 - beta1**step
        yield "bias_correction1", bias_correction1
        bias_correction2 = 1 - beta2**step
        yield "bias_correction2", bias_correction2
        step_size = lr / bias_correction1
        yield "step_size", step_size
        denominator = sqrt(second, scratch[1])
        # Multiplying by a reciprocal takes a third of the time of dividing.
        multiply(denominator, 1 / math.sqrt(bias_correction2), denominator)
        add(denominator, number[group["eps"]], denominator)
        yield way, denominator
        update = multiply(exp_avg, step_size, scratch[0])
        divide(update, denominator, update)
        yield "update", update
        subtract(block.data, update, block.data)
        yield "param", block.data
