"""RMSprop, plain, centered, and with momentum."""

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

__all__ = ["RMSprop"]


class RMSprop(Optimizer):
    r"""Divides the gradient by a running root mean square of itself.

    .. math::
        v_t = \alpha v_{t-1} + (1 - \alpha) g_t^2, \qquad
        \theta_t = \theta_{t-1} - \gamma\,\frac{g_t}{\sqrt{v_t} + \epsilon}

    where the centered variant subtracts the squared running mean from :math:`v_t`, and momentum
    accumulates the quotients.

    Args:
        params: Tensors, `(name, tensor)` pairs, or groups.
        lr: Learning rate :math:`\gamma`.
        alpha: Share :math:`\alpha` of the mean square that is kept.
        eps: :math:`\epsilon`, added to the denominator outside the root.
        weight_decay: Factor :math:`\lambda` of the L2 penalty that joins the gradient.
        momentum: Share :math:`\mu` of the buffer of quotients that is kept; 0 keeps none.
        centered: Divide by the standard deviation instead.
        capturable: Accepted for compatibility with torch; no effect.
        foreach: Accepted for compatibility with torch; no effect.
        maximize: Ascend instead of descend.
        differentiable: Accepted for compatibility with torch; no effect.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0], requires_grad=True)
        >>> optimizer = RMSprop([x], lr=0.05)
        >>> (x * x).sum().backward()
        >>> optimizer.step()
        >>> x
        tensor([0.5000], requires_grad=True)

    References:
        Hinton, Neural networks for machine learning, lecture 6. Graves, arXiv 1308.0850 (centered).
    """

    TERMS = named_terms(
        {
            **GRADIENT_TERMS,
            "square_avg": Formula("alpha * square_avg + (1 - alpha) * grad ** 2"),
            "grad_avg": Formula("grad_avg + (1 - alpha) * (grad - grad_avg)"),
            "variance": Formula("square_avg - grad_avg ** 2"),
            "denominator": Formula("sqrt(square_avg) + eps"),
            "denominator.centered": Formula("sqrt(variance) + eps"),
            "normalized_grad": Formula("grad / denominator"),
            "momentum_buffer": Formula("momentum * momentum_buffer + normalized_grad"),
            "update": Formula("lr * normalized_grad"),
            "update.momentum": Formula("lr * momentum_buffer"),
            **PARAM_TERM,
        }
    )

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "alpha": alpha,
                "eps": eps,
                "centered": centered,
                "weight_decay": weight_decay,
                "capturable": capturable,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
            },
        )

    @classmethod
    def check_options(cls, options: Mapping[str, Any]) -> None:
        """Check that each hyperparameter is within its range."""
        check_not_negative(
            options,
            lr="learning rate",
            eps="epsilon value",
            momentum="momentum value",
            weight_decay="weight_decay value",
            alpha="alpha value",
        )

    def _spec(self, group: dict[str, Any]) -> StateSpec:
        buffers = {"square_avg": 0.0}
        if group["momentum"]:
            buffers["momentum_buffer"] = 0.0
        if group["centered"]:
            buffers["grad_avg"] = 0.0
        return StateSpec(buffers, {"step": 0.0})

    def _update(self, block: Block, group: dict[str, Any]) -> Terms:
        number, (a, b, _, _) = block.numbers, block.scratch
        grad = yield from decayed_gradient(block, group)
        alpha = group["alpha"]
        square_avg = block.state["square_avg"]
        np.multiply(square_avg, number[alpha], square_avg)
        np.multiply(grad, grad, a)
        np.multiply(a, number[1 - alpha], a)
        np.add(square_avg, a, square_avg)
        yield "square_avg", square_avg
        denominator, way = square_avg, "denominator"
        if group["centered"]:
            grad_avg = block.state["grad_avg"]
            np.subtract(grad, grad_avg, a)
            np.multiply(a, number[1 - alpha], a)
            np.add(grad_avg, a, grad_avg)
            yield "grad_avg", grad_avg
            np.multiply(grad_avg, grad_avg, b)
            denominator = np.subtract(square_avg, b, b)
            yield "variance", denominator
            way = "denominator.centered"
        denominator = np.sqrt(denominator, b)
        np.add(denominator, number[group["eps"]], denominator)
        yield way, denominator
        direction = np.divide(grad, denominator, a)
        yield "normalized_grad", direction
        way = "update"
        if group["momentum"]:
            buffer = block.state["momentum_buffer"]
            np.multiply(buffer, number[group["momentum"]], buffer)
            direction = np.add(buffer, direction, buffer)
            yield "momentum_buffer", buffer
            way = "update.momentum"
        update = np.multiply(direction, number[float(group["lr"])], b)
        yield way, update
        np.subtract(block.data, update, block.data)
        yield "param", block.data
