"""The words for Operations and tensors."""

from __future__ import annotations

import numpy as np
import pytest

from gradstep.program import operation as op
from gradstep_gui.theme import kind_of
from gradstep_gui.views.labels import (
    KIND_TITLES,
    kind_title,
    operation_target,
    operation_title,
    summary_text,
    tensor_text,
)
from tests.gui.factory import tensor

EVERY = [
    (op.ZeroGrad(), ("Zero Grad", "optimizer")),
    (op.ZeroGrad("b", set_to_none=False), ("Zero Grad", "b, to zeros")),
    (op.Forward("loss_a"), ("Forward", "loss_a")),
    (op.Forward(batch="held"), ("Forward", "loss, same batch")),
    (op.Backward(), ("Backward", "loss")),
    (op.Backward(retain_graph=True), ("Backward", "loss, graph kept")),
    (op.Step("b"), ("Step", "b")),
    (op.SchedulerStep(), ("Scheduler Step", "scheduler")),
    (op.ClipGradNorm(1.0), ("Clip Grad Norm", "optimizer to norm 1")),
    (op.ClipGradValue(0.5), ("Clip Grad Value", "optimizer to ±0.5")),
    (op.SetHyperparameter("lr", 0.1, group=1), ("Set", "lr = 0.1 in optimizer[1]")),
    (op.Freeze("trunk.*"), ("Freeze", "trunk.*")),
    (op.Freeze("trunk.*", frozen=False), ("Thaw", "trunk.*")),
    (op.SetMode(training=False), ("Set Mode", "all modules: eval")),
    (op.SetMode(training=True, module="trunk"), ("Set Mode", "trunk: train")),
    (op.RebuildModule("head"), ("Rebuild Module", "head")),
    (op.LoadState(12), ("Load State", "from event 12")),
    (op.LoadState(12, ("modules",)), ("Load State", "from event 12, modules only")),
    (op.SetValue("x", 0.5), ("Set Value", "x = 0.5")),
    (op.SetValue("m.0.weight", 2.0, (1, 0)), ("Set Value", "m.0.weight[1, 0] = 2")),
    (op.SetValue("x", [1.0, 2.0]), ("Set Value", "x")),
    (op.ReplaceOptimizer("Adam"), ("Replace Optimizer", "optimizer with Adam")),
    (op.SetBatchSize("a", 16), ("Set Batch Size", "a: 16")),
    (op.SetBatchSize("a", None), ("Set Batch Size", "a: all rows")),
    (op.EditLoop(lines=(op.LoopLine(op.Step()),)), ("Edit Loop", "")),
    (op.AddLoss(), ("Add Loss", "loss to running_loss")),
    (op.AddLoss("a", "total", item=True), ("Add Loss", "a.item() to total")),
    (op.Skip(op.Step("b")), ("Skip", "Step b")),
    (op.ScriptCall("forward", "model"), ("Call", "model")),
    (op.ScriptCall("update_by_hand"), ("Update by Hand", "")),
    (op.ScriptCall("something new", "x"), ("Script", "x")),
]


@pytest.mark.parametrize(("operation", "words"), EVERY, ids=repr)
def test_every_operation_has_a_title_and_a_target(operation, words):
    assert (operation_title(operation), operation_target(operation)) == words


def test_every_kind_has_a_title():
    kinds = {kind_of(operation) for operation, _ in EVERY}
    assert kinds == set(KIND_TITLES)
    assert all(kind_title(kind) for kind in kinds)


def test_a_tiny_tensor_is_described_by_its_values_once_they_arrive():
    assert tensor_text(tensor([1, 2])) == "[1, 2]"
    assert tensor_text(tensor([1, 2], keep=False)) == "norm 2.2361"
    assert tensor_text(None) == "None"


def test_a_nan_scalar_is_not_shown_as_a_number():
    assert tensor_text(tensor(np.nan, keep=False)) == "1 NaN, norm 0"


def test_a_summary_names_each_of_its_numbers():
    assert summary_text(tensor([3, 4])) == "norm 5, mean 3.5, min 3, max 4"
