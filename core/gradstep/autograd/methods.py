"""What can be called on a tensor: one table, attached to the class once the operations exist."""

from __future__ import annotations

from inspect import isfunction

from gradstep.autograd import absent, engine, new_like, sampling
from gradstep.autograd.in_place_methods import InPlaceMethods
from gradstep.autograd.ops import (
    activation,
    arithmetic,
    compare,
    composed,
    convert,
    counting,
    division,
    extrema,
    formulas,
    gather,
    indexing,
    inplace,
    inverse_hyperbolic,
    join,
    lookup,
    norms,
    pairs,
    pointwise,
    powers,
    pseudo_inverse,
    quantiles,
    rearrange,
    reduce,
    rounding,
    running,
    special,
    statistics,
)
from gradstep.autograd.ops import cross as vectors
from gradstep.autograd.ops import matmul as products
from gradstep.autograd.ops import median as middle
from gradstep.autograd.ops import scatter as scatter_ops
from gradstep.autograd.ops import select as choice
from gradstep.autograd.ops import shape as shapes
from gradstep.autograd.ops import solve as equations
from gradstep.autograd.ops import svd as factors
from gradstep.autograd.printing import describe
from gradstep.autograd.tensor import Tensor
from gradstep.keywords import with_numpy_names

__all__ = ["Methods"]


