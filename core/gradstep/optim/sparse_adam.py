"""SparseAdam, for scripts that name it: its gradients would have to be sparse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.errors import ArgumentError, TensorError
from gradstep.optim.check import check_betas, check_learning_rate, check_number
from gradstep.optim.optimizer import Optimizer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.optim.optimizer import Params
    from gradstep.optim.plan import GroupPlan

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Adam for sparse gradients; here all gradients are dense, and it refuses them as torch does.

    Args:
        params: Tensors, `(name, tensor)` pairs, or groups.
        lr: Learning rate, above 0.
        betas: Decay rates of the two moments.
        eps: Added to the denominator, above 0.
        maximize: Climb instead of descend.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0], requires_grad=True)
        >>> optimizer = SparseAdam([x])
        >>> x.sum().backward()
        >>> optimizer.step()
        Traceback (most recent call last):
        ...
        gradstep.errors.TensorError: SparseAdam does not support dense gradients, please consider...
    """

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})

    @classmethod
    def check_options(cls, options: Mapping[str, Any]) -> None:
        """Check hyper-parameters: a positive lr and eps, and betas in [0, 1)."""
        check_learning_rate(options, "Invalid learning rate: {}")
        for name, label in (("lr", "learning rate"), ("eps", "epsilon value")):
            if name in options and not check_number(label, options[name]) > 0:
                raise ArgumentError(f"Invalid {label}: {options[name]}", f"{name} must be above 0")
        check_betas(options)

    def _plan(self, group: dict[str, Any]) -> GroupPlan:
        # before any state is made for a parameter
        if any(parameter._grad is not None for parameter in group["params"]):
            raise TensorError(
                "SparseAdam does not support dense gradients, please consider Adam instead"
            )
        return super()._plan(group)
