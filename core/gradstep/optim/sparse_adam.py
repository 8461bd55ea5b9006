"""SparseAdam: Adam for only those rows of a table that a batch has looked up."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd.row_sparse import rows_of_gradient
from gradstep.errors import ArgumentError, TensorError
from gradstep.optim.optimizer import PerParameterOptimizer
from gradstep.optim.option_checks import check_betas, check_learning_rate, check_number
from gradstep.optim.state_storage import StateSpec
from gradstep.optim.terms import Formula, named_terms
from gradstep.optim.traced_array import put_rows, rows_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.optim.batching import GroupBatching
    from gradstep.optim.optimizer import Params
    from gradstep.optim.per_parameter import ParameterBlock
    from gradstep.optim.terms import Terms

__all__ = ["SparseAdam"]


class SparseAdam(PerParameterOptimizer):
    r"""Adam for the weights of `Embedding(sparse=True)`: it updates only rows that were looked up.

    .. math::
        m_i \leftarrow \beta_1 m_i + (1 - \beta_1) g_i, \quad
        v_i \leftarrow \beta_2 v_i + (1 - \beta_2) g_i^2, \quad
        \theta_i \leftarrow \theta_i
            - \gamma \frac{\sqrt{1 - \beta_2^t}}{1 - \beta_1^t} \frac{m_i}{\sqrt{v_i} + \epsilon}

    for each row i of the gradient; all other rows, and their moments, stay unchanged.

    Args:
        params: Tensors, `(name, tensor)` pairs, or groups.
        lr: Learning rate, above 0.
        betas: Decay rates of the two moments.
        eps: Added to the denominator, above 0.
        maximize: Ascend instead of descend.

    Example:
        >>> import gradstep
        >>> table = gradstep.nn.Embedding(3, 2, sparse=True)
        >>> before = table.weight.detach().clone()
        >>> optimizer = SparseAdam(table.parameters(), lr=0.5)
        >>> table(gradstep.tensor([2, 0])).sum().backward()
        >>> optimizer.step()
        >>> before - table.weight.detach()
        tensor([[0.5000, 0.5000],
                [0.0000, 0.0000],
                [0.5000, 0.5000]])
    """

    TERMS = named_terms(
        {
            "rows_grad": Formula("grad in the rows that were looked up", r"g_R = g_t[R]"),
            "rows_grad.maximize": Formula("-rows_grad"),
            "rows_exp_avg": Formula("exp_avg in these rows, as it was", r"m_R = m_{t-1}[R]"),
            "rows_exp_avg_sq": Formula("exp_avg_sq in these rows, as it was", r"v_R = v_{t-1}[R]"),
            "exp_avg": Formula("(rows_grad - rows_exp_avg) * (1 - beta1) + rows_exp_avg"),
            "exp_avg_sq": Formula(
                "(rows_grad ** 2 - rows_exp_avg_sq) * (1 - beta2) + rows_exp_avg_sq"
            ),
            "denominator": Formula("sqrt(exp_avg_sq) + eps"),
            "bias_correction1": Formula("1 - beta1 ** step"),
            "bias_correction2": Formula("1 - beta2 ** step"),
            "step_size": Formula("lr * sqrt(bias_correction2) / bias_correction1"),
            "update": Formula("exp_avg / denominator * step_size"),
            "rows_param": Formula("param in these rows, as it was", r"\theta_R = \theta_{t-1}[R]"),
            "param": Formula(
                "rows_param - update in these rows, the others as they were",
                r"\theta_t[R] = \theta_R - \Delta_t",
            ),
        }
    )

    takes_sparse = True

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
        """Check hyperparameters: a positive lr and eps, and betas in [0, 1)."""
        check_learning_rate(options, "Invalid learning rate: {}")
        for name, label in (("lr", "learning rate"), ("eps", "epsilon value")):
            if name in options and not check_number(label, options[name]) > 0:
                raise ArgumentError(f"Invalid {label}: {options[name]}", f"{name} must be above 0")
        check_betas(options)

    def _batching(self, group: dict[str, Any]) -> GroupBatching:
        # before any state is made for a parameter
        if any(
            parameter._grad is not None and rows_of_gradient(parameter._grad) is None
            for parameter in group["params"]
        ):
            raise TensorError(
                "SparseAdam does not support dense gradients, please consider Adam instead",
                "or pass only weights of Embedding(sparse=True)",
            )
        return super()._batching(group)

    def _spec(self, group: dict[str, Any]) -> StateSpec:  # noqa: ARG002 - the same for all
        return _COUNTED

    def _shapes(self, shape: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
        return {"exp_avg": shape, "exp_avg_sq": shape}

    def _update(self, block: ParameterBlock, group: dict[str, Any]) -> Terms:
        rows, step = block.rows, block.counters["step"]
        if rows is None or not rows.size:
            return
        beta1, beta2 = group["betas"]
        grad = rows_of(block.grad, rows)
        yield "rows_grad", grad
        if group["maximize"]:
            grad = -grad
            yield "rows_grad.maximize", grad
        moments, squares = block.state["exp_avg"], block.state["exp_avg_sq"]
        before, squares_before = rows_of(moments, rows), rows_of(squares, rows)
        yield "rows_exp_avg", before
        yield "rows_exp_avg_sq", squares_before
        exp_avg = (grad - before) * (1 - beta1) + before
        yield "exp_avg", exp_avg
        exp_avg_sq = (grad * grad - squares_before) * (1 - beta2) + squares_before
        yield "exp_avg_sq", exp_avg_sq
        put_rows(moments, rows, exp_avg)
        put_rows(squares, rows, exp_avg_sq)
        denominator = np.sqrt(exp_avg_sq) + group["eps"]
        yield "denominator", denominator
        bias_correction1, bias_correction2 = 1 - beta1**step, 1 - beta2**step
        yield "bias_correction1", bias_correction1
        yield "bias_correction2", bias_correction2
        step_size = float(group["lr"]) * math.sqrt(bias_correction2) / bias_correction1
        yield "step_size", step_size
        update = exp_avg / denominator * step_size
        yield "update", update
        param = rows_of(block.data, rows)
        yield "rows_param", param
        put_rows(block.data, rows, param - update)
        yield "param", block.data


_COUNTED = StateSpec({}, {"step": 0.0})
