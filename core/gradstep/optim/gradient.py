"""What several algorithms do to the gradient before they use it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from numpy import add, multiply, negative

from gradstep.optim.term import Formula

if TYPE_CHECKING:
    from collections.abc import Generator

    from numpy.typing import NDArray

    from gradstep.optim.parameter_batch import Block

__all__ = [
    "DECAY_TERMS",
    "GRADIENT_TERMS",
    "PARAM_TERM",
    "ascent_gradient",
    "decayed_gradient",
    "penalized_gradient",
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
"""What `penalized_gradient` adds to them."""

PARAM_TERM = MappingProxyType({"param": Formula("param - update")})
"""The last term of most algorithms: the new value."""


def ascent_gradient(
    block: Block, group: dict[str, Any]
) -> Generator[tuple[str, NDArray[Any]], None, NDArray[Any]]:
    """Return the gradient; with `maximize` negated, in the last of the block's scratch arrays."""
    if not group["maximize"]:
        return block.grad
    grad: NDArray[Any] = negative(block.grad, block.scratch[3])
    yield "ascent_grad", grad
    return grad


def decayed_gradient(
    block: Block, group: dict[str, Any]
) -> Generator[tuple[str, NDArray[Any]], None, NDArray[Any]]:
    """Return the gradient, negated with `maximize`, plus the derivative of an L2 penalty.

    It is in the last of the block's scratch arrays, unless it is the gradient itself.
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
    """Apply weight decay as the group wants it, to parameter or gradient; return the gradient."""
    if not group["decoupled_weight_decay"]:
        return (yield from decayed_gradient(block, group))
    weight_decay = group["weight_decay"]
    if weight_decay:
        multiply(block.data, block.numbers[1 - float(group["lr"]) * weight_decay], block.data)
        yield "decayed_param", block.data
    return (yield from ascent_gradient(block, group))
