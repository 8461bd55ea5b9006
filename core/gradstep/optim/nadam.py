"""Adam with Nesterov's momentum."""

from __future__ import annotations

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

__all__ = ["NAdam"]

_KEPT = StateSpec({"exp_avg": 0.0, "exp_avg_sq": 0.0}, {"step": 0.0, "mu_product": 1.0})


class NAdam(Optimizer):
    r"""Adam with Nesterov momentum: it looks one step ahead along its first moment.

    .. math::
        \mu_t &= \beta_1 (1 - \tfrac12\, 0.96^{t\psi}) \\
        \theta_t &= \theta_{t-1} - \gamma\,\frac{
            \frac{1 - \mu_t}{1 - \prod_{i \le t} \mu_i} g_t +
            \frac{\mu_{t+1}}{1 - \prod_{i \le t+1} \mu_i} m_t
        }{\sqrt{v_t / (1 - \beta_2^t)} + \epsilon}

    Args:
        params: Tensors, `(name, tensor)` pairs, or groups.
        lr: Learning rate :math:`\gamma`.
        betas: Decay rates :math:`\beta_1, \beta_2` of the two moments.
        eps: :math:`\epsilon`, added to the denominator outside the root.
        weight_decay: Factor :math:`\lambda` of the penalty.
        momentum_decay: How fast :math:`\psi` the momentum approaches :math:`\beta_1`.
        decoupled_weight_decay: Shrink the parameter itself instead of adding to the gradient.
        foreach: Accepted for compatibility with torch; no effect.
        maximize: Ascend instead of descend.
        capturable: Accepted for compatibility with torch; no effect.
        differentiable: Accepted for compatibility with torch; no effect.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0], requires_grad=True)
        >>> optimizer = NAdam([x], lr=0.1)
        >>> (x * x).sum().backward()
        >>> optimizer.step()
        >>> x
        tensor([0.8944], requires_grad=True)

    References:
        Dozat, Incorporating Nesterov momentum into Adam, ICLR workshop 2016.
    """

    TERMS = named_terms(
        {
            **DECAY_TERMS,
            **GRADIENT_TERMS,
            **MOMENT_TERMS,
            "mu": Formula("beta1 * (1 - 0.5 * 0.96 ** (step * momentum_decay))"),
            "mu_next": Formula("beta1 * (1 - 0.5 * 0.96 ** ((step + 1) * momentum_decay))"),
            "denominator": Formula("sqrt(exp_avg_sq / (1 - beta2 ** step)) + eps"),
            "grad_update": Formula("lr * ((1 - mu) / (1 - mu_product)) * (grad / denominator)"),
            "update": Formula(
                "grad_update"
                " + lr * (mu_next / (1 - mu_product * mu_next)) * (exp_avg / denominator)"
            ),
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
        momentum_decay: float = 4e-3,
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
                "momentum_decay": momentum_decay,
                "decoupled_weight_decay": decoupled_weight_decay,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "differentiable": differentiable,
            },
        )

    @classmethod
    def check_options(cls, options: Mapping[str, Any]) -> None:
        """Check that each hyperparameter is within its range."""
        check_adam_options(options, momentum_decay="momentum_decay value")

    def _spec(self, group: dict[str, Any]) -> StateSpec:  # noqa: ARG002 - always the same
        return _KEPT

    def _advance(self, counters: dict[str, float], group: dict[str, Any]) -> dict[str, float]:
        step = counters["step"] + 1
        mu = _momentum(group["betas"][0], step, group["momentum_decay"])
        # torch multiplies in float32, so the factor is rounded before and the product after
        return {"step": step, "mu_product": counters["mu_product"] * float(np.float32(mu))}

    def _update(self, block: Block, group: dict[str, Any]) -> Terms:
        number, (a, b, c, _) = block.numbers, block.scratch
        lr, (beta1, beta2) = float(group["lr"]), group["betas"]
        step, product = block.counters["step"], block.counters["mu_product"]
        mu = _momentum(beta1, step, group["momentum_decay"])
        yield "mu", mu
        mu_next = _momentum(beta1, step + 1, group["momentum_decay"])
        yield "mu_next", mu_next
        grad = yield from penalized_gradient(block, group)
        yield from update_moments(block, grad, group["betas"])
        denominator = np.divide(block.state["exp_avg_sq"], 1 - beta2**step, a)
        np.sqrt(denominator, denominator)
        np.add(denominator, number[group["eps"]], denominator)
        yield "denominator", denominator
        by_grad = np.divide(grad, denominator, b)
        np.multiply(by_grad, lr * (1 - mu) / (1 - product), by_grad)
        yield "grad_update", by_grad
        update = np.divide(block.state["exp_avg"], denominator, c)
        np.multiply(update, lr * mu_next / (1 - product * mu_next), update)
        np.add(update, by_grad, update)
        yield "update", update
        np.subtract(block.data, update, block.data)
        yield "param", block.data


def _momentum(beta1: float, step: float, decay: float) -> float:
    """Return Dozat's momentum schedule at a step."""
    return float(beta1 * (1 - 0.5 * 0.96 ** (step * decay)))
