"""Terms that several algorithms share: maximizing, weight decay, running moments."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from numpy import add, multiply, negative, subtract

from gradstep.optim.terms import Formula

if TYPE_CHECKING:
    from collections.abc import Generator

    from numpy.typing import NDArray

    from gradstep.optim.parameter_batch import Block
    from gradstep.optim.terms import Terms

__all__ = [
    "DECAY_TERMS",
    "GRADIENT_TERMS",
    "MOMENT_TERMS",
    "PARAM_TERM",
    "ascent_gradient",
    "decayed_gradient",
    "penalized_gradient",
    "update_moments",
]

GRADIENT_TERMS = MappingProxyType(
    {
        "ascent_grad": Formula("-grad", makes="grad"),
        "weight_decay": Formula("weight_decay * param", makes="decay"),
        "decayed_grad": Formula("grad + weight_decay * param", makes="grad"),
    }
)
"""The terms of `decayed_gradient`."""

DECAY_TERMS = MappingProxyType(
    {
        "decayed_param": Formula(
            "(1 - lr * weight_decay) * param",
            r"\theta_{t-1} \leftarrow \left(1 - \gamma\lambda\right) \cdot \theta_{t-1}",
            makes="param",
        ),
    }
)
"""The term that `penalized_gradient` adds to them."""

PARAM_TERM = MappingProxyType({"param": Formula("param - update")})
"""The last term of most algorithms: the new value."""

MOMENT_TERMS = MappingProxyType(
    {
        "exp_avg": Formula("exp_avg + (1 - beta1) * (grad - exp_avg)"),
        "exp_avg_sq": Formula("beta2 * exp_avg_sq + (1 - beta2) * grad ** 2"),
    }
)
"""The terms of `update_moments`."""


def ascent_gradient(
    block: Block, group: dict[str, Any]
) -> Generator[tuple[str, NDArray[Any]], None, NDArray[Any]]:
    """Return the gradient, negated into the block's last scratch array if the group maximizes."""
    if not group["maximize"]:
        return block.grad
    grad: NDArray[Any] = negative(block.grad, block.scratch[3])
    yield "ascent_grad", grad
    return grad


def decayed_gradient(
    block: Block, group: dict[str, Any]
) -> Generator[tuple[str, NDArray[Any]], None, NDArray[Any]]:
    """Return the gradient, negated if the group maximizes, plus the derivative of an L2 penalty.

    The result is the gradient itself, or the block's last scratch array.
    """
    grad = yield from ascent_gradient(block, group)
    weight_decay = group["weight_decay"]
    if weight_decay:
        decay = multiply(block.data, block.numbers[weight_decay], block.scratch[0])
        yield "weight_decay", decay
        grad = add(grad, decay, block.scratch[3])
        yield "decayed_grad", grad
    return grad


def penalized_gradient(
    block: Block, group: dict[str, Any]
) -> Generator[tuple[str, NDArray[Any]], None, NDArray[Any]]:
    """Apply weight decay to the parameter if it is decoupled, else to the gradient; return that."""
    if not group["decoupled_weight_decay"]:
        return (yield from decayed_gradient(block, group))
    weight_decay = group["weight_decay"]
    if weight_decay:
        multiply(block.data, block.numbers[1 - float(group["lr"]) * weight_decay], block.data)
        yield "decayed_param", block.data
    return (yield from ascent_gradient(block, group))


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
