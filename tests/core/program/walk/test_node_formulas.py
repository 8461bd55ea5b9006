"""Formulas of nodes: evaluated, they give the results and gradients of the engine."""

import importlib
import pkgutil

import numpy as np
import pytest

import gradstep
import gradstep_torch
from gradstep import nn
from gradstep.autograd.engine import Visit, visits
from gradstep.autograd.graph import AccumulateGrad, Node
from gradstep.program.walk.forward import saved_values
from gradstep.program.walk.node_formulas import (
    backward_rule,
    forward_rule,
    gradient_rules,
    input_names,
    operand,
)
from gradstep_torch.nn import functional
from tests.core.formulas import evaluate


def kinds(base=Node):
    for kind in base.__subclasses__():
        yield kind
        yield from kinds(kind)


for package in (gradstep, gradstep_torch):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if module.name.startswith(("gradstep.autograd", "gradstep.nn", "gradstep_torch.ops")):
            importlib.import_module(module.name)

RECORDED = sorted(
    {
        kind
        for kind in kinds()
        if kind.__module__.startswith(("gradstep.", "gradstep_torch."))
        and not kind.__name__.startswith("_")
        and kind is not AccumulateGrad
        and not kind.__module__.startswith("gradstep.script.")  # they stand for torch's own
    },
    key=lambda kind: (kind.__module__, kind.__name__),
)


@pytest.mark.parametrize("kind", RECORDED, ids=lambda kind: kind.__name__)
def test_every_node_has_a_docstring_and_a_rule_for_each_input(kind):
    parts = [part.split(": ") for part in kind.rule.split("; ")]
    assert all(len(part) == 2 and all(part) for part in parts)
    assert kind.__doc__


def test_the_rules_of_all_node_classes_are_tested():
    assert len(RECORDED) > 170


RNG = np.random.default_rng(0)


def given(*shape):
    return gradstep.tensor(RNG.uniform(0.2, 0.9, shape), requires_grad=True)


