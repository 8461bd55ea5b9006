"""Which closures compute no gradients."""

from __future__ import annotations

import pytest

from gradstep.diagnostics.script_edits.step_calls import closure_without_backward

CLOSURE = """\
def closure():
    loss = criterion(model(x), y)
    {}
    return loss


optimizer.step(closure)
"""
STEP = "train.py:7"


@pytest.mark.parametrize("line", ["loss.backward", "optimizer.zero_grad()", "log(loss)"])
def test_a_closure_that_computes_no_gradients_is_named(line):
    assert closure_without_backward({"train.py": CLOSURE.format(line)}, STEP) == "closure"


@pytest.mark.parametrize(
    "line",
    [
        "loss.backward()",
        "scaler.scale(loss).backward()",
        "manual_backward(loss)",
        "w.grad = found",
        "set_gradients(torch.autograd.grad(loss, w))",
    ],
)
def test_one_that_may_compute_them_is_not(line):
    assert closure_without_backward({"train.py": CLOSURE.format(line)}, STEP) == ""


def test_nor_is_one_that_calls_a_function_of_the_script_for_that():
    files = {
        "train.py": CLOSURE.format("differentiate(loss)"),
        "tools.py": "def differentiate(loss):\n    loss.backward()\n",
    }
    assert closure_without_backward(files, STEP) == ""
