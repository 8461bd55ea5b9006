"""The table of Tensor's methods, installed after the operations are defined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gradstep.autograd import engine, printing
from gradstep.autograd.ops import (
    activations,
    arithmetic,
    compare,
    convert,
    division,
    extrema,
    fill_random,
    gather,
    indexing,
    inplace,
    join,
    matmul,
    norms,
    pointwise,
    powers,
    rearrange,
    reduce,
    select,
    shape,
    special,
    statistics,
)
from gradstep.autograd.ops.inplace import in_place
from gradstep.autograd.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["METHODS", "install"]

METHODS: Final[tuple[tuple[Any, str], ...]] = (
    (printing.describe, "__repr__"),
    (arithmetic.add, "__add__ __radd__ add"),
    (arithmetic.sub, "__sub__ sub"),
    (arithmetic.rsub, "__rsub__"),
    (arithmetic.mul, "__mul__ __rmul__ mul"),
    (division.div, "__truediv__ div"),
    (division.rdiv, "__rtruediv__"),
    (powers.pow, "__pow__ pow"),
    (powers.rpow, "__rpow__"),
    (arithmetic.neg, "__neg__ neg"),
    (pointwise.positive, "__pos__"),
    (matmul.matmul, "__matmul__ matmul"),
    (matmul.rmatmul, "__rmatmul__"),
    (matmul.mm, "mm"),
    (matmul.mv, "mv"),
    (matmul.dot, "dot"),
    (matmul.bmm, "bmm"),
    (compare.equal_operator, "__eq__"),
    (compare.not_equal_operator, "__ne__"),
    (compare.lt, "__lt__"),
    (compare.le, "__le__"),
    (compare.gt, "__gt__"),
    (compare.ge, "__ge__"),
    (compare.bitwise_and, "__and__ __rand__"),
    (compare.bitwise_or, "__or__ __ror__"),
    (compare.bitwise_xor, "__xor__ __rxor__"),
    (compare.bitwise_not, "__invert__"),
    (pointwise.exp, "exp"),
    (pointwise.log, "log"),
    (pointwise.log1p, "log1p"),
    (pointwise.sqrt, "sqrt"),
    (pointwise.rsqrt, "rsqrt"),
    (pointwise.reciprocal, "reciprocal"),
    (pointwise.abs, "__abs__ abs"),
    (pointwise.sign, "sign"),
    (special.sin, "sin"),
    (special.cos, "cos"),
    (special.erf, "erf"),
    (select.maximum, "maximum"),
    (select.minimum, "minimum"),
    (select.clamp, "clamp"),
    (select.clamp_min, "clamp_min"),
    (select.clamp_max, "clamp_max"),
    (select.masked_fill, "masked_fill"),
    (select.where_method, "where"),
    (activations.relu, "relu"),
    (activations.tanh, "tanh"),
    (activations.sigmoid, "sigmoid"),
    (activations.softmax, "softmax"),
    (activations.log_softmax, "log_softmax"),
    (reduce.sum, "sum"),
    (reduce.mean, "mean"),
    (convert.clone, "clone"),
    (convert.contiguous, "contiguous"),
    (convert.to, "to"),
    (shape.ravel, "ravel"),
    (powers.square, "square"),
    (statistics.var, "var"),
    (statistics.std, "std"),
    (norms.norm, "norm"),
    (statistics.any, "any"),
    (statistics.all, "all"),
    (extrema.max, "max"),
    (extrema.min, "min"),
    (extrema.argmax, "argmax"),
    (extrema.argmin, "argmin"),
    (indexing.getitem, "__getitem__"),
    (inplace.setitem, "__setitem__"),
    (indexing.iterate, "__iter__"),
    (compare.contains, "__contains__"),
    (rearrange.reversed_entries, "__reversed__"),
    (indexing.select, "select"),
    (indexing.narrow, "narrow"),
    (indexing.index_select, "index_select"),
    (indexing.take, "take"),
    (gather.gather, "gather"),
    (join.split, "split"),
    (join.chunk, "chunk"),
    (join.unbind, "unbind"),
    (rearrange.repeat, "repeat"),
    (shape.view, "view"),
    (shape.reshape, "reshape"),
    (shape.view_as, "view_as"),
    (shape.flatten, "flatten"),
    (shape.unflatten, "unflatten"),
    (shape.squeeze, "squeeze"),
    (shape.unsqueeze, "unsqueeze"),
    (shape.transpose, "transpose"),
    (shape.t, "t"),
    (shape.permute, "permute"),
    (shape.movedim, "movedim"),
    (shape.expand, "expand"),
    (shape.expand_as, "expand_as"),
    (property(shape.reversed_dims), "T"),
    (property(shape.matrix_transpose), "mT"),
    (engine.backward_from, "backward"),
    (in_place(arithmetic.add), "__iadd__ add_"),
    (in_place(arithmetic.sub), "__isub__ sub_"),
    (in_place(arithmetic.mul), "__imul__ mul_"),
    (in_place(division.div), "__itruediv__ div_"),
    (in_place(powers.pow), "__ipow__"),
    (in_place(select.clamp), "clamp_"),
    (in_place(inplace.zeroed), "zero_"),
    (in_place(inplace.filled), "fill_"),
    (in_place(inplace.replaced), "copy_"),
    (fill_random.uniform_, "uniform_"),
    (fill_random.normal_, "normal_"),
)
"""Each operation with its method names, separated by spaces."""


def install(methods: Iterable[tuple[object, str]]) -> None:
    """Add methods to Tensor.

    Args:
        methods: Functions or descriptors, each with its method names, separated by spaces.

    Example:
        >>> import gradstep
        >>> install([(gradstep.relu, "positive_part")])
        >>> gradstep.tensor([-1.0, 2.0]).positive_part()
        tensor([0., 2.])
        >>> del Tensor.positive_part
    """
    for method, names in methods:
        for name in names.split():
            setattr(Tensor, name, method)


install(METHODS)
