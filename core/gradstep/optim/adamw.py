"""Adam with decoupled weight decay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.optim.adam import Adam

if TYPE_CHECKING:
    from gradstep.optim.optimizer import Params

__all__ = ["AdamW"]


class AdamW(Adam):
    r"""Adam whose weight decay shrinks the parameter directly, and does not enter the moments.

    .. math::
        \theta \leftarrow (1 - \gamma\lambda)\,\theta_{t-1}, \quad
        \text{then Adam's update without penalty}

    Args:
        params: Tensors, `(name, tensor)` pairs, or groups.
        lr: Learning rate :math:`\gamma`.
        betas: Decay rates :math:`\beta_1, \beta_2` of the two moments.
        eps: :math:`\epsilon`, added to the denominator outside the root.
        weight_decay: Factor :math:`\lambda`; each step keeps `1 - lr * weight_decay`.
        amsgrad: Divide by the largest second moment so far.
        maximize: Ascend instead of descend.
        foreach: Accepted for compatibility with torch; no effect.
        capturable: Accepted for compatibility with torch; no effect.
        differentiable: Accepted for compatibility with torch; no effect.
        fused: Accepted for compatibility with torch; no effect.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0], requires_grad=True)
        >>> optimizer = AdamW([x], lr=0.1, weight_decay=0.5)
        >>> x.grad = gradstep.zeros(1)
        >>> optimizer.step()
        >>> x
        tensor([0.9500], requires_grad=True)

    References:
        Loshchilov & Hutter, Decoupled weight decay regularization, arXiv 1711.05101.
    """

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True
