"""The LaTeX symbols of names in formulas: hyperparameters, state, operands."""

from __future__ import annotations

from types import MappingProxyType

__all__ = ["latex_symbol"]

_PLAIN = MappingProxyType(
    {
        # operands and results of operations
        "input": "x",
        "other": "y",
        "weight": "W",
        "bias": "b",
        "target": "y",
        "result": "z",
        "count": "N",
        "pi": r"\pi",
        # hyperparameters
        "lr": r"\gamma",
        "beta1": r"\beta_1",
        "beta2": r"\beta_2",
        "eps": r"\epsilon",
        "eps1": r"\epsilon_1",
        "eps2": r"\epsilon_2",
        "weight_decay": r"\lambda",
        "momentum": r"\mu",
        "dampening": r"\tau",
        "alpha": r"\alpha",
        "rho": r"\rho",
        "lambd": r"\lambda",
        "lr_decay": r"\eta",
        "etaminus": r"\eta^{-}",
        "etaplus": r"\eta^{+}",
        "step_size_min": r"s_{\min}",
        "step_size_max": r"s_{\max}",
        "momentum_decay": r"\psi",
        "beta2_decay": r"\tau",
        "max_norm": r"c",
        "clip_value": r"c",
        # counters and numbers of one step
        "step": "t",
        "mu_next": r"\mu_{t+1}",
        "mu_product": r"\Pi_t",
        "rho_inf": r"\rho_\infty",
        "bias_correction1": "c_1",
        "bias_correction2": "c_2",
        "adjusted_lr": r"\gamma'",
        "total_norm": r"\lVert g \rVert",
        "param": r"\theta",
        # their rows
        "rows_grad": "g_R",
        "rows_exp_avg": "m_R",
        "rows_exp_avg_sq": "v_R",
        "rows_param": r"\theta_R",
        # the search along a direction
        "trial_length": r"\alpha",
        "trial_loss": r"\ell_\alpha",
        "before": r"g_{\text{before}}",
        "added": r"g_{\text{added}}",
        "after": r"g_{\text{after}}",
    }
)

_TIMED = MappingProxyType(
    {
        "grad": "g",
        "exp_avg": "m",
        "exp_avg_sq": "v",
        "max_exp_avg_sq": r"\hat v",
        "bias_corrected_exp_avg": r"\hat m",
        "momentum_buffer": "b",
        "nesterov_grad": r"\tilde g",
        "normalized_grad": r"\hat g",
        "square_avg": "v",
        "grad_avg": r"\bar g",
        "variance": r"\sigma^2",
        "var_estimate": r"\hat V",
        "row_var": "R",
        "col_var": "C",
        "std": r"\sigma",
        "delta": r"\delta",
        "acc_delta": "u",
        "sum": "s",
        "exp_inf": "u",
        "mu": r"\mu",
        "eta": r"\eta",
        "ax": r"\bar\theta",
        "prev": "p",
        "factor": "f",
        "step_size": "s",
        "denominator": "d",
        "clip_denominator": "D",
        "ortho_grad": "X",
        "gram_matrix": "A",
        "gram_update": "B",
        "orthogonalized": "O",
        "sma_length": r"\rho",
        "rectification": "r",
        "grad_update": r"\Delta'",
        "update": r"\Delta",
        "direction": "p",
        "step_length": r"\alpha",
        "curvature": "c",
        "hessian_scale": "h",
        "slope": "q",
    }
)
"""Names whose values change from step to step, and that are written with a time index."""


def latex_symbol(name: str, index: str = "") -> str:
    r"""Return the LaTeX of a name in a formula.

    Args:
        name: A name in the text of a formula.
        index: Its time index, such as "t" or "t-1", for names that change from step to step.

    Example:
        >>> latex_symbol("lr"), latex_symbol("exp_avg", "t-1"), latex_symbol("my_term")
        ('\\gamma', 'm_{t-1}', '\\mathrm{my\\_term}')
    """
    timed = _TIMED.get(name)
    if timed is not None:
        return f"{timed}_{{{index}}}" if index else timed
    plain = _PLAIN.get(name)
    if plain is not None:
        return plain
    escaped = name.replace("_", r"\_")
    return name if len(name) == 1 else rf"\mathrm{{{escaped}}}"
