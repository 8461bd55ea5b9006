"""Misuse of values: numbers out of range, types that do not go together, missing places."""

from __future__ import annotations

from tests.conformance.misuse import Misuse

CASES = [
    Misuse(
        "logits against class numbers",
        RuntimeError,
        "can't be cast to the desired output type",
        lambda t: t.nn.BCEWithLogitsLoss()(t.ones(2), t.tensor([0, 1])),
    ),
    Misuse(
        "a mean of integers",
        NotImplementedError,
        "not implemented for",
        lambda t: t.nn.MSELoss()(t.tensor([1, 2]), t.tensor([0, 1])),
    ),
    Misuse(
        "a format for several",
        TypeError,
        "unsupported format string passed to Tensor.__format__",
        lambda t: f"{t.ones(2):.2f}",
    ),
    Misuse(
        "a tensor of anything",
        RuntimeError,
        "Could not infer dtype of object",
        lambda t: t.tensor([object()]),
    ),
    Misuse(
        "a tensor of rows that are tensors",
        ValueError,
        "only one element tensors can be converted to Python scalars",
        lambda t: t.tensor([t.ones(2), t.ones(2)]),
    ),
    Misuse(
        "rows by floats",
        RuntimeError,
        "index_select(): Expected dtype int32 or int64 for index",
        lambda t: t.ones(2).index_select(0, t.ones(1)),
    ),
    Misuse(
        "integers divided by zero",
        RuntimeError,
        "ZeroDivisionError",
        lambda t: t.tensor([7]) // 0,
    ),
    Misuse(
        "weights that are not known",
        RuntimeError,
        "probability tensor contains either `inf`, `nan` or element < 0",
        lambda t: t.multinomial(t.tensor([0.5, float("nan")]), 1),
    ),
    Misuse(
        "nothing to draw",
        RuntimeError,
        "cannot sample n_sample <= 0 samples",
        lambda t: t.multinomial(t.ones(2), 0),
    ),
    Misuse(
        "weights that are integers",
        RuntimeError,
        "multinomial only supports floating-point dtypes for input",
        lambda t: t.multinomial(t.tensor([1, 2]), 1),
    ),
    Misuse(
        "weights of nothing",
        RuntimeError,
        "invalid multinomial distribution",
        lambda t: t.multinomial(t.zeros(3), 2, replacement=True),
    ),
    Misuse(
        "a negative tolerance",
        RuntimeError,
        "rtol must be greater than or equal to zero",
        lambda t: t.isclose(t.ones(1), t.ones(1), rtol=-0.4),
    ),
    Misuse(
        "a part of a number",
        RuntimeError,
        "narrow() cannot be applied to a 0-dim tensor",
        lambda t: t.narrow(t.tensor(1.0), 0, 0, 1),
    ),
    Misuse(
        "a part that begins nowhere",
        IndexError,
        "start out of range (expected to be in range of [-10, 10]",
        lambda t: t.narrow(t.ones(20, 10), 1, 11, 0),
    ),
    Misuse(
        "parts of a number",
        IndexError,
        "but tensor has no dimensions",
        lambda t: t.unbind(t.tensor(1.0)),
    ),
    Misuse(
        "no columns",
        RuntimeError,
        "expects a non-empty TensorList",
        lambda t: t.hstack([]),
    ),
    Misuse(
        "a diagonal of a cube",
        RuntimeError,
        "1D or 2D",
        lambda t: t.diag(t.ones(1, 1, 1)),
    ),
    Misuse(
        "more shifts than dimensions",
        RuntimeError,
        "shifts and dimensions must align",
        lambda t: t.roll(t.ones(5, 5), (2, 1), 0),
    ),
    Misuse(
        "steps that are no number",
        TypeError,
        "must be",
        lambda t: t.linspace(0, 3, 1.5),
    ),
    Misuse(
        "steps below none",
        RuntimeError,
        "number of steps must be non-negative",
        lambda t: t.logspace(0, 3, -1),
    ),
    Misuse(
        "values of another type",
        RuntimeError,
        "Expected self.dtype to be equal to src.dtype",
        lambda t: t.zeros(3).scatter(0, t.tensor([0]), t.ones(1).double()),
    ),
    Misuse(
        "a place that is not there",
        RuntimeError,
        "index 7 is out of bounds for dimension 0 with size 3",
        lambda t: t.zeros(3).scatter_add(0, t.tensor([7]), t.ones(1)),
    ),
    Misuse(
        "the largest of nothing",
        RuntimeError,
        "Expected reduction dim to be specified",
        lambda t: t.ones(5, 0).amax(),
    ),
    Misuse(
        "steps of nothing",
        RuntimeError,
        "step must be nonzero",
        lambda t: t.arange(0, 3, 0),
    ),
    Misuse(
        "matrices after a vector",
        RuntimeError,
        "Tensors must have same number of dimensions: got 1 and 2",
        lambda t: t.cat([t.ones(2), t.ones(2, 2)]),
    ),
    Misuse(
        "two sizes to infer",
        RuntimeError,
        "only one dimension can be inferred",
        lambda t: t.ones(4).view(-1, -1),
    ),
    Misuse(
        "the opposite of true",
        RuntimeError,
        "on a bool tensor is not supported",
        lambda t: -t.tensor([True]),
    ),
    Misuse(
        "weights of three dimensions",
        RuntimeError,
        "prob_dist must be 1 or 2 dim",
        lambda t: t.multinomial(t.ones(1, 2, 3), 1),
    ),
    Misuse(
        "an index that is too large",
        RuntimeError,
        "Size does not match at dimension 0",
        lambda t: t.ones(1, 1).gather(1, t.zeros(2, 2).long()),
    ),
    Misuse(
        "an index of fewer dimensions",
        RuntimeError,
        "Index tensor must have the same number of dimensions as self tensor",
        lambda t: t.ones(3, 5, 3).scatter(0, t.zeros(2, 2).long(), 1.0),
    ),
]
