"""What changes a tensor in place: one table, a part of that of all methods."""

from __future__ import annotations

from gradstep.autograd.ops import (
    activation,
    arithmetic,
    compare,
    division,
    fill_random,
    formulas,
    gather,
    inplace,
    pointwise,
    powers,
    rearrange,
    rounding,
    running,
    scatter,
    select,
    special,
)
from gradstep.autograd.ops import shape as shapes
from gradstep.autograd.ops.inplace import converted, in_place, in_shape

__all__ = ["InPlaceMethods"]


class InPlaceMethods:
    """The operations whose names end in an underscore, and the operators with an equals sign."""

    __slots__ = ()

    __iadd__ = add_ = in_place(arithmetic.add)
    __isub__ = sub_ = subtract_ = in_place(arithmetic.sub)
    __imul__ = mul_ = multiply_ = in_place(arithmetic.mul)
    __itruediv__ = div_ = divide_ = true_divide_ = in_place(division.div)
    __ipow__ = pow_ = in_place(powers.pow)
    addcmul_ = in_place(formulas.addcmul)
    addcdiv_ = in_place(formulas.addcdiv)
    lerp_ = in_place(formulas.lerp)
    neg_ = negative_ = in_place(arithmetic.neg)
    abs_ = absolute_ = in_place(pointwise.abs)
    exp_ = in_place(pointwise.exp)
    log_ = in_place(pointwise.log)
    sqrt_ = in_place(pointwise.sqrt)
    rsqrt_ = in_place(pointwise.rsqrt)
    reciprocal_ = in_place(pointwise.reciprocal)
    square_ = in_place(pointwise.square)
    sign_ = in_place(pointwise.sign)
    sin_ = in_place(special.sin)
    cos_ = in_place(special.cos)
    floor_ = in_place(rounding.floor)
    ceil_ = in_place(rounding.ceil)
    round_ = in_place(rounding.round)
    relu_ = in_place(activation.relu)
    tanh_ = in_place(activation.tanh)
    sigmoid_ = in_place(activation.sigmoid)
    clamp_ = clip_ = in_place(select.clamp)
    clamp_min_ = in_place(select.clamp_min)
    clamp_max_ = in_place(select.clamp_max)
    masked_fill_ = in_place(select.masked_fill)
    scatter_ = in_place(gather.scatter)
    scatter_add_ = in_place(scatter.scatter_add)
    index_add_ = in_place(scatter.index_add)
    index_copy_ = in_place(scatter.index_copy)
    index_fill_ = in_place(scatter.index_fill)
    index_put_ = in_place(scatter.index_put)
    put_ = in_place(scatter.put)
    cumsum_ = in_place(running.cumsum)
    cumprod_ = in_place(running.cumprod)
    zero_ = in_place(inplace.zeroed)
    fill_ = in_place(inplace.filled)
    copy_ = in_place(inplace.replaced)
    uniform_ = fill_random.uniform_
    normal_ = fill_random.normal_
    bernoulli_ = fill_random.bernoulli_
    random_ = fill_random.random_
    acos_ = arccos_ = in_place(special.acos)
    asin_ = arcsin_ = in_place(special.asin)
    atan_ = arctan_ = in_place(special.atan)
    cosh_ = in_place(special.cosh)
    erf_ = in_place(special.erf)
    sinh_ = in_place(special.sinh)
    tan_ = in_place(special.tan)
    exp2_ = in_place(pointwise.exp2)
    expm1_ = in_place(pointwise.expm1)
    log10_ = in_place(pointwise.log10)
    log1p_ = in_place(pointwise.log1p)
    log2_ = in_place(pointwise.log2)
    trunc_ = in_place(rounding.trunc)
    __imod__ = remainder_ = in_place(division.remainder)
    __ifloordiv__ = floor_divide_ = in_place(division.floor_divide)
    fmod_ = in_place(division.fmod)
    tril_ = in_place(rearrange.tril)
    triu_ = in_place(rearrange.triu)
    eq_ = in_place(converted(compare.eq))
    ne_ = not_equal_ = in_place(converted(compare.ne))
    lt_ = less_ = in_place(converted(compare.lt))
    le_ = less_equal_ = in_place(converted(compare.le))
    gt_ = greater_ = in_place(converted(compare.gt))
    ge_ = greater_equal_ = in_place(converted(compare.ge))
    logical_and_ = in_place(converted(compare.logical_and))
    logical_or_ = in_place(converted(compare.logical_or))
    logical_xor_ = in_place(converted(compare.logical_xor))
    logical_not_ = in_place(converted(compare.logical_not))
    __iand__ = bitwise_and_ = in_place(compare.bitwise_and)
    __ior__ = bitwise_or_ = in_place(compare.bitwise_or)
    __ixor__ = bitwise_xor_ = in_place(compare.bitwise_xor)
    bitwise_not_ = in_place(compare.bitwise_not)
    squeeze_ = in_shape(shapes.squeeze)
    unsqueeze_ = in_shape(shapes.unsqueeze)
    transpose_ = swapaxes_ = swapdims_ = in_shape(shapes.transpose)
    t_ = in_shape(shapes.t)
