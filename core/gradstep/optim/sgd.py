"""Stochastic gradient descent, with momentum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy import add, copyto, multiply, subtract

from gradstep.errors import ArgumentError
from gradstep.optim.common_terms import GRADIENT_TERMS, PARAM_TERM, decayed_gradient
from gradstep.optim.optimizer import Optimizer
from gradstep.optim.option_checks import check_not_negative, check_number
from gradstep.optim.state_storage import STATELESS, StateSpec
from gradstep.optim.terms import Formula, named_terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.optim.optimizer import Params
    from gradstep.optim.parameter_batch import Block
    from gradstep.optim.terms import Terms

__all__ = ["SGD"]

_MOMENTUM = StateSpec({"momentum_buffer": 0.0}, {})


class SGD(Optimizer):
    r"""Stochastic gradient descent, optionally with momentum.

    .. math::
        b_t = \mu b_{t-1} + (1 - \tau) g_t, \qquad
        \theta_t = \theta_{t-1} - \gamma b_t

    where the first buffer is the gradient itself, and Nesterov's variant moves by
    :math:`g_t + \mu b_t`.

    Args:
        params: Tensors, `(name, tensor)` pairs, or groups.
        lr: Learning rate :math:`\gamma`.
        momentum: Share :math:`\mu` of the buffer that is kept; 0 keeps no buffer at all.
        dampening: Share :math:`\tau` of the gradient that is dropped.
        weight_decay: Factor :math:`\lambda` of the L2 penalty that joins the gradient.
        nesterov: Look ahead along the buffer; needs momentum and no dampening.
        maximize: Ascend instead of descend.
        foreach: Accepted for compatibility with torch; no effect.
        differentiable: Accepted for compatibility with torch; no effect.
        fused: Accepted for compatibility with torch; no effect.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0], requires_grad=True)
        >>> optimizer = SGD([x], lr=0.1, momentum=0.9)
        >>> for _ in range(2):
        ...     x.grad = gradstep.tensor([1.0])
        ...     optimizer.step()
        >>> optimizer.state[x]["momentum_buffer"]
        tensor([1.9000])

    References:
        Sutskever et al., On the importance of initialization and momentum, ICML 2013.
    """

    TERMS = named_terms(
        {
            **GRADIENT_TERMS,
            "momentum_buffer": Formula(
                "momentum * momentum_buffer + (1 - dampening) * grad",
            ),
            "momentum_buffer.first": Formula("grad"),
            "nesterov_grad": Formula("grad + momentum * momentum_buffer"),
            "update": Formula("lr * grad"),
            "update.momentum": Formula("lr * momentum_buffer"),
            "update.nesterov": Formula("lr * nesterov_grad"),
            **PARAM_TERM,
        }
    )

    takes_sparse = True

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
                "foreach": foreach,
                "differentiable": differentiable,
                "fused": fused,
            },
        )

    @classmethod
    def check_options(cls, options: Mapping[str, Any]) -> None:
        """Check hyperparameters: none negative, and Nesterov's needs momentum undampened."""
        check_not_negative(
            options,
            lr="learning rate",
            momentum="momentum value",
            weight_decay="weight_decay value",
        )
        check_number("dampening value", options.get("dampening", 0))
        if options.get("nesterov") and (
            options.get("momentum", 1) <= 0 or options.get("dampening", 0) != 0
        ):
            raise ArgumentError(
                "Nesterov momentum requires a momentum and zero dampening",
                "set momentum above 0 and leave dampening at 0",
            )

    def _spec(self, group: dict[str, Any]) -> StateSpec:
        return _MOMENTUM if group["momentum"] else STATELESS

    def _update(self, block: Block, group: dict[str, Any]) -> Terms:
        number = block.numbers
        direction = grad = block.grad
        if group["maximize"] or group["weight_decay"]:
            direction = grad = yield from decayed_gradient(block, group)
        momentum, way = group["momentum"], "update"
        if momentum:
            direction = buffer = block.state["momentum_buffer"]
            way = "update.momentum"
            if "momentum_buffer" in block.created:
                copyto(buffer, grad)
                yield "momentum_buffer.first", buffer
            else:
                multiply(buffer, number[momentum], buffer)
                multiply(grad, number[1 - group["dampening"]], block.scratch[0])
                add(buffer, block.scratch[0], buffer)
                yield "momentum_buffer", buffer
            if group["nesterov"]:
                multiply(buffer, number[momentum], block.scratch[0])
                direction = add(grad, block.scratch[0], block.scratch[1])
                way = "update.nesterov"
                yield "nesterov_grad", direction
        update = multiply(direction, number[float(group["lr"])], block.scratch[0])
        yield way, update
        subtract(block.data, update, block.data)
        yield "param", block.data
