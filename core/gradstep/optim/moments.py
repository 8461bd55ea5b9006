"""The two running moments that Adam and its relatives keep."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from numpy import add, multiply, subtract

from gradstep.optim.term import Formula

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.optim.parameter_batch import Block
    from gradstep.optim.term import Terms

__all__ = ["MOMENT_TERMS", "update_moments"]

MOMENT_TERMS = MappingProxyType(
    {
        "exp_avg": Formula("exp_avg + (1 - beta1) * (grad - exp_avg)"),
        "exp_avg_sq": Formula("beta2 * exp_avg_sq + (1 - beta2) * grad ** 2"),
    }
)
"""The terms of `update_moments`."""


def update_moments(block: Block, grad: NDArray[Any], betas: tuple[float, float]) -> Terms:
    """Move `exp_avg` and `exp_avg_sq` towards the gradient and its square; yield both."""
    beta1, beta2 = betas
    number, scratch = block.numbers, block.scratch[0]
    exp_avg, exp_avg_sq = block.state["exp_avg"], block.state["exp_avg_sq"]
    subtract(grad, exp_avg, scratch)
    multiply(scratch, number[1 - beta1], scratch)
    add(exp_avg, scratch, exp_avg)
    yield "exp_avg", exp_avg
    multiply(grad, grad, scratch)
    multiply(scratch, number[1 - beta2], scratch)
    multiply(exp_avg_sq, number[beta2], exp_avg_sq)
    add(exp_avg_sq, scratch, exp_avg_sq)
    yield "exp_avg_sq", exp_avg_sq
