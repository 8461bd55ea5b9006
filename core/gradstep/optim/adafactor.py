"""Adafactor."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.errors import ArgumentError
from gradstep.optim.common_terms import DECAY_TERMS, GRADIENT_TERMS, PARAM_TERM
from gradstep.optim.optimizer import PerParameterOptimizer
from gradstep.optim.option_checks import check_learning_rate, check_number, check_numbers
from gradstep.optim.per_parameter import lerp
from gradstep.optim.state_storage import StateSpec
from gradstep.optim.terms import Formula, named_terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from gradstep.optim.optimizer import Params
    from gradstep.optim.per_parameter import ParameterBlock
    from gradstep.optim.terms import Terms

__all__ = ["Adafactor"]

_KEPT = StateSpec({}, {"step": 0.0})


class Adafactor(PerParameterOptimizer):
    r"""Scales the gradient by a second moment that is stored as one row and one column.

    .. math::
        R_t &= \mathrm{lerp}(R_{t-1}, \overline{G_t^2}^{\,\text{columns}}, t^{\tau}), \quad
        C_t = \mathrm{lerp}(C_{t-1}, \overline{G_t^2}^{\,\text{rows}}, t^{\tau}) \\
        U_t &= \frac{G_t}{\sqrt{R_t C_t / \overline{R_t}}}, \quad
        X_t = X_{t-1} - \frac{\max(\epsilon_2, \mathrm{RMS}(X_{t-1}))\,\min(\gamma, 1/\sqrt{t})}
        {\max(1, \mathrm{RMS}(U_t) / d)}\,U_t

    Vectors store their whole second moment. Arrays of more dimensions use the last two.

    Args:
        params: Tensors, `(name, tensor)` pairs, or groups.
        lr: Largest relative step size :math:`\gamma`.
        beta2_decay: Exponent :math:`\tau`, at most 0, of the second moment's averaging.
        eps: :math:`\epsilon_1` (None for the type's resolution) and :math:`\epsilon_2`.
        d: Clipping threshold of the update, at least 1.
        weight_decay: Share of the parameter that is subtracted at each step, times `lr`.
        foreach: Accepted for compatibility with torch; no effect.
        maximize: Ascend instead of descend.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([[1.0, 2.0]], requires_grad=True)
        >>> optimizer = Adafactor([x], lr=0.1)
        >>> x.sum().backward()
        >>> optimizer.step()
        >>> x
        tensor([[0.8419, 1.8419]], requires_grad=True)

    References:
        Shazeer & Stern, Adafactor, arXiv 1804.04235.
    """

    TERMS = named_terms(
        {
            **DECAY_TERMS,
            "ascent_grad": GRADIENT_TERMS["ascent_grad"],
            "eps1": Formula("what the type can resolve", r"\epsilon_1"),
            "step_size": Formula("max(eps2, rms(param)) * min(lr, 1 / sqrt(step))"),
            "row_var": Formula("lerp(row_var, mean(grad ** 2, -1), step ** beta2_decay)"),
            "col_var": Formula("lerp(col_var, mean(grad ** 2, -2), step ** beta2_decay)"),
            "variance": Formula("lerp(variance, grad ** 2, step ** beta2_decay)"),
            "var_estimate": Formula("variance"),
            "var_estimate.matrix": Formula("row_var @ col_var / max(mean(row_var, -2), eps1)"),
            "normalized_grad": Formula("grad / sqrt(max(var_estimate, eps1 ** 2))"),
            "clip_denominator": Formula("max(1, rms(normalized_grad) / d)"),
            "update": Formula("step_size / clip_denominator * normalized_grad"),
            **PARAM_TERM,
        }
    )

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "beta2_decay": beta2_decay,
                "eps": eps,
                "d": d,
                "weight_decay": weight_decay,
                "foreach": foreach,
                "maximize": maximize,
            },
        )

    @classmethod
    def check_options(cls, options: Mapping[str, Any]) -> None:
        """Check that each hyperparameter is within its range."""
        check_learning_rate(options, "Learning rate should be >= 0 but is: {}")
        check_numbers(options, "eps", (None, 1e-3))
        first, second = options.get("eps", (None, 0.0))
        for name, value in (
            ("epsilon1", 0.0 if first is None else first),
            ("epsilon2", second),
            ("weight_decay", options.get("weight_decay", 0.0)),
        ):
            if not check_number(name, value) >= 0:
                raise ArgumentError(f"{name} should be >= 0 but is: {value}")
        if not check_number("beta2_decay", options.get("beta2_decay", 0.0)) <= 0:
            raise ArgumentError(f"beta2_decay should be <= 0 but is: {options['beta2_decay']}")
        if not check_number("clipping threshold", options.get("d", 1.0)) >= 1:
            raise ArgumentError(f"Clipping threshold d should be >= 1 but is: {options['d']}")

    def _shapes(self, shape: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
        if len(shape) < 2:  # noqa: PLR2004 - a vector has no rows and columns
            return {"variance": shape}
        return {"row_var": (*shape[:-1], 1), "col_var": (*shape[:-2], 1, shape[-1])}

    def _spec(self, group: dict[str, Any]) -> StateSpec:  # noqa: ARG002 - always the same
        return _KEPT

    def _update(self, block: ParameterBlock, group: dict[str, Any]) -> Terms:
        if not block.data.size:
            return
        lr, weight_decay, step = float(group["lr"]), group["weight_decay"], block.counters["step"]
        kind, (eps1, eps2) = block.data.dtype.type, group["eps"]
        floor = kind(np.finfo(kind).eps if eps1 is None else eps1)
        grad = block.grad
        if group["maximize"]:
            grad = -grad
            yield "ascent_grad", grad
        if eps1 is None:
            yield "eps1", float(floor)
        step_size = max(eps2, _rms(block.data)) * min(lr, 1 / sqrt(step))
        yield "step_size", step_size
        if weight_decay:
            np.multiply(block.data, kind(1 - lr * weight_decay), block.data)
            yield "decayed_param", block.data
        estimate = yield from _variance(block, grad, step ** group["beta2_decay"], floor)
        direction = grad / np.sqrt(np.maximum(estimate, floor * floor))
        yield "normalized_grad", direction
        clip = max(1.0, _rms(direction) / group["d"])
        yield "clip_denominator", clip
        update = direction * kind(step_size / clip)
        yield "update", update
        np.subtract(block.data, update, block.data)
        yield "param", block.data


def _variance(block: ParameterBlock, grad: NDArray[Any], weight: float, floor: Any) -> Any:  # noqa: ANN401 - a generator of terms that returns an array
    square = grad * grad
    if "variance" in block.state:
        variance = block.state["variance"]
        variance[...] = lerp(variance, square, weight)
        yield "variance", variance
        yield "var_estimate", variance
        return variance
    rows, columns = block.state["row_var"], block.state["col_var"]
    rows[...] = lerp(rows, square.mean(-1, keepdims=True), weight)
    yield "row_var", rows
    columns[...] = lerp(columns, square.mean(-2, keepdims=True), weight)
    yield "col_var", columns
    estimate = rows @ columns / np.maximum(rows.mean(-2, keepdims=True), floor)
    yield "var_estimate.matrix", estimate
    return estimate


def _rms(array: NDArray[Any]) -> float:
    return float(np.linalg.norm(array.reshape(-1))) / sqrt(array.size)
