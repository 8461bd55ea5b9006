"""Adam with a rectified variance."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.optim.common_terms import (
    DECAY_TERMS,
    GRADIENT_TERMS,
    MOMENT_TERMS,
    PARAM_TERM,
    penalized_gradient,
    update_moments,
)
from gradstep.optim.optimizer import Optimizer
from gradstep.optim.option_checks import check_adam_options
from gradstep.optim.state_storage import StateSpec
from gradstep.optim.terms import Formula, named_terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.optim.optimizer import Params
    from gradstep.optim.parameter_batch import Block
    from gradstep.optim.terms import Terms

__all__ = ["RAdam"]

_KEPT = StateSpec({"exp_avg": 0.0, "exp_avg_sq": 0.0}, {"step": 0.0})

_TRUSTED_LENGTH = 5
"""The second moment is used from this length of the moving average on (section 4)."""


class RAdam(Optimizer):
    r"""Adam that uses only its first moment until the second one is reliable.

    .. math::
        \rho_t = \rho_\infty - \frac{2 t \beta_2^t}{1 - \beta_2^t}, \quad
        \rho_\infty = \frac{2}{1 - \beta_2} - 1, \quad
        r_t = \sqrt{\frac{(\rho_t - 4)(\rho_t - 2)\rho_\infty}
        {(\rho_\infty - 4)(\rho_\infty - 2)\rho_t}}

    and where :math:`\rho_t > 5` the bias-corrected mean is multiplied by
    :math:`r_t \sqrt{1 - \beta_2^t} / (\sqrt{v_t} + \epsilon)`.

    Args:
        params: Tensors, `(name, tensor)` pairs, or groups.
        lr: Learning rate :math:`\gamma`.
        betas: Decay rates :math:`\beta_1, \beta_2` of the two moments.
        eps: :math:`\epsilon`, added to the denominator outside the root.
        weight_decay: Factor :math:`\lambda` of the penalty.
        decoupled_weight_decay: Shrink the parameter itself instead of adding to the gradient.
        foreach: Accepted for compatibility with torch; no effect.
        maximize: Ascend instead of descend.
        capturable: Accepted for compatibility with torch; no effect.
        differentiable: Accepted for compatibility with torch; no effect.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0], requires_grad=True)
        >>> optimizer = RAdam([x], lr=0.1)
        >>> (x * x).sum().backward()
        >>> optimizer.step()
        >>> x
        tensor([0.8000], requires_grad=True)

    References:
        Liu et al., On the variance of the adaptive learning rate, arXiv 1908.03265.
    """

    TERMS = named_terms(
        {
            **DECAY_TERMS,
            **GRADIENT_TERMS,
            **MOMENT_TERMS,
            "bias_corrected_exp_avg": Formula("exp_avg / (1 - beta1 ** step)"),
            "rho_inf": Formula("2 / (1 - beta2) - 1"),
            "sma_length": Formula("rho_inf - 2 * step * beta2 ** step / (1 - beta2 ** step)"),
            "rectification": Formula(
                "sqrt((sma_length - 4) * (sma_length - 2) * rho_inf"
                " / ((rho_inf - 4) * (rho_inf - 2) * sma_length))"
            ),
            "denominator": Formula("sqrt(exp_avg_sq) + eps"),
            "update": Formula("lr * bias_corrected_exp_avg"),
            "update.rectified": Formula(
                "lr * bias_corrected_exp_avg * rectification"
                " * sqrt(1 - beta2 ** step) / denominator"
            ),
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
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "decoupled_weight_decay": decoupled_weight_decay,
                "differentiable": differentiable,
            },
        )

    @classmethod
    def check_options(cls, options: Mapping[str, Any]) -> None:
        """Check that each hyperparameter is within its range."""
        check_adam_options(options)

    def _spec(self, group: dict[str, Any]) -> StateSpec:  # noqa: ARG002 - always the same
        return _KEPT

    def _update(self, block: Block, group: dict[str, Any]) -> Terms:
        number, (a, b, _, _) = block.numbers, block.scratch
        lr, (beta1, beta2), step = float(group["lr"]), group["betas"], block.counters["step"]
        grad = yield from penalized_gradient(block, group)
        yield from update_moments(block, grad, group["betas"])
        update = np.divide(block.state["exp_avg"], 1 - beta1**step, a)
        yield "bias_corrected_exp_avg", update
        longest = 2 / (1 - beta2) - 1
        yield "rho_inf", longest
        bias_correction2 = 1 - beta2**step
        length = longest - 2 * step * beta2**step / bias_correction2
        yield "sma_length", length
        np.multiply(update, number[lr], update)
        way = "update"
        if length > _TRUSTED_LENGTH:
            rectification = sqrt(
                (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
            )
            yield "rectification", rectification
            denominator = np.sqrt(block.state["exp_avg_sq"], b)
            np.add(denominator, number[group["eps"]], denominator)
            yield "denominator", denominator
            np.divide(update, denominator, update)
            np.multiply(update, rectification * sqrt(bias_correction2), update)
            way = "update.rectified"
        yield way, update
        np.subtract(block.data, update, block.data)
        yield "param", block.data
