"""The layer that a criterion is applied to, in graphs as PyTorch records them."""

import pytest

from gradstep.script.criterion_input import criterion_and_layer


def graph(*names):
    """Return a graph of nodes one behind the other, from the loss to a leaf."""
    kinds = [f"{name}Backward0" for name in names]
    return (*((kind, (at + 1,), "") for at, kind in enumerate(kinds)), ("AccumulateGrad", (), "w"))


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("NllLoss", "LogSoftmax", "Softmax"), ("CrossEntropyLoss", "Softmax")),
        (("Div", "NllLoss", "LogSoftmax", "Relu"), ("CrossEntropyLoss", "ReLU")),
        (("NllLoss2D", "LogSoftmax", "View", "Sigmoid"), ("CrossEntropyLoss", "Sigmoid")),
        (("NllLoss", "LogSoftmax", "ToCopy", "Softmax"), ("CrossEntropyLoss", "Softmax")),
        (("NllLoss", "LogSoftmax", "Addmm"), None),
        (("NllLoss", "Log", "Softmax"), None),
        (("NllLoss", "Addmm"), ("NLLLoss", "Linear")),
        (("BinaryCrossEntropyWithLogits", "Squeeze", "Addmm"), ("BCEWithLogitsLoss", "Linear")),
        (("BinaryCrossEntropyWithLogits", "Sigmoid"), ("BCEWithLogitsLoss", "Sigmoid")),
        (("BinaryCrossEntropy", "Sigmoid"), ("BCELoss", "Sigmoid")),
        (("MseLoss", "Softmax"), None),
        (("Mean", "Softmax", "Bmm"), None),
        ((), None),
    ],
)
def test_the_first_criterion_and_what_its_input_comes_from(names, expected):
    assert criterion_and_layer(graph(*names)) == expected


def test_a_criterion_without_a_graph_below_it_is_none():
    assert criterion_and_layer((("NllLossBackward0", (), ""),)) is None
    assert criterion_and_layer(()) is None
