"""Parameters that Backwards reach and no optimizer holds; a script may intend it."""

from __future__ import annotations

import pytest

from tests.core.diagnostics.facts.sent_loops import NAMES, Loop, debug

ENCODER = ("net.encoder.weight", "net.encoder.bias")
DECODER = "net.decoder.weight"


def network(*others):
    """Return a script whose optimizer holds only the decoder."""
    loop = Loop(*ENCODER, DECODER, *others, held=(DECODER,))
    parts = (["encoder", "Linear", "", True], ["decoder", "Linear", "", True])
    loop.module("net", ["", "Net", "", True], *parts)
    return loop


def train(loop, times, *, reached=(*ENCODER, DECODER), after=lambda _: None):
    for iteration in range(times):
        loop.then(iteration).zero(names=(DECODER,)).call("net").backward(*reached)
        loop.step(held=(DECODER,))
        after(loop)
    return loop


def asked(loop, text=""):
    """Return the question about parameters that are left out; None if there is none."""
    loop.source("train.py", text)
    findings = {item.id: item for item in debug(loop).findings}
    assert "optimizer-orphan" not in findings
    return findings.get("parameters-left-out")


def test_after_five_steps_it_is_asked_whether_they_are_meant_to_stay():
    assert asked(train(network(), 4)) is None
    finding = asked(train(network(), 5))
    assert (finding.severity, finding.subjects) == ("question", ("net.encoder",))
    assert finding.question.intent == "untrained_parameters"
    assert "Backward #19 (train.py:7) gave net.encoder a gradient" in finding.detail
    assert "Step #20 (train.py:8) of optimizer updated only other parameters of net" in (
        finding.detail
    )


def test_what_a_module_has_beside_held_parameters_is_named_itself():
    loop = train(network("net.decoder.bias"), 6, reached=(*ENCODER, DECODER, "net.decoder.bias"))
    assert asked(loop).subjects == ("net.encoder", "net.decoder.bias")


def test_the_answer_makes_it_a_fact_or_nothing():
    debugger = debug(train(network(), 6))
    debugger.answer("untrained_parameters", is_intended=False)
    (finding,) = [item for item in debugger.findings if item.severity == "fact"]
    assert finding.id == "parameters-left-out"
    assert "Pass it to optimizer, too." in finding.remedy
    debugger.answer("untrained_parameters", is_intended=True)
    assert [item for item in debugger.findings if item.severity in {"fact", "question"}] == []


@pytest.mark.parametrize("intention", ["untrained_parameters", "frozen_backbone"])
def test_a_comment_says_that_it_is_intended(intention):
    assert asked(train(network(), 6), f"# gradstep: {intention}\n") is None


def test_what_is_updated_by_hand_is_trained():
    def update(loop):
        loop.by_hand("update", **{name: [1.0, 1.0] for name in ENCODER})

    assert asked(train(network(), 8, after=update)) is None


def test_what_another_optimizer_holds_is_trained_by_that():
    loop = network()
    loop.optimizer("other", "SGD", list(ENCODER), lr=1.0)
    assert asked(train(loop, 8)) is None


def test_another_optimizer_may_be_met_later():
    loop = train(network(), 3)
    loop.optimizer("other", "SGD", list(ENCODER), lr=1.0)
    assert asked(train(loop, 8)) is None


def test_another_network_is_not_asked_about():
    loop = network("teacher.weight")
    loop.module("teacher", ["", "Net", "", True])
    assert asked(train(loop, 8, reached=(DECODER, "teacher.weight"))) is None


CRITERION = "criterion.centers"
TEXT = """from torch.optim import SGD
model = Net()
criterion = CenterLoss()
optimizer = SGD(model.parameters(), lr=1.0)
for x, y in batches:
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
"""