class Methods(InPlaceMethods):
    """Everything on a Tensor beyond its place in the graph."""

    __slots__ = ()

    # -- arithmetic ----------------------------------------------------------------------------

    __add__ = __radd__ = add = arithmetic.add
    __sub__ = sub = subtract = arithmetic.sub
    __rsub__ = rsub = arithmetic.rsub
    __mul__ = __rmul__ = mul = multiply = arithmetic.mul
    __truediv__ = div = divide = true_divide = division.div
    __rtruediv__ = division.rdiv
    __floordiv__ = floor_divide = division.floor_divide
    __rfloordiv__ = division.rfloor_divide
    __mod__ = remainder = division.remainder
    __rmod__ = division.rremainder
    fmod = division.fmod
    __pow__ = pow = powers.pow
    __rpow__ = powers.rpow
    __neg__ = neg = negative = arithmetic.neg
    __pos__ = positive = pointwise.positive
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
    asinh = arcsinh = inverse_hyperbolic.asinh
    acosh = arccosh = inverse_hyperbolic.acosh
    atanh = arctanh = inverse_hyperbolic.atanh
    logit = inverse_hyperbolic.logit
    deg2rad = inverse_hyperbolic.deg2rad
    rad2deg = inverse_hyperbolic.rad2deg
    erf = special.erf
    atan2 = arctan2 = pairs.atan2
    hypot = pairs.hypot
    logaddexp = pairs.logaddexp

    maximum = choice.maximum
    minimum = choice.minimum
    clamp = clip = choice.clamp
    clamp_min = choice.clamp_min
    clamp_max = choice.clamp_max
    masked_fill = choice.masked_fill
    nan_to_num = choice.nan_to_num
    where = choice.where_of
    bernoulli = sampling.bernoulli
    multinomial = sampling.multinomial

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
    type = convert.type_of
    type_as = convert.type_as
    new_tensor = new_like.new_tensor
    new_zeros = new_like.new_zeros
    new_ones = new_like.new_ones
    new_empty = new_like.new_empty
    new_full = new_like.new_full
    float = convert.as_float
    double = convert.as_double
    half = convert.as_half
    long = convert.as_long
    int = convert.as_int
    bool = convert.as_bool
    byte = convert.as_byte
    char = convert.as_char
    short = convert.as_short
    cpu = convert.cpu
    cuda = convert.cuda
    ravel = shapes.ravel

    square = pointwise.square
    addcmul = formulas.addcmul
    addcdiv = formulas.addcdiv
    addmm = formulas.addmm
    addmv = formulas.addmv
    baddbmm = formulas.baddbmm
    lerp = formulas.lerp

    var = statistics.var
    std = statistics.std
    norm = norms.norm
    svd = factors.svd
    inverse = equations.inv
    det = equations.det
    logdet = equations.logdet
    slogdet = equations.slogdet
    pinverse = pseudo_inverse.pinv
    matrix_power = pseudo_inverse.matrix_power
    prod = statistics.prod
    cumsum = running.cumsum
    cumprod = running.cumprod
    logsumexp = statistics.logsumexp
    any = statistics.any
    all = statistics.all
    count_nonzero = statistics.count_nonzero
    max = extrema.max
    min = extrema.min
    amax = extrema.amax
    amin = extrema.amin
    argmax = extrema.argmax
    argmin = extrema.argmin
    argsort = extrema.argsort
    sort = extrema.sort
    topk = extrema.topk
    median = middle.median
    quantile = quantiles.quantile
    aminmax = quantiles.aminmax
    kron = quantiles.kron
    cov = quantiles.cov
    corrcoef = quantiles.corrcoef
    argwhere = lookup.argwhere

    # -- elements ------------------------------------------------------------------------------

    __getitem__ = indexing.getitem
    __setitem__ = inplace.setitem
    __iter__ = indexing.iterate
    __contains__ = compare.contains
    __reversed__ = rearrange.turned_round
    select = indexing.select
    narrow = indexing.narrow
    index_select = indexing.index_select
    masked_select = indexing.masked_select
    take = indexing.take
    scatter = gather.scatter
    gather = gather.gather
    scatter_add = scatter_ops.scatter_add
    index_add = scatter_ops.index_add
    index_copy = scatter_ops.index_copy
    index_fill = scatter_ops.index_fill
    index_put = scatter_ops.index_put
    put = scatter_ops.put
    split = join.split
    chunk = join.chunk
    unbind = join.unbind

    repeat = rearrange.repeat
    repeat_interleave = rearrange.repeat_interleave
    trace = rearrange.trace
    diagonal = composed.diagonal
    diff = composed.diff
    nansum = composed.nansum
    nanmean = composed.nanmean
    fliplr = composed.fliplr
    flipud = composed.flipud
    inner = composed.inner
    frac = composed.frac
    tile = rearrange.tile
    flip = rearrange.flip
    roll = rearrange.roll
    tril = rearrange.tril
    triu = rearrange.triu
    diag = rearrange.diag
    outer = rearrange.outer
    cross = vectors.cross
    nonzero = rearrange.nonzero
    unique = counting.unique
    histc = counting.histc
    histogram = counting.histogram
    bincount = counting.bincount

    # -- shapes --------------------------------------------------------------------------------

    view = shapes.view
    reshape = shapes.reshape
    view_as = shapes.view_as
    reshape_as = shapes.reshape_as
    flatten = shapes.flatten
    unflatten = shapes.unflatten
    squeeze = shapes.squeeze
    unsqueeze = shapes.unsqueeze
    transpose = swapaxes = swapdims = shapes.transpose
    t = shapes.t
    permute = shapes.permute
    movedim = moveaxis = shapes.movedim
    expand = broadcast_to = shapes.expand
    expand_as = shapes.expand_as

    T = property(shapes.reversed_dims)
    mT = mH = property(shapes.matrix_transpose)

    backward = engine.backward_from
    __repr__ = describe
    __hash__ = object.__hash__


def _attach() -> None:
    """Give Tensor everything in the table, and torch's other names a word on their absence."""
    for name, value in (*vars(InPlaceMethods).items(), *vars(Methods).items()):
        if name not in _OWN:
            setattr(Tensor, name, with_numpy_names(value) if _lacks_axis(value) else value)
    for name in absent.NAMES:
        if not hasattr(Tensor, name):
            setattr(Tensor, name, absent.Absent(name))


def _lacks_axis(value: object) -> bool:
    """Whether a method takes `dim`, and `axis` not by itself, as those that are called most do."""
    if not isfunction(value):
        return False
    code = value.__code__
    own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return "dim" in own and "axis" not in own


_OWN = frozenset(vars(type("Empty", (), {"__slots__": ()})))
_attach()
