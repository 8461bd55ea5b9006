"""Misuse of shapes, indices and element types."""

from __future__ import annotations

from tests.conformance.misuse import Misuse

CASES = [
    Misuse(
        "sizes that do not broadcast",
        RuntimeError,
        "The size of tensor a (2) must match the size of tensor b (3)",
        lambda t: t.ones(2) + t.ones(3),
    ),
    Misuse(
        "types of a product",
        RuntimeError,
        "must have the same dtype",
        lambda t: t.nn.functional.linear(t.ones(2, 2), t.ones(2, 2).double()),
    ),
    Misuse(
        "inner sizes of a product",
        RuntimeError,
        "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
        lambda t: t.ones(2, 3) @ t.ones(2, 3),
    ),
    Misuse(
        "item() of several",
        RuntimeError,
        "cannot be converted to Scalar",
        lambda t: t.ones(2).item(),
    ),
    Misuse("the truth of several", RuntimeError, "is ambiguous", lambda t: bool(t.ones(2))),
    Misuse("a dimension too far", IndexError, "Dimension out of range", lambda t: t.ones(2).sum(5)),
    Misuse("an index too far", IndexError, "out of bounds", lambda t: t.ones(2)[5]),
    Misuse(
        "too many indices",
        IndexError,
        "too many indices for tensor of dimension 1",
        lambda t: t.ones(2)[1, 1],
    ),
    Misuse(
        "floats as indices",
        IndexError,
        "tensors used as indices must be",
        lambda t: t.ones(3)[t.tensor([1.0])],
    ),
    Misuse(
        "a mask that does not fit",
        IndexError,
        "The shape of the mask",
        lambda t: t.ones(2)[t.tensor([True, False, True])],
    ),
    Misuse(
        "a negative step", ValueError, "step must be greater than zero", lambda t: t.ones(3)[::-1]
    ),
    Misuse(
        "a view that needs a copy",
        RuntimeError,
        "view size is not compatible",
        lambda t: t.ones(2, 3).t().view(6),
    ),
    Misuse(
        "a reshape that does not fit",
        RuntimeError,
        "is invalid for input of size 6",
        lambda t: t.ones(6).reshape(4),
    ),
    Misuse(
        "cat of other sizes",
        RuntimeError,
        "Sizes of tensors must match except in dimension",
        lambda t: t.cat([t.ones(2, 2), t.ones(3, 3)]),
    ),
    Misuse(
        "stack of other sizes",
        RuntimeError,
        "stack expects each tensor to be equal size",
        lambda t: t.stack([t.ones(2), t.ones(3)]),
    ),
    Misuse(
        "expand that does not fit",
        RuntimeError,
        "must match the existing size",
        lambda t: t.ones(2, 3).expand(4, 3),
    ),
    Misuse(
        "in place what enlarges",
        RuntimeError,
        "doesn't match the broadcast shape",
        lambda t: t.ones(2).add_(t.ones(3, 2)),
    ),
    Misuse(
        "in place what is no integer",
        RuntimeError,
        "can't be cast to the desired output type",
        lambda t: t.tensor([1]).add_(1.5),
    ),
    Misuse(
        "the mean of integers",
        RuntimeError,
        "could not infer output dtype",
        lambda t: t.tensor([1, 2]).mean(),
    ),
    Misuse(
        "the difference of booleans",
        RuntimeError,
        "Subtraction, the `-` operator,",
        lambda t: t.tensor([True]) - t.tensor([True]),
    ),
    Misuse(
        "softmax of integers", NotImplementedError, "softmax", lambda t: t.tensor([1]).softmax(0)
    ),
    Misuse(
        "rows of different lengths",
        ValueError,
        "expected sequence of length 1 at dim 1 (got 2)",
        lambda t: t.tensor([[1], [1, 2]]),
    ),
    Misuse("text", TypeError, "str", lambda t: t.tensor("a")),
    Misuse(
        "the length of a number", TypeError, "len() of a 0-d tensor", lambda t: len(t.tensor(1))
    ),
    Misuse(
        "the largest of nothing",
        RuntimeError,
        "Expected reduction dim to be specified",
        lambda t: t.ones(0).max(),
    ),
    Misuse(
        "gather beyond the end",
        RuntimeError,
        "index 7 is out of bounds for dimension 0 with size 2",
        lambda t: t.ones(2, 2).gather(0, t.tensor([[7]])),
    ),
    Misuse(
        "more of the largest than there are",
        RuntimeError,
        "selected index k out of range",
        lambda t: t.ones(2).topk(5),
    ),
    Misuse(
        "clamp without bounds",
        RuntimeError,
        "must not be None",
        lambda t: t.ones(2).clamp(),
    ),
    Misuse(
        "where without booleans",
        RuntimeError,
        "expected condition to be a boolean tensor",
        lambda t: t.where(t.ones(2), 1.0, 2.0),
    ),
    Misuse(
        "letters that do not fit",
        RuntimeError,
        "einsum()",
        lambda t: t.einsum("ij,jk->ik", t.ones(2, 3), t.ones(2, 3)),
    ),
    Misuse("a negative size", RuntimeError, "negative dimension", lambda t: t.zeros(-1)),
    Misuse(
        "no samples left",
        RuntimeError,
        "without replacement",
        lambda t: t.multinomial(t.tensor([1.0, 1.0]), 3),
    ),
    Misuse(
        "no such device",
        RuntimeError,
        "device type at start of device string",
        lambda t: t.device("gpu"),
    ),
    Misuse(
        "a CUDA tensor",
        AssertionError,
        "Torch not compiled with CUDA enabled",
        lambda t: t.ones(1).cuda(),
    ),
    Misuse("a name that is not there", AttributeError, "has no attribute 'foo'", lambda t: t.foo),
    Misuse(
        "nothing to join", ValueError, "expected a non-empty list of Tensors", lambda t: t.cat([])
    ),
    Misuse(
        "a tensor to join",
        TypeError,
        "must be tuple of Tensors, not Tensor",
        lambda t: t.cat(t.ones(2)),
    ),
    Misuse(
        "nothing to stack",
        RuntimeError,
        "stack expects a non-empty TensorList",
        lambda t: t.stack([]),
    ),
    Misuse(
        "fractions as places",
        RuntimeError,
        "Expected dtype int32/int64 for index",
        lambda t: t.ones(2, 3).gather(0, t.ones(1, 3)),
    ),
    Misuse(
        "a matrix of places",
        IndexError,
        "Index is supposed to be a vector",
        lambda t: t.ones(2).index_select(0, t.tensor([[0]])),
    ),
    Misuse(
        "a mask that does not fit",
        RuntimeError,
        "must match the size of tensor b (3)",
        lambda t: t.ones(2, 3).masked_fill(t.ones(4) > 0, 1),
    ),
    Misuse(
        "a mask of numbers",
        RuntimeError,
        "expected BoolTensor for mask",
        lambda t: t.ones(2).masked_select(t.ones(2)),
    ),
    Misuse(
        "a tensor of nothing",
        RuntimeError,
        "Could not infer dtype of NoneType",
        lambda t: t.tensor(None),
    ),
    Misuse("half a size", TypeError, "'size'", lambda t: t.zeros(2.5)),
    Misuse(
        "no size", TypeError, 'missing 1 required positional arguments: "size"', lambda t: t.zeros()
    ),
    Misuse("a word to fill with", TypeError, "argument 'fill_value'", lambda t: t.full((2,), "a")),
    Misuse(
        "a range to nowhere",
        RuntimeError,
        "unsupported range: 0 -> nan",
        lambda t: t.arange(0, float("nan")),
    ),
    Misuse(
        "a negative matrix",
        RuntimeError,
        "n must be greater or equal to 0, got -1",
        lambda t: t.eye(-1),
    ),
    Misuse("no such type name", ValueError, "invalid type: 'foo'", lambda t: t.ones(2).type("foo")),
    Misuse(
        "bits of fractions",
        NotImplementedError,
        "not implemented for",
        lambda t: t.ones(3) & t.ones(3),
    ),
    Misuse(
        "not of fractions",
        TypeError,
        "only implemented on integer and Boolean-type",
        lambda t: ~t.ones(3),
    ),
    Misuse("a word as bound", TypeError, "clamp()", lambda t: t.ones(3).clamp("a")),
    Misuse(
        "a number to compare with", TypeError, "argument 'other'", lambda t: t.maximum(t.ones(2), 1)
    ),
    Misuse(
        "a norm that is none",
        RuntimeError,
        "Order foo not supported",
        lambda t: t.ones(3).norm("foo"),
    ),
    Misuse(
        "two numbers as one", ValueError, "converted to Python scalars", lambda t: float(t.ones(2))
    ),
    Misuse(
        "a grid of matrices",
        RuntimeError,
        "Expected 0D or 1D tensor in the tensor list",
        lambda t: t.meshgrid(t.ones(2), t.ones(2, 2)),
    ),
    Misuse(
        "types that differ",
        RuntimeError,
        "did not match",
        lambda t: t.allclose(t.ones(2), t.ones(2).double()),
    ),
    Misuse(
        "a number as data",
        TypeError,
        "data has to be a tensor, but got float",
        lambda t: setattr(t.ones(2), "data", 1.0),
    ),
    Misuse(
        "a word as a flag",
        TypeError,
        "must be bool, not str",
        lambda t: t.ones(2).requires_grad_("a"),
    ),
    Misuse(
        "a file in no folder",
        RuntimeError,
        "does not exist",
        lambda t: t.save(t.ones(1), "/nowhere/x"),
    ),
]
