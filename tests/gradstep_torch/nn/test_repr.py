"""Modules print as torch's do, and losses and layers have torch's defaults."""

import pytest

import gradstep_torch

MODULES = [
    ("Linear", (3, 2), {}),
    ("Linear", (3, 2), {"bias": False}),
    ("Identity", (), {}),
    ("Dropout", (), {}),
    ("Dropout", (0.2,), {"inplace": True}),
    ("Dropout2d", (0.2,), {}),
    ("Embedding", (5, 3), {}),
    ("Embedding", (5, 3), {"padding_idx": 0}),
    ("Flatten", (), {}),
    ("Unflatten", (1, (2, 3)), {}),
    ("Conv1d", (3, 4, 5), {"padding": 2}),
    ("Conv2d", (3, 4, 5), {}),
    ("Conv2d", (4, 8, 3), {"stride": 2, "padding": 1, "dilation": 2, "groups": 2, "bias": False}),
    ("ConvTranspose2d", (3, 4, 5), {"stride": 2, "output_padding": 1}),
    ("MaxPool1d", (2,), {}),
    ("MaxPool2d", (2,), {"stride": 1, "padding": 1, "ceil_mode": True}),
    ("AvgPool2d", (3,), {}),
    ("AdaptiveAvgPool2d", ((1, 1),), {}),
    ("BatchNorm1d", (3,), {}),
    ("BatchNorm2d", (3,), {"affine": False, "momentum": None}),
    ("LayerNorm", ((3, 2),), {}),
    ("GroupNorm", (2, 4), {}),
    ("RNN", (3, 2), {}),
    ("LSTM", (3, 2, 2), {"batch_first": True, "bidirectional": True}),
    ("GRU", (3, 2), {"dropout": 0.0, "bias": False}),
    ("LSTMCell", (3, 2), {}),
    ("RNNCell", (3, 2), {"nonlinearity": "relu"}),
    ("ReLU", (), {"inplace": True}),
    ("LeakyReLU", (0.1,), {}),
    ("ELU", (), {}),
    ("GELU", (), {"approximate": "tanh"}),
    ("Softmax", (), {"dim": 1}),
    ("LogSoftmax", (-1,), {}),
    ("Softplus", (), {}),
    ("SiLU", (), {}),
    ("Sigmoid", (), {}),
    ("Tanh", (), {}),
    ("PReLU", (), {}),
    ("Hardtanh", (), {}),
    ("Threshold", (0.1, 20), {}),
    ("GLU", (), {}),
    ("MSELoss", (), {}),
    ("L1Loss", (), {}),
    ("SmoothL1Loss", (), {}),
    ("HuberLoss", (), {}),
    ("CrossEntropyLoss", (), {}),
    ("NLLLoss", (), {}),
    ("BCELoss", (), {}),
    ("BCEWithLogitsLoss", (), {}),
    ("KLDivLoss", (), {}),
    ("MarginRankingLoss", (), {}),
    ("CosineSimilarity", (), {}),
]
IDS = [f"{name}-{number}" for number, (name, _, _) in enumerate(MODULES)]


@pytest.mark.torch
@pytest.mark.parametrize(("name", "args", "options"), MODULES, ids=IDS)
def test_a_module_has_the_same_repr_as_in_torch(name, args, options):
    torch = pytest.importorskip("torch")
    ours, theirs = (
        getattr(library.nn, name)(*args, **options) for library in (gradstep_torch, torch)
    )
    assert repr(ours) == repr(theirs)
    assert list(ours.state_dict()) == list(theirs.state_dict())
    assert ours.training == theirs.training


@pytest.mark.torch
def test_nested_and_repeated_modules_have_the_same_repr_as_in_torch():
    torch = pytest.importorskip("torch")
    printed = []
    for library in (gradstep_torch, torch):
        nn = library.nn
        printed.append(
            repr(
                nn.Sequential(
                    nn.Linear(2, 2),
                    nn.ModuleList([nn.ReLU() for _ in range(3)]),
                    nn.ModuleDict({"a": nn.Linear(1, 1), "b": nn.Sequential()}),
                )
            )
        )
    assert printed[0] == printed[1]


def test_a_layer_prints_its_sizes():
    assert (
        repr(gradstep_torch.nn.Linear(3, 2)) == "Linear(in_features=3, out_features=2, bias=True)"
    )
