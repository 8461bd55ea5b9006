"""SparseAdam in a program: inside, explained, restored, saved, and on torch."""

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.errors import ProgramError
from gradstep.history.records.event import Event
from gradstep.program.operation import ReplaceOptimizer, Step
from gradstep.program.torch_export.export import RecordedOperation, export_test
from tests.core.debugger.conftest import frozen, open_program
from tests.core.formulas import evaluate

WEIGHT = "table.0.weight"
DOCUMENT = {
    "gradstep": 1,
    "seed": 1,
    "dtype": "float64",
    "data": {
        "words": {
            "kind": "inline",
            "inputs": [[0, 1], [2, 1], [3, 0], [1, 4]],
            "targets": [[1.0], [0.0], [1.0], [0.0]],
            "batch_size": 2,
        }
    },
    "modules": {
        "table": [
            {"kind": "Embedding", "num_embeddings": 6, "embedding_dim": 3, "sparse": True},
            {"kind": "Flatten"},
        ],
        "head": [{"kind": "Linear", "in_features": 6, "out_features": 1}],
    },
    "losses": {
        "loss": {"data": "words", "chain": ["table", "head"], "criterion": {"kind": "MSELoss"}}
    },
    "optimizers": {
        "sparse": {"kind": "SparseAdam", "params": ["table.*"], "lr": 0.1},
        "adam": {"kind": "Adam", "params": ["head.*"], "lr": 0.05},
    },
}


@pytest.fixture
def dbg():
    return open_program(DOCUMENT)


def state_of(dbg):
    return frozen(dbg.program.capture())


def test_only_the_rows_of_the_batch_move(dbg):
    before = dbg.snapshot.parameters[WEIGHT].data.copy()
    dbg.iterate(1)
    after = dbg.snapshot.parameters[WEIGHT].data
    assert np.flatnonzero((after != before).any(axis=1)).tolist() == [0, 1, 2]
    dbg.iterate(30)
    assert dbg.snapshot.loss < 0.05
    assert dbg.findings == ()


def test_stepping_inside_gives_the_bits_of_a_step_by_formulas_that_are_true(dbg):
    through = open_program(DOCUMENT)
    for each in (dbg, through):
        each.iterate(3)
        each.zero_grad("sparse")
        each.forward()
        each.backward()
    steps = [dbg.step_into(Step("sparse"))]
    while not isinstance(steps[-1], Event):
        steps.append(dbg.step_into())
    assert steps.pop() == through.step("sparse")
    assert state_of(dbg) == state_of(through)
    titles = set()
    for step in steps:
        if step.kind == "term" and step.formula.names:
            assert set(step.formula.names) <= set(step.inputs)
            np.testing.assert_allclose(
                step.outputs[step.title], evaluate(step.formula, step.inputs), rtol=1e-12
            )
            titles.add(step.title)
    assert {"exp_avg", "exp_avg_sq", "denominator", "step_size", "update"} <= titles


def test_its_changes_are_explained_by_terms_that_add_up(dbg):
    for _ in range(4):
        before = dbg.snapshot.parameters[WEIGHT].data.copy()
        dbg.iterate(1)
        why = dbg.explain(WEIGHT)
        true = dbg.snapshot.parameters[WEIGHT].data - before
        added = sum((term.value for term in why.terms), np.zeros(true.shape))
        np.testing.assert_allclose(added, true, rtol=1e-12, atol=1e-18)
    assert {"gradient", "momentum memory"} <= {term.name for term in why.terms}
    left = {term.name: term.value for term in why.terms}.get("rounding", np.zeros(1))
    assert np.abs(left).max() <= 1e-12 * np.abs(true).max()


def test_every_moment_is_restored_with_the_rows_of_its_gradients(dbg, tmp_path):
    states = [state_of(dbg)]
    for _ in range(2 * len(dbg.program.loop_operations())):
        dbg.apply(dbg.program.next_operation)
        states.append(state_of(dbg))
    for index in (5, 3, 9, 0, 4):
        dbg.seek(index)
        assert state_of(dbg) == states[index]
    dbg.seek(4)
    dbg.save(tmp_path / "one.gradstep")
    other = Debugger.open(tmp_path / "one.gradstep")
    assert state_of(other) == states[4]
    assert other.step("sparse") == dbg.step("sparse")


def test_an_optimizer_without_sparse_support_fails_with_a_remedy(dbg):
    dbg.apply(ReplaceOptimizer("Adam", "sparse"))
    dbg.forward()
    dbg.backward()
    before = state_of(dbg)
    event = dbg.step("sparse")
    assert "Adam does not support sparse gradients" in event.outcome.message
    assert state_of(dbg) == before
    dbg.apply(ReplaceOptimizer("SparseAdam", "adam"))
    assert "does not support dense gradients" in dbg.step("adam").outcome.message


def test_a_damaged_row_is_rejected(dbg):
    dbg.forward()
    dbg.backward()
    state = dbg.program.capture()
    for wrong in ([0, 9], [2, 1], [-1, 0]):
        state.tensors[WEIGHT][1]["rows"] = np.array(wrong)
        with pytest.raises(ProgramError, match="the rows of"):
            dbg.program.restore(state)


@pytest.mark.torch
def test_torch_gives_the_recorded_losses(dbg):
    torch = pytest.importorskip("torch")
    dtype = torch.get_default_dtype()
    dbg.iterate(20)
    recorded = [RecordedOperation(item.operation, item.loss, item.index) for item in dbg.events]
    source = export_test(dbg.program, recorded)
    assert "nn.Embedding(6, 3, sparse=True)" in source
    names = {"__name__": "exported"}
    try:
        exec(compile(source, "exported", "exec"), names)
        names["test_torch_gives_the_recorded_values"]()
    finally:
        torch.set_default_dtype(dtype)
