"""Export of Steps with a closure: the source, and the losses on torch."""

import itertools
import json

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.errors import UnsupportedError
from gradstep.program.document.codec import decode
from gradstep.program.operation import ReplaceOptimizer, SetHyperparameter, Step
from gradstep.program.torch_export.export import RecordedOperation, export_script, export_test

NET = {
    "gradstep": 1,
    "seed": 3,
    "dtype": "float64",
    "data": {"a": {"kind": "moons", "samples": 40, "noise": 0.1, "batch_size": 7, "shuffle": True}},
    "modules": {
        "net": [
            {"kind": "Linear", "in_features": 2, "out_features": 8},
            {"kind": "Tanh"},
            {"kind": "Linear", "in_features": 8, "out_features": 1},
        ]
    },
    "losses": {"loss": {"data": "a", "chain": ["net"], "criterion": {"kind": "BCEWithLogitsLoss"}}},
    "optimizers": {"lbfgs": {"kind": "LBFGS", "params": ["net.*"], "lr": 0.3, "max_iter": 5}},
}


def opened(**changes):
    return Debugger(decode(json.dumps({**json.loads(json.dumps(NET)), **changes}).encode()))


@pytest.fixture
def torch():
    """Torch, whose default dtype the scripts change."""
    torch = pytest.importorskip("torch")
    before = torch.get_default_dtype()
    yield torch
    torch.set_default_dtype(before)


def recorded(dbg):
    return [RecordedOperation(item.operation, item.loss, item.index) for item in dbg.events]


def alone(dbg):
    dbg.iterate(4)


def after_forward(dbg):
    dbg.forward()
    dbg.step()
    dbg.step()
    dbg.forward()
    dbg.backward()
    dbg.step()
    dbg.apply(Step("lbfgs", "held"))


def became_one(dbg):
    dbg.apply(ReplaceOptimizer("SGD", "lbfgs", {"lr": 0.1}))
    for _ in range(2):
        dbg.zero_grad()
        dbg.forward()
        dbg.backward()
        dbg.step()
    dbg.apply(ReplaceOptimizer("LBFGS", "lbfgs", {"lr": 0.5, "max_iter": 3}))
    dbg.apply(SetHyperparameter("max_iter", 2, "lbfgs"))
    dbg.iterate(2)


TWO = {
    **NET["losses"],
    "size": {"expression": "0.01 * sum(square(tensor('net.0.weight')))"},
}


@pytest.mark.torch
@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("script", [alone, after_forward, became_one])
@pytest.mark.parametrize("losses", [NET["losses"], TWO], ids=["one loss", "two losses"])
@pytest.mark.parametrize("line_search", [None, "strong_wolfe"])
def test_torch_computes_the_recorded_losses(script, losses, line_search):
    optimizer = {**NET["optimizers"]["lbfgs"], "line_search_fn": line_search}
    dbg = opened(losses=losses, optimizers={"lbfgs": optimizer})
    script(dbg)
    names = {"__name__": "exported"}
    exec(compile(export_test(dbg.program, recorded(dbg)), "exported", "exec"), names)
    found = list(itertools.islice(names["measurements"](), len(names["RECORDED"])))
    assert [name for name, _ in found] == [name for name, _ in names["RECORDED"]]
    assert len(found) >= 4
    np.testing.assert_allclose(
        [value for _, value in found], [value for _, value in names["RECORDED"]], rtol=1e-6
    )
    names["test_torch_gives_the_recorded_values"]()


def test_a_step_is_exported_with_its_closure_and_returned_loss():
    script = export_script(opened().program)
    assert (
        "for iteration in range(100):\n"
        "    loss_rows = next(a_batches)\n"
        "\n"
        "    def closure():\n"
        "        lbfgs.zero_grad()\n"
        "        inputs = a_inputs[loss_rows]\n"
        "        target = loss_targets[loss_rows]\n"
        "        loss = loss_criterion(net(inputs), target)\n"
        "        loss.backward()\n"
        "        return loss\n"
        "\n"
        "    loss = lbfgs.step(closure)\n"
        "    if (iteration + 1) % 10 == 0:\n"
    ) in script


def test_the_line_span_of_a_step_includes_its_closure():
    listing = opened().listing
    lines = listing.code.splitlines()
    (span,) = listing.spans
    assert span.operation == Step("lbfgs")
    assert lines[span.first - 1].strip() == "loss_rows = next(a_batches)"
    assert lines[span.last - 1].strip() == "loss = lbfgs.step(closure)"


def test_a_loop_whose_steps_use_different_batches_is_rejected():
    loop = [{"op": "step", "optimizer": "lbfgs"}, {"op": "forward", "every": 2}]
    dbg = opened(loop=loop)
    with pytest.raises(UnsupportedError, match="record some iterations"):
        export_script(dbg.program)
    dbg.iterate(4)
    script = export_script(dbg.program, recorded(dbg))
    assert script.count("lbfgs.step(closure)") == 4
    assert script.count("next(a_batches)") == len({item.rows for item in dbg.events})
    assert dbg.listing.spans[0].operation == Step("lbfgs")


def test_an_exported_test_compares_only_the_first_closure_steps():
    dbg = opened()
    dbg.iterate(9)
    assert export_test(dbg.program, recorded(dbg)).count('    ("loss", ') == 4
    single = opened(dtype="float32")
    single.iterate(9)
    assert export_test(single.program, recorded(single)).count('    ("loss", ') == 2


@pytest.mark.parametrize(("steps", "is_truncated"), [(4, False), (5, True)])
def test_a_truncated_test_has_a_comment_with_the_reason(steps, is_truncated):
    dbg = opened()
    dbg.iterate(steps)
    text = export_test(dbg.program, recorded(dbg))
    assert (
        "# Later steps are not compared: each of their iterations amplifies" in text
    ) is is_truncated
    assert text.count('    ("loss", ') == 4
