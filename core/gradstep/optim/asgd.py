"""Averaged stochastic gradient descent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.errors import ArgumentError
from gradstep.optim.common_terms import GRADIENT_TERMS, PARAM_TERM, decayed_gradient
from gradstep.optim.optimizer import Optimizer
from gradstep.optim.option_checks import check_not_negative, check_number
from gradstep.optim.state_storage import StateSpec
from gradstep.optim.terms import Formula, named_terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.optim.optimizer import Params
    from gradstep.optim.parameter_batch import Block
    from gradstep.optim.terms import Terms

__all__ = ["ASGD"]


class ASGD(Optimizer):
    r"""Gradient descent that also keeps a running average of the parameter.

    .. math::
        \theta_t = (1 - \lambda\eta_t)\,\theta_{t-1} - \eta_t g_t, \quad
        \eta_{t+1} = \frac{\gamma}{(1 + \lambda\gamma t)^\alpha}, \quad
        \bar\theta_t = \bar\theta_{t-1} + \mu_t (\theta_t - \bar\theta_{t-1})

    Args:
        params: Tensors, `(name, tensor)` pairs, or groups.
        lr: Learning rate :math:`\gamma`.
        lambd: Decay :math:`\lambda` of the parameter and of the step size.
        alpha: Exponent :math:`\alpha` of the step size's decay.
        t0: The step at which averaging starts.
        weight_decay: Factor of the L2 penalty that joins the gradient.
        foreach: Accepted for compatibility with torch; no effect.
        maximize: Ascend instead of descend.
        differentiable: Accepted for compatibility with torch; no effect.
        capturable: Accepted for compatibility with torch; no effect.

    Raises:
        ArgumentError: The next step size would be undefined, as with a negative `lambd`; torch
            fails there, or continues with the real part of a complex number.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0], requires_grad=True)
        >>> optimizer = ASGD([x], lr=0.1)
        >>> (x * x).sum().backward()
        >>> optimizer.step()
        >>> x
        tensor([0.8000], requires_grad=True)

    References:
        Polyak & Juditsky, Acceleration of stochastic approximation by averaging, 1992.
    """

    TERMS = named_terms(
        {
            **GRADIENT_TERMS,
            "eta": Formula("set by the step before", r"\eta_t"),
            "decayed_param": Formula(
                "(1 - lambd * eta) * param",
                r"\theta_{t-1} \leftarrow \left(1 - \lambda \cdot \eta_t\right) \cdot \theta_{t-1}",
                makes="param",
            ),
            "update": Formula("eta * grad"),
            **PARAM_TERM,
            "ax": Formula(
                "ax + mu * (param - ax)",
                times=(("param", "t"),),
            ),
        }
    )

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "lambd": lambd,
                "alpha": alpha,
                "t0": t0,
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
        check_not_negative(options, lr="learning rate", weight_decay="weight_decay value")
        for name in ("lambd", "alpha", "t0"):
            check_number(f"{name} value", options.get(name, 0.0))

    def _spec(self, group: dict[str, Any]) -> StateSpec:
        return StateSpec({"ax": 0.0}, {"step": 0.0, "eta": float(group["lr"]), "mu": 1.0})

    def _advance(self, counters: dict[str, float], group: dict[str, Any]) -> dict[str, float]:
        step = counters["step"] + 1
        return {
            "step": step,
            "eta": _next_eta(float(group["lr"]), group["lambd"], group["alpha"], step),
            "mu": 1 / max(1, step - group["t0"]),
        }

    def _check_step(self) -> None:
        for group in self.param_groups:
            moving = [one for one in group["params"] if one._grad is not None]
            for taken in {float(self.state.get(one, {}).get("step", 0.0)) for one in moving}:
                self._advance({"step": taken}, group)

    def _update(self, block: Block, group: dict[str, Any]) -> Terms:
        eta, mu = block.previous["eta"], block.previous["mu"]
        a = block.scratch[0]
        grad = yield from decayed_gradient(block, group)
        yield "eta", eta
        np.multiply(block.data, 1 - group["lambd"] * eta, block.data)
        yield "decayed_param", block.data
        update = np.multiply(grad, eta, a)
        yield "update", update
        np.subtract(block.data, update, block.data)
        yield "param", block.data
        average = block.state["ax"]
        if mu == 1:
            np.copyto(average, block.data)
        else:
            np.subtract(block.data, average, a)
            np.multiply(a, mu, a)
            np.add(average, a, average)
        yield "ax", average


def _next_eta(lr: float, lambd: float, alpha: float, step: float) -> float:
    base = 1 + lambd * lr * step
    try:
        eta = lr / base**alpha
    except (ZeroDivisionError, OverflowError):
        eta = None
    if isinstance(eta, float):  # a negative base gives a complex power
        return eta
    raise ArgumentError(
        f"after step {step:.0f} ASGD has no step size: lr / (1 + lambd * lr * step) ** alpha has "
        f"no value with lr={lr:g}, lambd={lambd:g}, alpha={alpha:g}",
        "set alpha nearer to 0" if base > 0 else "set lambd to 0 or more",
    )
