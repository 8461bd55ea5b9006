"""Parameters that Backwards reach and no optimizer holds; a script may intend it."""

from __future__ import annotations

import pytest

from tests.core.diagnostics.facts.sent_loops import Loop, debug

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


def test_what_no_backward_reaches_is_not_asked_about():
    assert asked(train(network(), 8, reached=(DECODER,))) is None
