"""Explanations add up in random programs and sessions, and change nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradstep.program import operation as ops
from tests.core.debugger.conftest import NETWORK, changed, frozen, open_program
from tests.core.debugger.contributions import assert_add_up

TRUNK = [
    {"kind": "Linear", "in_features": 2, "out_features": 3},
    {"kind": "BatchNorm1d", "num_features": 3},
]
HEAD = [{"kind": "Linear", "in_features": 3, "out_features": 1}]
HEADS = {
    **NETWORK,
    "schedulers": {},
    "modules": {"trunk": TRUNK, "head_a": HEAD, "head_b": HEAD},
    "losses": {
        name: {**NETWORK["losses"]["loss"], "chain": ["trunk", f"head_{name}"]} for name in "ab"
    },
    "optimizers": {
        "all": {"kind": "SGD", "params": ["*.weight"], "lr": 0.1, "momentum": 0.9},
        "few": {"kind": "Adam", "params": ["head_b.*"], "lr": 0.05, "weight_decay": 0.1},
    },
    "loop": [{"op": "forward", "loss": "a"}, {"op": "backward", "loss": "a"}],
}

losses, optimizers = st.sampled_from("ab"), st.sampled_from(["all", "few"])
often = (
    st.builds(ops.Forward, losses),
    st.builds(ops.Backward, losses, retain_graph=st.booleans()),
    st.builds(ops.Step, optimizers),
    st.builds(ops.ZeroGrad, optimizers, st.booleans()),
)
seldom = (
    st.builds(ops.ClipGradNorm, st.sampled_from([1e-3, 1.0]), optimizers),
    st.builds(ops.ClipGradValue, st.just(0.01), optimizers),
    st.builds(ops.SetHyperparameter, st.just("lr"), st.sampled_from([0.0, 0.01, 1.0]), optimizers),
    st.builds(ops.Freeze, st.sampled_from(["trunk.*", "head_a.*"]), st.booleans()),
    st.builds(ops.SetMode, st.booleans()),
    st.builds(ops.RebuildModule, st.sampled_from(["trunk", "head_b"])),
    st.builds(ops.ReplaceOptimizer, st.sampled_from(["RMSprop", "SGD"]), optimizers),
    st.builds(ops.LoadState, st.integers(0, 12)),
)
lives = st.lists(st.one_of(*often, *often, *often, *seldom), min_size=4, max_size=25)


def numbers(debugger, name, event):
    debugger.seek(event)
    return debugger.snapshot.parameters[name].data.astype(np.float64)


@pytest.mark.slow
@settings(max_examples=50)
@given(life=lives, dtype=st.sampled_from(["float32", "float64"]), data=st.data())
def test_parts_add_up_whatever_was_done(life, dtype, data):
    dbg = open_program(changed(HEADS, dtype=dtype))
    for operation in life:
        dbg.apply(operation)
    at = data.draw(st.integers(0, len(dbg.events)))
    dbg.seek(at)
    before = frozen(dbg.program.capture())
    explained = {name: (dbg.explain(name), dbg.provenance(name)) for name in dbg.program.tensors}
    gradients = {name: record.grad for name, record in dbg.snapshot.parameters.items()}
    assert frozen(dbg.program.capture()) == before
    for name, (why, parts) in explained.items():
        added = sum((term.value for term in why.terms), np.zeros(why.total.shape))
        np.testing.assert_allclose(added, why.total, rtol=1e-12, atol=1e-300)
        for term in why.terms:
            if term.parts:
                parts_added = sum(part.value for part in term.parts)
                close = 100 * np.finfo(dtype).eps * max(part.norm for part in term.parts)
                np.testing.assert_allclose(parts_added, term.value, rtol=0, atol=close)
        if why.event is not None:
            moved = numbers(dbg, name, why.event) - numbers(dbg, name, why.event - 1)
            assert why.total.tobytes() == moved.tobytes()
            assert numbers(dbg, name, at).tobytes() == numbers(dbg, name, why.event).tobytes()
        grad = np.zeros(why.total.shape) if gradients[name] is None else gradients[name]
        assert_add_up(parts, grad)
