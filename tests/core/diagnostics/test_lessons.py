"""What the lessons of the scenarios say that one will see is what one sees."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.program.document.codec import decode
from gradstep.program.gallery import scenarios
from gradstep.program.operation import Backward, Forward, Freeze, LoadState, SetMode


@pytest.fixture
def lesson():
    """Open the scenario whose id begins with a number."""

    def opened(number):
        return Debugger.open(next(item.path for item in scenarios() if item.id.startswith(number)))

    return opened


def losses(debugger, name=None):
    return [
        event.loss
        for event in debugger.events
        if event.loss is not None and name in {None, event.operation.loss}
    ]


def facts(debugger):
    return {item.id for item in debugger.findings if item.severity == "fact"}


def remedied(debugger, name):
    """Look at the branch on which the remedy of a finding was tried."""
    finding = next(item for item in debugger.findings if item.id == name)
    edits = debugger.remedies(finding)[0].edits
    branch = debugger.what_if(**edits.arguments())
    debugger.checkout(branch)


def test_a_second_backward(lesson):
    dbg = lesson("09")
    dbg.forward()
    dbg.backward()
    assert dbg.snapshot.parameters["x"].grad.tolist() == [2, 4]
    assert "second time" in dbg.backward().outcome.message
    dbg.zero_grad()
    dbg.forward()
    dbg.backward(retain_graph=True)
    dbg.backward(retain_graph=True)
    assert dbg.snapshot.parameters["x"].grad.tolist() == [4, 8]
    dbg.step()
    dbg.forward()
    assert "graph-retained" in facts(dbg)


def test_a_loss_that_needs_no_gradient(lesson):
    dbg = lesson("10")
    dbg.apply(Freeze("model.*"))
    dbg.zero_grad()
    dbg.forward("loss")
    assert "element 0 of tensors" in dbg.backward("loss").outcome.message
    dbg.forward("cured")
    assert dbg.backward("cured").outcome.ok
    gradients = {name: item.grad for name, item in dbg.snapshot.parameters.items()}
    assert gradients == {"cure": 1, "model.0.weight": None, "model.0.bias": None}
    assert facts(dbg) == {"not-connected"}
    assert "nothing to step" in dbg.step().outcome.message
    dbg.apply(Freeze("model.*", frozen=False))
    assert not dbg.backward("loss").outcome.ok  # it was computed while the model was frozen
    dbg.forward("loss")
    dbg.backward("loss")
    assert dbg.step().outcome.message == ""


def test_a_step_between_forward_and_backward(lesson):
    dbg = lesson("11")
    dbg.forward("loss_a")
    dbg.forward("loss_b")
    dbg.backward("loss_a")
    dbg.step("optimizer_a")
    message = dbg.backward("loss_b").outcome.message
    assert "is at version 2; expected version 1" in message
    assert facts(dbg) == {"inplace-after-save"}


def test_the_scheduler_steps_first(lesson):
    dbg = lesson("12")
    dbg.iterate(1)
    assert dbg.events[0].outcome.message.startswith("lr 0.5 -> 0.4")
    assert dbg.snapshot.parameters["x"].data == pytest.approx([0.8, -0.6])
    dbg.iterate(9)
    dbg.checkout(dbg.what_if(skip=(1,)))
    assert losses(dbg)[:3] == [25, 0, 0]
    assert facts(dbg) == set()


def test_accumulation_without_scale(lesson):
    dbg = lesson("13")
    dbg.iterate(40)
    assert losses(dbg)[-1] > 1e6
    dbg.checkout(dbg.what_if(at=1, set={"optimizer.lr": 0.0375}))
    assert dbg.snapshot.parameters["model.0.weight"].data == pytest.approx(2, abs=1e-4)
    dbg = lesson("13")
    dbg.iterate(6)
    dbg.step()
    (fact,) = dbg.findings
    assert "4 batches of loss, not divided: 4 times their mean" in fact.detail
    assert fact.events[-3:] == (12, 14, 15)


def test_resume_from_a_checkpoint(lesson):
    dbg = lesson("14")
    dbg.iterate(20)
    first = losses(dbg)
    dbg.apply(LoadState(40, ("modules",)))
    dbg.iterate(10)
    assert losses(dbg)[20] == pytest.approx(0.279, abs=5e-4)
    assert first[10] == pytest.approx(0.379, abs=5e-4)
    (fact,) = dbg.findings
    assert "the state of the optimizers and the random generator" in fact.detail
    dbg.seek(80)
    dbg.apply(LoadState(40))
    dbg.iterate(10)
    assert losses(dbg)[20:] == first[10:]
    assert facts(dbg) == set()


def test_left_in_evaluation_mode(lesson):
    dbg = lesson("15")
    dbg.iterate(4)
    assert facts(dbg) == set()
    dbg.iterate(96)
    assert losses(dbg, "held_out")[-1] == pytest.approx(0.5, abs=0.05)
    remedied(dbg, "mode-left-eval")
    assert losses(dbg, "held_out")[-1] == pytest.approx(0.04, abs=0.005)
    assert facts(dbg) == set()
    dbg.apply(SetMode(training=True, module="model"))
    dbg.forward("held_out")
    assert facts(dbg) == {"mode-left-train"}


def test_frozen_and_moving(lesson):
    dbg = lesson("16")
    dbg.iterate(10)
    dbg.apply(Freeze("trunk.*"))
    frozen = dbg.event.index
    dbg.iterate(1)
    assert not dbg.snapshot.parameters["trunk.0.weight"].grad.any()
    assert (
        "101 % momentum memory (102 % loss, -1 % weight decay; last 10 steps), -1 % weight decay"
        in dbg.explain("trunk.0.weight").sentence
    )
    assert "frozen-but-moved" in facts(dbg)
    dbg.seek(frozen)
    still = dbg.snapshot.parameters["trunk.0.weight"].data.copy()
    for press in (dbg.zero_grad, dbg.forward, dbg.backward, dbg.step):
        press()
    assert np.array_equal(dbg.snapshot.parameters["trunk.0.weight"].data, still)
    assert facts(dbg) == set()


def test_clipping_too_late(lesson):
    dbg = lesson("17")
    dbg.iterate(1)
    assert dbg.event.outcome.message == "the total norm was 108, now 1"
    assert dbg.snapshot.parameters["x"].data == pytest.approx([-5.64])
    dbg.iterate(4)
    assert losses(dbg) == pytest.approx([81, 1012, 7.18e6, 3.87e18, np.inf], rel=1e-2)
    remedied(dbg, "clip-after-step")
    assert losses(dbg)[:4] == pytest.approx([81, 73, 65, 58], abs=0.5)
    assert facts(dbg) == set()


def test_gradients_in_between(lesson):
    dbg = lesson("18")
    dbg.zero_grad()
    dbg.forward()
    dbg.backward()
    parameters = dbg.snapshot.parameters
    assert parameters["w"].grad == pytest.approx([-0.429, -0.643], abs=5e-4)
    assert parameters["b"].grad == pytest.approx(-0.214, abs=5e-4)
    assert parameters["x"].grad is None


def test_adam_remembers(lesson):
    dbg = lesson("19")
    dbg.iterate(1)
    assert dbg.snapshot.parameters["x"].data == pytest.approx([3.9, -0.06])
    dbg.iterate(39)
    last = dbg.event.index
    dbg.seek(last - 1)
    before = dbg.snapshot.parameters["x"].data
    dbg.checkout(dbg.what_if(at=last, set={"optimizer.kind": "Adam"}))
    after = dbg.snapshot.parameters["x"]
    assert np.abs(after.data - before) == pytest.approx(0.1, rel=1e-3)
    assert after.state["step"] == 1


def test_a_running_total(lesson):
    dbg = lesson("20")
    dbg.iterate(40)
    total = dbg.snapshot.parameters["running_loss"].data
    assert total == pytest.approx(sum(losses(dbg)), rel=1e-5)
    messages = [event.outcome.message for event in dbg.events if "alive" in event.outcome.message]
    assert messages[0].endswith("keeps 1 graph alive (7 nodes)")
    assert messages[1].endswith("keeps 2 graphs alive (14 nodes)")
    assert messages[-1].endswith("keeps 40 graphs alive (280 nodes)")
    (finding,) = dbg.findings
    assert (finding.id, finding.count, finding.last) == ("total-keeps-graphs", 39, 200)
    remedied(dbg, "total-keeps-graphs")
    assert dbg.snapshot.parameters["running_loss"].data == total
    assert dbg.findings == ()
    assert "loss was added to running_loss" in dbg.explain("running_loss").sentence


def test_epochs_and_accuracy(lesson):
    dbg = lesson("21")
    dbg.iterate(20)
    assert dbg.event.operation == Forward("accuracy")
    assert dbg.event.loss * 160 == pytest.approx(147)
    assert len(dbg.program.batches["accuracy"].rows) == 160
    written = dbg.history.log.reads_writes(dbg.event.index).writes
    assert written == ("accuracy",)
    other = lesson("21")
    other.iterate(20)
    assert not other.apply(Backward("accuracy")).outcome.ok
    dbg.break_when("accuracy > 0.95")
    dbg.run()
    assert (dbg.program.iteration, dbg.program.epoch) == (40, 2)
    assert dbg.event.loss == pytest.approx(0.969, abs=5e-4)
    dbg.run()
    assert (dbg.program.iteration, dbg.program.epoch) == (80, 4)
    dbg.break_when('since_best("accuracy") >= 3')
    dbg.run()
    assert (dbg.program.iteration, dbg.program.epoch) == (100, 5)
    assert dbg.findings == ()


def grad_norm(debugger, name):
    return np.linalg.norm(debugger.snapshot.parameters[name].grad)


def test_gan(lesson):
    dbg = lesson("22")
    dbg.iterate(2)
    dbg.seek(3)
    assert dbg.snapshot.parameters["generator.0.weight"].grad is None
    after_d_loss = grad_norm(dbg, "discriminator.0.weight")
    dbg.seek(7)
    assert grad_norm(dbg, "generator.0.weight") > 0
    assert grad_norm(dbg, "discriminator.0.weight") != after_d_loss
    dbg.seek(11)
    assert grad_norm(dbg, "discriminator.0.weight") == pytest.approx(0.493, abs=5e-4)
    dbg.seek(16)
    dbg.checkout(dbg.what_if(skip=[9]))
    assert facts(dbg) == {"grad-accumulated", "grad-reused"}
    dbg.seek(11)
    assert grad_norm(dbg, "discriminator.0.weight") == pytest.approx(1.102, abs=5e-4)


def test_the_whole_run_of_the_gan_has_no_finding(lesson):
    dbg = lesson("22")
    dbg.iterate(dbg.program.spec.iterations)
    assert dbg.findings == ()
    assert losses(dbg, "d_loss")[-1] == pytest.approx(2 * np.log(2), abs=1e-3)
    assert losses(dbg, "center")[-1] == pytest.approx(2.99, abs=5e-3)
    assert losses(dbg, "spread")[-1] == pytest.approx(0.2, abs=5e-3)
    spec = dbg.program.spec
    path = next(item.path for item in scenarios() if item.id.startswith("22"))
    silent = json.loads(path.read_text("utf-8"))
    del silent["intent"]
    other = Debugger(decode(json.dumps(silent).encode()))
    other.iterate(spec.iterations)
    assert other.findings == ()


@pytest.mark.parametrize("zero_grad_first", [False, True])
def test_a_forgotten_detach_matters_where_zero_grad_comes_first(lesson, zero_grad_first):
    path = next(item.path for item in scenarios() if item.id.startswith("22"))
    document = json.loads(path.read_text("utf-8"))
    made = document["losses"]["d_loss"]["expression"]
    document["losses"]["d_loss"]["expression"] = made.replace(
        "detach(generator(randn_like(input)))", "generator(randn_like(input))"
    )
    if zero_grad_first:
        document["loop"].insert(0, document["loop"].pop(4))
    changed, right = Debugger(decode(json.dumps(document).encode())), lesson("22")
    changed.iterate(20)
    right.iterate(20)
    assert (losses(changed) == losses(right)) is not zero_grad_first


def test_a_generator_that_is_detached_in_its_own_loss_gets_no_step():
    path = next(item.path for item in scenarios() if item.id.startswith("22"))
    document = json.loads(path.read_text("utf-8"))
    made = document["losses"]["g_loss"]["expression"]
    document["losses"]["g_loss"]["expression"] = made.replace(
        "generator(randn_like(input))", "detach(generator(randn_like(input)))"
    )
    dbg = Debugger(decode(json.dumps(document).encode()))
    dbg.iterate(3)
    assert "step-without-grad" in facts(dbg)
