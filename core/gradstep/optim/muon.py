"""Muon: momentum, orthogonalized by a Newton-Schulz iteration."""

from __future__ import annotations

from math import sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.errors import ArgumentError
from gradstep.fused_multiply_add import fused_multiply_add
from gradstep.optim.common_terms import DECAY_TERMS, PARAM_TERM
from gradstep.optim.optimizer import PerParameterOptimizer
from gradstep.optim.option_checks import check_learning_rate, check_number, check_numbers
from gradstep.optim.terms import Formula, named_terms
from gradstep.optim.traced_array import rounded

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor
    from gradstep.optim.optimizer import Params
    from gradstep.optim.per_parameter import ParameterBlock
    from gradstep.optim.terms import Terms

__all__ = ["Muon"]

_MOST_NS_STEPS = 100
_MATRIX = 2
_USUAL = (3.4445, -4.7750, 2.0315)
_ADJUSTED = MappingProxyType(
    {
        None: "adjusted_lr",
        "original": "adjusted_lr",
        "match_rms_adamw": "adjusted_lr.match_rms_adamw",
    }
)


class Muon(PerParameterOptimizer):
    r"""Updates matrices along their orthogonalized momentum.

    .. math::
        B_t = \mathrm{lerp}(B_{t-1}, G_t, 1 - \mu), \quad
        O_t = \mathrm{NS}(\mathrm{lerp}(G_t, B_t, \mu)), \quad
        \theta_t = (1 - \gamma\lambda)\,\theta_{t-1} - \gamma' O_t

    where NS iterates :math:`X \leftarrow aX + (bA + cA^2)X` with :math:`A = XX^T`, in the precision
    of bfloat16, as torch does. The bits are torch's too, up to the order in which a processor adds
    up a product of bfloat16 matrices; an element may then be rounded to its other neighbour.

    Args:
        params: Matrices, `(name, matrix)` pairs, or groups.
        lr: Learning rate :math:`\gamma`.
        weight_decay: Share :math:`\lambda` of the parameter subtracted at each step, times `lr`.
        momentum: Share :math:`\mu` of the buffer that is kept.
        nesterov: Look ahead along the buffer.
        ns_coefficients: The iteration's :math:`a, b, c`.
        eps: Lower bound of the norm in the denominator.
        ns_steps: Number of iterations.
        adjust_lr_fn: How :math:`\gamma'` depends on the shape: None or "original" multiplies by
            :math:`\sqrt{\max(1, rows / columns)}`, "match_rms_adamw" by
            :math:`0.2 \sqrt{\max(rows, columns)}`.

    Raises:
        ArgumentError: A parameter is not a matrix, or an option is out of range.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([[1.0, 2.0]], requires_grad=True)
        >>> optimizer = Muon([x], lr=0.1)
        >>> x.sum().backward()
        >>> optimizer.step()
        >>> x
        tensor([[0.9416, 1.9316]], requires_grad=True)

    References:
        Jordan, Muon: an optimizer for hidden layers in neural networks, 2024. Liu et al., Muon is
        scalable for LLM training, arXiv 2502.16982.
    """

    TERMS = named_terms(
        {
            "momentum_buffer": Formula("lerp(momentum_buffer, grad, 1 - momentum)"),
            "nesterov_grad": Formula("lerp(grad, momentum_buffer, momentum)"),
            "ortho_grad.first": Formula("momentum_buffer / max(norm(momentum_buffer), eps)"),
            "ortho_grad.first_tall": Formula("momentum_buffer.T / max(norm(momentum_buffer), eps)"),
            "ortho_grad.nesterov": Formula("nesterov_grad / max(norm(nesterov_grad), eps)"),
            "ortho_grad.nesterov_tall": Formula("nesterov_grad.T / max(norm(nesterov_grad), eps)"),
            "gram_matrix": Formula("ortho_grad @ ortho_grad.T"),
            "gram_update": Formula("b * gram_matrix + c * gram_matrix @ gram_matrix"),
            "ortho_grad": Formula("a * ortho_grad + gram_update @ ortho_grad"),
            "orthogonalized": Formula("ortho_grad"),
            "orthogonalized.tall": Formula("ortho_grad.T"),
            "adjusted_lr": Formula("lr * sqrt(max(1, rows / columns))"),
            "adjusted_lr.match_rms_adamw": Formula("lr * 0.2 * sqrt(max(rows, columns))"),
            **DECAY_TERMS,
            "update": Formula("adjusted_lr * orthogonalized"),
            **PARAM_TERM,
        }
    )

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = _USUAL,
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "weight_decay": weight_decay,
                "momentum": momentum,
                "nesterov": nesterov,
                "ns_coefficients": ns_coefficients,
                "eps": eps,
                "ns_steps": ns_steps,
                "adjust_lr_fn": adjust_lr_fn,
            },
        )

    @classmethod
    def check_options(cls, options: Mapping[str, Any]) -> None:
        """Check that each hyperparameter is within its range."""
        check_learning_rate(options, "Learning rate should be >= 0 but is: {}")
        for name, label in (("momentum", "momentum"), ("weight_decay", "weight decay")):
            if not check_number(label, options.get(name, 0)) >= 0:
                raise ArgumentError(f"{label} should be >= 0 but is: {options[name]}")
        adjust = options.get("adjust_lr_fn")
        if adjust not in (None, "original", "match_rms_adamw"):
            raise ArgumentError(
                f"Adjust learning rate function {adjust} is not supported",
                'use "original" or "match_rms_adamw"',
            )
        check_number("eps", options.get("eps", 0.0))
        if check_number("ns_steps", options.get("ns_steps", 0)) >= _MOST_NS_STEPS:
            raise ArgumentError(
                f"Number of steps must be less than {_MOST_NS_STEPS} for computational efficiency, "
                f"but ns_steps is {options['ns_steps']}"
            )
        coefficients = options.get("ns_coefficients")
        if isinstance(coefficients, tuple | list) and len(coefficients) != len(_USUAL):
            raise ArgumentError(
                f"Coefficients must be a tuple of exactly 3 values, but are {coefficients}",
                f"pass {len(_USUAL)} numbers such as {_USUAL}",
            )
        check_numbers(options, "ns_coefficients", _USUAL)

    def _check_parameter(self, member: object) -> None:
        super()._check_parameter(member)
        parameter: Tensor = member  # type: ignore[assignment]  # ensured by the check before
        if parameter._array.ndim != _MATRIX:
            raise ArgumentError(
                "Muon only supports 2D parameters whereas we found a parameter with size: "
                f"{parameter.size()}",
                "use AdamW for the others, such as biases",
            )

    def _shapes(self, shape: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
        return {"momentum_buffer": shape}

    def _update(self, block: ParameterBlock, group: dict[str, Any]) -> Terms:
        lr, momentum, kind = float(group["lr"]), group["momentum"], block.data.dtype.type
        buffer = block.state["momentum_buffer"]
        buffer[...] = _lerp(buffer, block.grad, 1 - momentum)
        yield "momentum_buffer", buffer
        direction, way = buffer, "ortho_grad.first"
        if group["nesterov"]:
            direction, way = _lerp(block.grad, buffer, momentum), "ortho_grad.nesterov"
            yield "nesterov_grad", direction
        direction = (yield from _orthogonalized(direction, way, group)).astype(kind)
        adjusted_lr = lr * _adjustment(group["adjust_lr_fn"], *block.data.shape)
        yield _ADJUSTED[group["adjust_lr_fn"]], adjusted_lr
        np.multiply(block.data, kind(1 - lr * group["weight_decay"]), block.data)
        yield "decayed_param", block.data
        yield "update", direction * kind(adjusted_lr)
        block.data[...] = _fused(direction, kind(-adjusted_lr), block.data)
        yield "param", block.data


def _orthogonalized(
    matrix: NDArray[Any], way: str, group: dict[str, Any]
) -> Generator[tuple[str, NDArray[Any]], None, NDArray[np.float32]]:
    """Return a matrix of the same singular vectors whose singular values are near 1.

    A matrix with more rows than columns is transposed meanwhile.
    """
    a, b, c = (np.float32(coefficient) for coefficient in group["ns_coefficients"])
    tall = matrix.shape[0] > matrix.shape[1]
    x = _bfloat16(matrix.T if tall else matrix)
    norm = _bfloat16(np.sqrt(np.square(x).sum(dtype=np.float32, keepdims=True)))
    x = _bfloat16(x / np.maximum(norm, np.float32(group["eps"])))
    yield f"{way}_tall" if tall else way, x
    for _ in range(int(group["ns_steps"])):
        gram = _bfloat16(x @ x.T)
        yield "gram_matrix", gram
        polynomial = _bfloat16(b * gram + c * (gram @ gram))
        yield "gram_update", polynomial
        x = _bfloat16(a * x + polynomial @ x)
        yield "ortho_grad", x
    found = x.T if tall else x
    yield "orthogonalized.tall" if tall else "orthogonalized", found
    return found


def _bfloat16(array: NDArray[Any]) -> NDArray[np.float32]:
    """Return the array as float32, rounded to the upper 16 bits of each, ties to even."""
    bits = np.asarray(array, np.float32).view(np.uint32)
    even = (bits >> np.uint32(16)) & np.uint32(1)
    near = (bits + np.uint32(0x7FFF) + even) & np.uint32(0xFFFF0000)
    return rounded(array, np.where(np.isnan(array), np.float32(np.nan), near.view(np.float32)))


def _adjustment(function: str | None, rows: int, columns: int) -> float:
    if function == "match_rms_adamw":
        return 0.2 * sqrt(max(rows, columns))
    return sqrt(max(1, rows / columns))


def _lerp(start: NDArray[Any], end: NDArray[Any], weight: float) -> NDArray[Any]:
    """Return the interpolation from `start` to `end`, computed from the nearer, rounded once."""
    kind, way = start.dtype.type, end - start
    near = abs(weight) < 0.5  # noqa: PLR2004 - half way
    return _fused(way, kind(weight), start) if near else _fused(way, kind(weight) - kind(1), end)


def _fused(array: NDArray[Any], factor: np.floating[Any], addend: NDArray[Any]) -> NDArray[Any]:
    """Return `array * factor + addend`, rounded once; parts of traced arrays are kept."""
    plain, added = np.asarray(array).view(np.ndarray), np.asarray(addend).view(np.ndarray)
    exact = fused_multiply_add(plain, float(factor), added).astype(plain.dtype)
    return rounded(array * factor + addend, exact)
