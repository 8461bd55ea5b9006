"""What the names in formulas stand for, in words."""

from __future__ import annotations

from types import MappingProxyType

__all__ = ["definition"]

_DEFINITIONS = MappingProxyType(
    {
        # operands and results of operations
        "input": "the input of the operation",
        "other": "the second input of the operation",
        "weight": "the weight of the layer",
        "bias": "the bias of the layer",
        "target": "what the loss compares the input with",
        "result": "the result of the operation",
        "count": "the number of averaged elements",
        "pi": "3.14159...",
        "incoming": "the gradient that arrives at the node",
        # of any update
        "param": "the parameter",
        "grad": "the parameter's .grad",
        "update": "what the step subtracts from the parameter",
        "lr": "the learning rate",
        "adjusted_lr": "the learning rate, adjusted to the parameter's shape",
        "step": "the number of this step of the optimizer, from 1",
        "step_size": "the size of this step",
        "weight_decay": "the weight decay",
        "decay": "what weight decay adds: weight_decay * param",
        "eps": "a small number that keeps a denominator from 0",
        "eps1": "a small number that keeps a mean from 0",
        "eps2": "the smallest step, relative to the parameter",
        # momentum
        "momentum": "the share of the old buffer that is kept",
        "dampening": "the share of the new gradient that the buffer does not take",
        "momentum_buffer": "the running sum of past gradients",
        "nesterov_grad": "the gradient with Nesterov momentum: one step ahead",
        "mu": "the momentum of this step, as NAdam schedules it",
        "mu_next": "the momentum of the next step",
        "mu_product": "the product of the momenta of all steps so far",
        "momentum_decay": "how fast NAdam's momentum approaches its final value",
        # running means
        "beta1": "the share of the old mean that exp_avg keeps (betas[0])",
        "beta2": "the share of the old mean that exp_avg_sq keeps (betas[1])",
        "beta2_decay": "how the share that is kept grows with the steps",
        "exp_avg": "the running mean of gradients",
        "exp_avg_sq": "the running mean of squared gradients",
        "max_exp_avg_sq": "the largest running mean of squared gradients so far",
        "bias_corrected_exp_avg": "exp_avg without its bias towards its start at 0",
        "bias_correction1": "1 - beta1 ** step, which removes the bias of exp_avg towards 0",
        "bias_correction2": "1 - beta2 ** step, which removes the bias of exp_avg_sq towards 0",
        "exp_inf": "the running maximum of the gradients' magnitudes",
        "square_avg": "the running mean of squared gradients",
        "grad_avg": "the running mean of gradients",
        "variance": "the running variance of gradients",
        "std": "the square root of the mean of squared gradients",
        "denominator": "what the gradient is divided by, element by element",
        "normalized_grad": "the gradient divided by its typical size",
        "sum": "the sum of squared gradients so far",
        "delta": "the change before the learning rate",
        "acc_delta": "the running mean of squared changes",
        "rho": "the share of the old mean that is kept",
        "rho_inf": "the longest length of the running mean",
        "sma_length": "the length of the running mean by now",
        "rectification": "the factor by which RAdam makes early steps smaller",
        "alpha": "the option alpha of the optimizer",
        "lr_decay": "how fast the learning rate falls with the steps",
        # ASGD and Rprop
        "lambd": "the decay term of ASGD",
        "eta": "the learning rate of this step, as ASGD lowers it",
        "ax": "the mean of the parameter over the steps",
        "prev": "the value of the step before",
        "factor": "what the step size is multiplied by",
        "etaminus": "the factor of a step size whose gradient changed its sign",
        "etaplus": "the factor of a step size whose gradient kept its sign",
        "step_size_min": "the smallest step size",
        "step_size_max": "the largest step size",
        # Adafactor
        "row_var": "the running mean of squared gradients of each row",
        "col_var": "the running mean of squared gradients of each column",
        "var_estimate": "the mean of squared gradients, estimated from rows and columns",
        "clip_denominator": "what keeps the update from growing too large",
        # Muon
        "ortho_grad": "the gradient on its way to an orthogonal matrix",
        "gram_matrix": "the product of the gradient with its transpose",
        "gram_update": "a polynomial of that product",
        "orthogonalized": "the orthogonal matrix nearest to the gradient",
        "a": "the first coefficient of the polynomial",
        "b": "the second coefficient of the polynomial",
        "c": "the third coefficient of the polynomial",
        # L-BFGS
        "direction": "the direction of the step",
        "step_length": "how far the step goes in its direction",
        "curvature": "how the gradient changes along a step",
        "hessian_scale": "the scale of the estimated inverse Hessian",
        "slope": "the derivative of the loss in the direction of the step",
        "trial_length": "the step length that is tried",
        "trial_loss": "the loss at that length",
        # clipping and accumulation
        "max_norm": "the largest total norm",
        "clip_value": "the largest magnitude of an element",
        "total_norm": "the norm of all gradients together",
        "before": ".grad before",
        "added": "what is added",
        "after": ".grad after",
        # rows of a sparse gradient
        "rows_grad": "the rows of .grad that the loss reached",
        "rows_exp_avg": "these rows of exp_avg",
        "rows_exp_avg_sq": "these rows of exp_avg_sq",
        "rows_param": "these rows of the parameter",
        "grad_update": "the update without weight decay",
    }
)


def definition(name: str) -> str:
    """Return what a name in a formula stands for; empty for one that is not known.

    Example:
        >>> definition("exp_avg"), definition("my_term")
        ('the running mean of gradients', '')
    """
    return _DEFINITIONS.get(name, "")
