"""Adadelta."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.optim.common_terms import GRADIENT_TERMS, PARAM_TERM, decayed_gradient
from gradstep.optim.optimizer import Optimizer
from gradstep.optim.option_checks import check_in_unit_interval, check_not_negative
from gradstep.optim.state_storage import StateSpec
from gradstep.optim.terms import Formula, named_terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.optim.optimizer import Params
    from gradstep.optim.parameter_batch import Block
    from gradstep.optim.terms import Terms

__all__ = ["Adadelta"]

_KEPT = StateSpec({"square_avg": 0.0, "acc_delta": 0.0}, {"step": 0.0})


class Adadelta(Optimizer):
    r"""Scales the gradient by past updates over past gradients, both as running root mean squares.

    .. math::
        v_t = \rho v_{t-1} + (1 - \rho) g_t^2, \quad
        \Delta x_t = \frac{\sqrt{u_{t-1} + \epsilon}}{\sqrt{v_t + \epsilon}}\, g_t, \quad
        u_t = \rho u_{t-1} + (1 - \rho) \Delta x_t^2

    Args:
        params: Tensors, `(name, tensor)` pairs, or groups.
        lr: Factor :math:`\gamma` on the update.
        rho: Share :math:`\rho` of the mean squares that is kept.
        eps: :math:`\epsilon`, added inside the roots.
        weight_decay: Factor :math:`\lambda` of the L2 penalty that joins the gradient.
        foreach: Accepted for compatibility with torch; no effect.
        capturable: Accepted for compatibility with torch; no effect.
        maximize: Ascend instead of descend.
        differentiable: Accepted for compatibility with torch; no effect.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0], requires_grad=True)
        >>> optimizer = Adadelta([x], lr=1.0)
        >>> (x * x).sum().backward()
        >>> optimizer.step()
        >>> x
        tensor([0.9968], requires_grad=True)

    References:
        Zeiler, Adadelta, arXiv 1212.5701.
    """

    TERMS = named_terms(
        {
            **GRADIENT_TERMS,
            "square_avg": Formula("rho * square_avg + (1 - rho) * grad ** 2"),
            "std": Formula("sqrt(square_avg + eps)"),
            "delta": Formula(
                "sqrt(acc_delta + eps) / std * grad",
                times=(("acc_delta", "t-1"),),
            ),
            "acc_delta": Formula("rho * acc_delta + (1 - rho) * delta ** 2"),
            "update": Formula("lr * delta"),
            **PARAM_TERM,
        }
    )

    def __init__(
        self,
        params: Params,
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "rho": rho,
                "eps": eps,
                "weight_decay": weight_decay,
                "maximize": maximize,
                "capturable": capturable,
                "foreach": foreach,
                "differentiable": differentiable,
            },
        )

    @classmethod
    def check_options(cls, options: Mapping[str, Any]) -> None:
        """Check that each hyperparameter is within its range."""
        check_not_negative(
            options, lr="learning rate", eps="epsilon value", weight_decay="weight_decay value"
        )
        check_in_unit_interval(options, rho="rho value")

    def _spec(self, group: dict[str, Any]) -> StateSpec:  # noqa: ARG002 - always the same
        return _KEPT

    def _update(self, block: Block, group: dict[str, Any]) -> Terms:
        number, (a, b, _, _) = block.numbers, block.scratch
        grad = yield from decayed_gradient(block, group)
        rho, eps = group["rho"], number[group["eps"]]
        square_avg, acc_delta = block.state["square_avg"], block.state["acc_delta"]
        np.multiply(square_avg, number[rho], square_avg)
        np.multiply(grad, grad, a)
        np.multiply(a, number[1 - rho], a)
        np.add(square_avg, a, square_avg)
        yield "square_avg", square_avg
        std = np.add(square_avg, eps, a)
        np.sqrt(std, std)
        yield "std", std
        delta = np.add(acc_delta, eps, b)
        np.sqrt(delta, delta)
        np.divide(delta, std, delta)
        np.multiply(delta, grad, delta)
        yield "delta", delta
        np.multiply(acc_delta, number[rho], acc_delta)
        np.multiply(delta, delta, a)
        np.multiply(a, number[1 - rho], a)
        np.add(acc_delta, a, acc_delta)
        yield "acc_delta", acc_delta
        update = np.multiply(delta, number[float(group["lr"])], delta)
        yield "update", update
        np.subtract(block.data, update, block.data)
        yield "param", block.data
