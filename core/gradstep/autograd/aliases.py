"""Second names of functions, and functions that torch has beside the methods."""

from __future__ import annotations

from gradstep.autograd.in_place_methods import InPlaceMethods
from gradstep.autograd.ops import (
    arithmetic,
    compare,
    division,
    join,
    pairs,
    pointwise,
    select,
    shape,
    special,
)
from gradstep.autograd.tensor import Tensor

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
arccos = special.acos
arcsin = special.asin
arctan = special.atan
arctan2 = pairs.atan2
broadcast_to = shape.expand
clip = select.clamp
concatenate = join.concat
divide = division.div
true_divide = division.div
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

detach = Tensor.detach
is_floating_point = Tensor.is_floating_point

abs_ = InPlaceMethods.abs_
ceil_ = InPlaceMethods.ceil_
clamp_ = InPlaceMethods.clamp_
clamp_max_ = InPlaceMethods.clamp_max_
clamp_min_ = InPlaceMethods.clamp_min_
clip_ = InPlaceMethods.clip_
cos_ = InPlaceMethods.cos_
exp_ = InPlaceMethods.exp_
fill_ = InPlaceMethods.fill_
floor_ = InPlaceMethods.floor_
index_put_ = InPlaceMethods.index_put_
log_ = InPlaceMethods.log_
neg_ = InPlaceMethods.neg_
reciprocal_ = InPlaceMethods.reciprocal_
relu_ = InPlaceMethods.relu_
round_ = InPlaceMethods.round_
rsqrt_ = InPlaceMethods.rsqrt_
sigmoid_ = InPlaceMethods.sigmoid_
sin_ = InPlaceMethods.sin_
sqrt_ = InPlaceMethods.sqrt_
square_ = InPlaceMethods.square_
tanh_ = InPlaceMethods.tanh_
zero_ = InPlaceMethods.zero_
