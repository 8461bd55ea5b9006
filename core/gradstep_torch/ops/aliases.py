"""Aliases of functions, and methods that torch also offers as functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.autograd.ops import (
    arithmetic,
    compare,
    pointwise,
    select,
    shape,
)
from gradstep.autograd.tensor import Tensor
from gradstep_torch.ops import (
    binary_functions,
    elementary,
    layout,
    methods,  # noqa: F401 - installs the methods used below
    rounded_division,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "abs_",
    "absolute",
    "arccos",
    "arcsin",
    "arctan",
    "arctan2",
    "broadcast_to",
    "ceil_",
    "clamp_",
    "clamp_max_",
    "clamp_min_",
    "clip",
    "clip_",
    "concatenate",
    "cos_",
    "detach",
    "divide",
    "exp_",
    "fill_",
    "floor_",
    "greater",
    "greater_equal",
    "index_put_",
    "is_floating_point",
    "less",
    "less_equal",
    "log_",
    "moveaxis",
    "multiply",
    "neg_",
    "negative",
    "not_equal",
    "reciprocal_",
    "relu_",
    "round_",
    "rsqrt_",
    "rsub",
    "sigmoid_",
    "sin_",
    "sqrt_",
    "square_",
    "subtract",
    "swapaxes",
    "swapdims",
    "tanh_",
    "true_divide",
    "zero_",
]

absolute = pointwise.abs
arccos = elementary.acos
arcsin = elementary.asin
arctan = elementary.atan
arctan2 = binary_functions.atan2
broadcast_to = shape.expand
clip = select.clamp
concatenate = layout.concat
divide = rounded_division.div
true_divide = rounded_division.div
multiply = arithmetic.mul
subtract = arithmetic.sub
negative = arithmetic.neg
rsub = arithmetic.rsub
greater = compare.gt
greater_equal = compare.ge
less = compare.lt
less_equal = compare.le
not_equal = compare.ne
moveaxis = shape.movedim
swapaxes = shape.transpose
swapdims = shape.transpose

_methods: Mapping[str, Any] = vars(Tensor)
detach = Tensor.detach
is_floating_point = Tensor.is_floating_point

abs_ = _methods["abs_"]
ceil_ = _methods["ceil_"]
clamp_ = _methods["clamp_"]
clamp_max_ = _methods["clamp_max_"]
clamp_min_ = _methods["clamp_min_"]
clip_ = _methods["clip_"]
cos_ = _methods["cos_"]
exp_ = _methods["exp_"]
fill_ = _methods["fill_"]
floor_ = _methods["floor_"]
index_put_ = _methods["index_put_"]
log_ = _methods["log_"]
neg_ = _methods["neg_"]
reciprocal_ = _methods["reciprocal_"]
relu_ = _methods["relu_"]
round_ = _methods["round_"]
rsqrt_ = _methods["rsqrt_"]
sigmoid_ = _methods["sigmoid_"]
sin_ = _methods["sin_"]
sqrt_ = _methods["sqrt_"]
square_ = _methods["square_"]
tanh_ = _methods["tanh_"]
zero_ = _methods["zero_"]
