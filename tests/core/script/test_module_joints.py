"""Which modules are applied to what others give, in graphs as PyTorch records them."""

from __future__ import annotations

import pytest

from gradstep.script.module_joints import applied_modules

MODULES = ("net", "other")


def leaf(name):
    return ("AccumulateGrad", (), name)


def graph(joint, *chain, behind="AddmmBackward0"):
    """Return a graph in which what is computed from `other.w` meets what `net` gives.

    Args:
        joint: The node where they meet.
        chain: The nodes between it and `other.w`.
        behind: The node that computes the output of `net`.
    """
    nodes = [(joint, (1, 2 + len(chain)), "")]
    nodes += [(name, (2 + at,), "") for at, name in enumerate(chain)]
    last = len(nodes)
    return (*nodes, leaf("other.w"), (behind, (last + 2,), ""), leaf("net.0.w"))


@pytest.mark.parametrize(
    ("chain", "expected"),
    [
        ((), [("other", "net")]),
        (("TBackward0",), [("other", "net")]),
        (("ExpBackward0", "NegBackward0"), [("other", "net")]),
        (("AddmmBackward0",), []),
        (("SoftmaxBackward0", "MmBackward0"), []),
        (("ConvolutionBackward0",), []),
        (("NativeBatchNormBackward0",), []),
    ],
)
def test_a_module_is_applied_where_its_own_parameter_meets_an_output(chain, expected):
    assert applied_modules(graph("MulBackward0", *chain), MODULES) == expected


def test_a_normalized_parameter_meets_an_output_as_well():
    nodes = (
        ("MmBackward0", (1, 5), ""),
        ("DivBackward0", (2, 3), ""),
        ("ClampMinBackward0", (3,), ""),
        *(leaf("other.w"), leaf("other.v"), ("AddmmBackward0", (6,), ""), leaf("net.w")),
    )
    assert applied_modules(nodes, MODULES) == [("other", "net")]


@pytest.mark.parametrize("modules", [(), ("net",), ("other",), ("ne", "othe")])
def test_what_belongs_to_no_module_is_left_out(modules):
    assert applied_modules(graph("MulBackward0"), modules) == []


def test_the_parameters_of_two_modules_that_meet_each_other_are_applied_to_nothing():
    assert applied_modules(graph("MulBackward0", behind="ExpBackward0"), MODULES) == []


def test_a_loss_without_a_graph_has_no_modules():
    assert applied_modules((), MODULES) == []
