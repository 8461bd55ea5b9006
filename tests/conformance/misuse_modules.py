"""Misuse of modules, losses and optimizers."""

from __future__ import annotations

from tests.conformance.misuse import Misuse, leaf


def assign_too_early(t):
    class Early(t.nn.Module):
        def __init__(self):
            self.layer = t.nn.Linear(1, 1)

    Early()


def load(t, **state):
    t.nn.Linear(1, 1).load_state_dict(state)


def load_shape(t):
    t.nn.Linear(1, 1).load_state_dict(t.nn.Linear(2, 1).state_dict())


def sgd(t, *args, **options):
    return t.optim.SGD(*(args or ([leaf(t, 1)],)), **options)


CASES = [
    Misuse(
        "a batch that does not fit",
        ValueError,
        "Expected input batch_size (2) to match target batch_size (3)",
        lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.ones(3).long()),
    ),
    Misuse(
        "a class that is not there",
        IndexError,
        "Target 5 is out of bounds",
        lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.tensor([0, 5])),
    ),
    Misuse(
        "a probability that is none",
        RuntimeError,
        "between 0 and 1",
        lambda t: t.nn.functional.binary_cross_entropy(t.tensor([2.0]), t.tensor([1.0])),
    ),
    Misuse(
        "no such reduction",
        ValueError,
        "is not a valid value for reduction",
        lambda t: t.nn.functional.mse_loss(t.ones(2), t.ones(2), reduction="avg"),
    ),
    Misuse(
        "a layer before the module",
        AttributeError,
        "cannot assign module before Module.__init__() call",
        assign_too_early,
    ),
    Misuse(
        "a tensor as parameter",
        TypeError,
        "cannot assign",
        lambda t: setattr(t.nn.Linear(1, 1), "weight", t.ones(1, 1)),
    ),
    Misuse(
        "a key that is missing",
        RuntimeError,
        "Missing key(s) in state_dict",
        lambda t: load(t, weight=t.ones(1, 1)),
    ),
    Misuse(
        "a key that is too much",
        RuntimeError,
        "Unexpected key(s) in state_dict",
        lambda t: load(t, weight=t.ones(1, 1), bias=t.ones(1), extra=t.ones(1)),
    ),
    Misuse("a state of another shape", RuntimeError, "size mismatch for weight", load_shape),
    Misuse(
        "nothing to optimize",
        ValueError,
        "optimizer got an empty parameter list",
        lambda t: sgd(t, [], lr=0.1),
    ),
    Misuse(
        "optimizing the middle",
        ValueError,
        "can't optimize a non-leaf Tensor",
        lambda t: sgd(t, [leaf(t, 1) * 2], lr=0.1),
    ),
    Misuse("a negative rate", ValueError, "Invalid learning rate: -1", lambda t: sgd(t, lr=-1)),
    Misuse(
        "nesterov alone",
        ValueError,
        "Nesterov momentum requires a momentum and zero dampening",
        lambda t: sgd(t, lr=1, nesterov=True),
    ),
    Misuse(
        "a beta of 2",
        ValueError,
        "Invalid beta parameter at index 0",
        lambda t: t.optim.Adam([leaf(t, 1)], betas=(2.0, 0.9)),
    ),
    Misuse(
        "a tensor to optimize",
        TypeError,
        "iterable of Tensors or dicts",
        lambda t: sgd(t, leaf(t, 1), lr=0.1),
    ),
    Misuse(
        "bounds the wrong way round", AssertionError, "max_val (-1)", lambda t: t.nn.Hardtanh(1, -1)
    ),
    Misuse(
        "padding that is no row",
        AssertionError,
        "Padding_idx must be within num_embeddings",
        lambda t: t.nn.Embedding(3, 2, padding_idx=5),
    ),
    Misuse(
        "an embedding that is no matrix",
        AssertionError,
        "Embeddings parameter is expected to be 2-dimensional",
        lambda t: t.nn.Embedding.from_pretrained(t.ones(3)),
    ),
    Misuse(
        "a cell of no such activation",
        RuntimeError,
        "Unknown nonlinearity: foo",
        lambda t: t.nn.RNNCell(2, 3, nonlinearity="foo")(t.ones(1, 2)),
    ),
    Misuse(
        "a network of no such activation",
        ValueError,
        "Unknown nonlinearity 'foo'",
        lambda t: t.nn.RNN(2, 3, nonlinearity="foo"),
    ),
    Misuse(
        "a projection that is too wide",
        ValueError,
        "proj_size has to be smaller than hidden_size",
        lambda t: t.nn.LSTM(2, 3, proj_size=3),
    ),
    Misuse(
        "a projection of a GRU",
        ValueError,
        "proj_size argument is only supported for LSTM",
        lambda t: t.nn.GRU(2, 3, proj_size=1),
    ),
    Misuse("a size that is no number", TypeError, "'a'", lambda t: t.nn.Linear("a", 3)),
    Misuse("a negative size", RuntimeError, "negative dimension -1", lambda t: t.nn.Linear(-1, 3)),
    Misuse(
        "a list as input", TypeError, "must be Tensor, not list", lambda t: t.nn.Linear(2, 3)([1.0])
    ),
    Misuse(
        "an approximation that is none",
        RuntimeError,
        "approximate argument must be either none or tanh",
        lambda t: t.nn.GELU("foo")(t.ones(2)),
    ),
    Misuse(
        "a name with a dot",
        KeyError,
        "module name can't contain",
        lambda t: t.nn.ModuleDict({"a.b": t.nn.ReLU()}),
    ),
    Misuse(
        "a parameter without a name",
        KeyError,
        "parameter name can't be empty string",
        lambda t: t.nn.Module().register_parameter("", None),
    ),
    Misuse(
        "a state that is no tensor",
        RuntimeError,
        'While copying the parameter named "weight"',
        lambda t: t.nn.Linear(1, 1).load_state_dict({"weight": "a", "bias": t.ones(1)}),
    ),
    Misuse(
        "too much smoothing",
        RuntimeError,
        "label_smoothing must be between 0.0 and 1.0",
        lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.tensor([0, 1]), label_smoothing=2),
    ),
    Misuse(
        "classes of a short type",
        RuntimeError,
        "expected target dtype to be Long or Byte",
        lambda t: t.nn.functional.nll_loss(t.ones(2, 3), t.tensor([0, 1], dtype=t.int32)),
    ),
    Misuse(
        "two classes for one row of scores",
        ValueError,
        "1D target must have size 1",
        lambda t: t.nn.functional.nll_loss(t.ones(3), t.tensor([0, 1])),
    ),
    Misuse(
        "whole numbers as probabilities",
        RuntimeError,
        "Found dtype",
        lambda t: t.nn.functional.binary_cross_entropy(t.ones(2), t.ones(2).long()),
    ),
    Misuse(
        "a range the wrong way round",
        RuntimeError,
        "uniform_ expects",
        lambda t: t.nn.init.uniform_(t.ones(2), 2, 1),
    ),
    Misuse(
        "a negative deviation",
        RuntimeError,
        "expects std >= 0.0, but found std -1",
        lambda t: t.nn.init.normal_(t.ones(2), 0, -1),
    ),
    Misuse(
        "a vector that is too short",
        RuntimeError,
        "[1]",
        lambda t: t.nn.utils.vector_to_parameters(t.ones(1), [t.ones(2)]),
    ),
    Misuse(
        "vectors that cannot be compared",
        RuntimeError,
        "must match the size of tensor b (4)",
        lambda t: t.nn.functional.cosine_similarity(t.ones(2, 3), t.ones(2, 4)),
    ),
    Misuse(
        "rows that are not as many",
        AssertionError,
        "Size mismatch between tensors",
        lambda t: t.utils.data.TensorDataset(t.ones(2), t.ones(3)),
    ),
    Misuse(
        "fewer than no workers",
        ValueError,
        "num_workers option should be non-negative",
        lambda t: t.utils.data.DataLoader([1, 2], num_workers=-1),
    ),
    Misuse(
        "nothing to shuffle",
        ValueError,
        "num_samples should be a positive integer value",
        lambda t: t.utils.data.DataLoader([], shuffle=True),
    ),
]