def results():
    """Give results of operations whose rules are arithmetic."""
    x, y, m, n = given(4), given(4), given(3, 4), given(4, 2)
    unary = ["tanh", "sigmoid", "relu", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p"]
    unary += ["sqrt", "rsqrt", "reciprocal", "abs", "square", "neg", "sin", "cos", "tan", "sinh"]
    unary += ["cosh", "asin", "acos", "atan", "erf", "sum", "mean", "sign", "floor", "clone"]
    yield from ((name, getattr(x, name)()) for name in unary)
    yield "softmax", x.softmax(0)
    yield "log_softmax", x.log_softmax(0)
    yield "add", x + y
    yield "sub", x - y
    yield "rsub", 1 - x
    yield "mul", x * y
    yield "div", x / y
    yield "broadcast mul", m * x
    yield "pow", x**3
    yield "pow tensor", x**y
    yield "mm", m @ n
    yield "mv", m @ x
    yield "dot", x @ y
    yield "linear", functional.linear(m, n.detach().t().contiguous().requires_grad_(), given(2))
    yield "t", m.t()
    yield "hardswish", functional.hardswish(x * 4)
    yield "silu", functional.silu(x)
    yield "mish", functional.mish(x)
    yield "logsigmoid", functional.logsigmoid(x)
    yield "logsumexp", x.logsumexp(0)
    yield "number / x", 3 / x
    yield "number ** x", 3**x
    yield "mean over rows", m.mean(1, keepdim=True)
    yield "std", x.std()
    yield "var", x.var()
    yield "leaky relu", functional.leaky_relu(x - 0.5, 0.1)
    yield "elu", functional.elu(x - 0.5, 0.7)
    yield "softplus", functional.softplus(x, 3.0, 1.5)
    yield "dropout", functional.dropout(x, 0.5)
    weight = given(4).detach()
    for reduction in ("sum", "mean", "none"):
        for kind in (nn.MSELoss, nn.L1Loss, nn.SmoothL1Loss, nn.HuberLoss, nn.BCELoss):
            yield f"{kind.__name__} {reduction}", kind(reduction=reduction)(x, y)
        yield f"logits {reduction}", nn.BCEWithLogitsLoss(reduction=reduction)(x, y)
    yield "huber", nn.HuberLoss(delta=0.1)(x, y)
    yield "smooth l1", nn.SmoothL1Loss(beta=0.1)(x, y)
    yield "bce with weight", nn.BCELoss(weight)(x, y)
    yield "logits with weight", nn.BCEWithLogitsLoss(weight)(x, y)
    yield "logits with pos_weight", nn.BCEWithLogitsLoss(pos_weight=weight)(x, y)
    yield "logits with both", nn.BCEWithLogitsLoss(weight, pos_weight=2 * weight)(x, y)


@pytest.mark.parametrize(("name", "out"), [pytest.param(*case, id=case[0]) for case in results()])
def test_gradient_rules_evaluate_to_the_gradients_of_the_engine(name, out):
    node = out.grad_fn
    saved = saved_values(node, node.saved)
    visit = next(iter(visits([out], [gradstep.tensor(RNG.normal(size=out.shape))])))
    assert isinstance(visit, Visit)
    assert visit.node is node
    rules = gradient_rules(node)
    places = input_names(node)
    numbers = {places[place]: operand(node, place, value)[1] for place, value in saved.items()}
    numbers |= {"grad": visit.incoming, "pi": np.pi}
    numbers |= {key: value for key, value in node.constants().items() if value is not None}
    for rule, value in zip(rules.values(), visit.outgoing, strict=False):
        if value is not None:
            assert rule.names, rule.text
            computed = evaluate(rule, numbers)
            while np.ndim(computed) > value.ndim:
                computed = computed.sum(0)
            np.testing.assert_allclose(np.broadcast_to(computed, value.shape), value, rtol=1e-6)


def saved_numbers(node):
    """Return what a node has kept of the numbers that its formula reads."""
    names = input_names(node)
    saved = saved_values(node, node.saved).items()
    constants = {key: value for key, value in node.constants().items() if value is not None}
    return {names[place]: value for place, value in saved if place >= 0} | constants


KNOWN = [
    pytest.param(out, id=name)
    for name, out in results()
    if (read := set(forward_rule(out.grad_fn).names)) and read <= set(saved_numbers(out.grad_fn))
]
"""Results whose formula is arithmetic, and whose inputs were kept."""


@pytest.mark.parametrize("out", KNOWN)
def test_forward_formulas_evaluate_to_the_results_of_the_operation(out):
    node = out.grad_fn
    computed = evaluate(forward_rule(node), saved_numbers(node))
    np.testing.assert_allclose(computed, out.detach().numpy(), rtol=1e-6)


def test_most_operations_that_save_their_inputs_have_a_formula():
    assert len(KNOWN) > 30


def test_the_formula_of_a_loss_includes_its_reduction():
    x, y = given(3), given(3)
    texts = [
        forward_rule(nn.MSELoss(reduction=reduction)(x, y).grad_fn).text
        for reduction in ("none", "sum", "mean")
    ]
    terms = "(input - target) ** 2"
    assert texts == [terms, f"sum({terms})", f"mean({terms})"]


def test_a_rule_omits_inputs_that_need_no_gradient():
    x = given(2)
    assert backward_rule((x * 2).grad_fn).text == "input: grad * other"
    assert backward_rule((gradstep.ones(2) * x).grad_fn).text == "other: grad * input"
    assert backward_rule((x + x).grad_fn).text == "input: grad; other: grad"


def test_a_rule_in_prose_has_no_latex():
    node = given(3)[1].grad_fn
    assert backward_rule(node).latex == ""
    assert backward_rule(node).text == "input: grad at the chosen places, 0 elsewhere"
    assert forward_rule(node).text == "A view of one entry"