def behind(*, centers="", training=True):
    """Return a script whose network is trained by a criterion with a parameter."""
    loop = Loop(CRITERION)
    modes = ["", "CenterLoss", "", training]
    loop.module("criterion", modes)
    loop.graph(
        "loss",
        (0, "SubBackward0", [1, 2], ""),
        (1, centers or "IndexBackward0", [3], ""),
        (2, "AddmmBackward0", [4, 5], ""),
        (3, "torch::autograd::AccumulateGrad", [], CRITERION),
        (4, "torch::autograd::AccumulateGrad", [], NAMES[0]),
        (5, "torch::autograd::AccumulateGrad", [], NAMES[1]),
    )
    return loop


def learn(loop, times, *, reached=(*NAMES, CRITERION), after=lambda _: None):
    for iteration in range(times):
        loop.then(iteration).zero().call().backward(*reached).step()
        after(loop)
    return loop


def test_a_criterion_that_no_optimizer_holds_is_asked_about():
    assert asked(learn(behind(), 4)) is None
    finding = asked(learn(behind(), 5))
    assert (finding.severity, finding.subjects) == ("question", ("criterion",))
    assert finding.detail == (
        "Backward #19 (train.py:7) gave criterion a gradient, and no optimizer holds it: Step #20 "
        "(train.py:8) of optimizer updated only parameters of model."
    )


def test_the_answer_that_a_criterion_was_to_be_trained_proposes_the_line_to_change():
    loop = learn(behind(), 5)
    loop.source("/home/ada/train.py", TEXT)
    debugger = debug(loop)
    debugger.answer("untrained_parameters", is_intended=False)
    (finding,) = debugger.findings
    assert finding.severity == "fact"
    assert "+optimizer = SGD([*model.parameters(), *criterion.parameters()], lr=1.0)" in (
        finding.edit.splitlines()
    )


def test_a_network_whose_output_is_only_compared_is_not_asked_about():
    assert asked(learn(behind(centers="AddmmBackward0"), 8)) is None


def test_a_network_in_evaluation_mode_is_not_asked_about():
    assert asked(learn(behind(training=False), 8)) is None


@pytest.mark.parametrize("call", ["zero_grad", "load_state_dict"])
def test_a_network_that_the_script_loads_or_clears_is_not_asked_about(call):
    loop = behind()
    suffix = ".grad" if call == "zero_grad" else ""
    loop.event(call, "criterion", 3, {f"{CRITERION}{suffix}": [0.0, 0.0]})
    assert asked(learn(loop, 8)) is None


def test_a_criterion_that_is_updated_by_hand_is_trained():
    def update(loop):
        loop.by_hand("update", criterion__centers=[1.0, 1.0])

    assert asked(learn(behind(), 8, after=update)) is None


def test_a_criterion_that_only_some_steps_leave_alone_is_not_asked_about():
    loop = behind()
    for _ in range(4):
        learn(loop, 3)
        learn(loop, 1, reached=NAMES)
        loop.grads.pop(CRITERION)
    assert asked(loop) is None


def test_several_steps_after_one_backward_count_once():
    loop = behind()
    others = [f"part{number}.weight" for number in range(6)]
    for number, name in enumerate(others):
        loop.tensor(name, [1.0, 2.0])
        loop.values[name] = loop.values[CRITERION]
        loop.module(f"part{number}", ["", "Linear", "", True])
        loop.optimizer(f"opt{number}", "SGD", [name], lr=1.0)
    for iteration in range(2):
        loop.then(iteration).zero(names=(*NAMES, *others)).call()
        loop.backward(*NAMES, CRITERION, *others).step()
        for number, name in enumerate(others):
            loop.step(f"opt{number}", (name,))
    assert asked(loop) is None


def test_a_script_with_the_parameters_of_a_criterion_may_make_their_optimizer_later():
    assert asked(learn(behind(), 8), "later = SGD(self.criterion.parameters())") is None
    assert asked(learn(behind(), 8), "later = SGD(self.model.parameters())") is not None


def test_what_no_backward_reaches_is_not_asked_about():
    assert asked(train(network(), 8, reached=(DECODER,))) is None
