"""What can be called on a tensor: one table, attached to the class once the operations exist."""

from __future__ import annotations

from gradstep.autograd import engine
from gradstep.autograd.ops import (
    activation,
    arithmetic,
    compare,
    convert,
    pointwise,
    reduce,
    rounding,
    select,
    special,
)
from gradstep.autograd.ops import matmul as products
from gradstep.autograd.ops import shape as shapes
from gradstep.autograd.printing import describe
from gradstep.autograd.tensor import Tensor

__all__ = ["Methods"]


class Methods:
    """Everything on a Tensor beyond its place in the graph."""

    __slots__ = ()

    # -- arithmetic ----------------------------------------------------------------------------

    __add__ = __radd__ = add = arithmetic.add
    __sub__ = sub = subtract = arithmetic.sub
    __rsub__ = rsub = arithmetic.rsub
    __mul__ = __rmul__ = mul = multiply = arithmetic.mul
    __truediv__ = div = divide = true_divide = arithmetic.div
    __rtruediv__ = arithmetic.rdiv
    __pow__ = pow = arithmetic.pow
    __rpow__ = arithmetic.rpow
    __neg__ = neg = negative = arithmetic.neg
    __matmul__ = matmul = products.matmul
    __rmatmul__ = products.rmatmul
    mm = products.mm
    mv = products.mv
    dot = products.dot
    bmm = products.bmm

    __eq__ = compare.is_equal
    __ne__ = compare.is_unequal
    __lt__ = lt = less = compare.lt
    __le__ = le = less_equal = compare.le
    __gt__ = gt = greater = compare.gt
    __ge__ = ge = greater_equal = compare.ge
    eq = compare.eq
    ne = not_equal = compare.ne
    __and__ = __rand__ = bitwise_and = compare.bitwise_and
    __or__ = __ror__ = bitwise_or = compare.bitwise_or
    __xor__ = __rxor__ = bitwise_xor = compare.bitwise_xor
    __invert__ = bitwise_not = compare.bitwise_not
    logical_and = compare.logical_and
    logical_or = compare.logical_or
    logical_xor = compare.logical_xor
    logical_not = compare.logical_not
    isnan = compare.isnan
    isinf = compare.isinf
    isfinite = compare.isfinite
    isclose = compare.isclose
    allclose = compare.allclose
    equal = compare.equal

    exp = pointwise.exp
    exp2 = pointwise.exp2
    expm1 = pointwise.expm1
    log = pointwise.log
    log2 = pointwise.log2
    log10 = pointwise.log10
    log1p = pointwise.log1p
    sqrt = pointwise.sqrt
    rsqrt = pointwise.rsqrt
    reciprocal = pointwise.reciprocal
    __abs__ = abs = absolute = pointwise.abs
    sign = pointwise.sign
    square = pointwise.square
    floor = rounding.floor
    ceil = rounding.ceil
    trunc = rounding.trunc
    round = rounding.round

    sin = special.sin
    cos = special.cos
    tan = special.tan
    sinh = special.sinh
    cosh = special.cosh
    asin = arcsin = special.asin
    acos = arccos = special.acos
    atan = arctan = special.atan
    erf = special.erf

    maximum = select.maximum
    minimum = select.minimum
    clamp = clip = select.clamp
    masked_fill = select.masked_fill

    relu = activation.relu
    tanh = activation.tanh
    sigmoid = activation.sigmoid
    softmax = activation.softmax
    log_softmax = activation.log_softmax

    sum = reduce.sum
    mean = reduce.mean

    clone = convert.clone
    contiguous = convert.contiguous
    to = convert.to

    # -- shapes --------------------------------------------------------------------------------

    view = shapes.view
    reshape = shapes.reshape
    view_as = shapes.view_as
    flatten = shapes.flatten
    unflatten = shapes.unflatten
    squeeze = shapes.squeeze
    unsqueeze = shapes.unsqueeze
    transpose = swapaxes = swapdims = shapes.transpose
    t = shapes.t
    permute = shapes.permute
    movedim = moveaxis = shapes.movedim
    expand = shapes.expand
    expand_as = shapes.expand_as

    T = property(shapes.reversed_dims)
    mT = property(shapes.matrix_transpose)

    backward = engine.backward_from
    __repr__ = describe
    __hash__ = object.__hash__


def _attach() -> None:
    """Give Tensor everything in the table."""
    for name, value in vars(Methods).items():
        if name not in _OWN:
            setattr(Tensor, name, value)


_OWN = frozenset(vars(type("Empty", (), {"__slots__": ()})))
_attach()
