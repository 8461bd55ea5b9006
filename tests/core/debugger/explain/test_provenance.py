"""Contributions to a gradient add up to it bit for bit."""

import numpy as np
import pytest

from gradstep.debugger.explain.provenance import MAX_CONTRIBUTIONS
from gradstep.errors import OperationError
from gradstep.program.operation import ClipGradNorm, RebuildModule
from tests.core.debugger.conftest import LINE, NETWORK, changed, frozen, open_program

WEIGHT = "model.0.weight"


def gradient(debugger, name=WEIGHT):
    return debugger.snapshot.parameters[name].grad


def summed(parts):
    total = parts[0].value.copy()
    for part in parts[1:]:
        total += part.value
    return total


def accumulate(debugger, times):
    for _ in range(times):
        debugger.forward()
        debugger.backward()


def test_each_backward_is_listed_with_its_batch():
    dbg = open_program(NETWORK)
    accumulate(dbg, 3)
    parts = dbg.provenance(WEIGHT)
    assert [(part.event, part.kind, part.loss) for part in parts] == [
        (2, "backward", "loss"),
        (4, "backward", "loss"),
        (6, "backward", "loss"),
    ]
    assert [part.batch.number for part in parts] == [1, 2, 3]
    assert [part.batch.rows for part in parts] == [dbg.events[at].rows for at in (0, 2, 4)]
    assert summed(parts).tobytes() == gradient(dbg).tobytes()


def test_contributions_name_their_loss():
    losses = {"a": {"expression": "sum(x)"}, "b": {"expression": "sum(x * x)"}}
    dbg = open_program(changed(LINE, losses=losses))
    for name in ("a", "b"):
        dbg.forward(name)
        dbg.backward(name)
    parts = dbg.provenance("x")
    assert [(part.loss, part.value.tolist(), part.batch) for part in parts] == [
        ("a", [1.0, 1.0], None),
        ("b", [2.0, 4.0], None),
    ]
    # The gradient is (3, 5), and 34 its length squared.
    assert [part.share for part in parts] == [pytest.approx(8 / 34), pytest.approx(26 / 34)]


@pytest.mark.parametrize("set_to_none", [True, False])
def test_only_contributions_after_the_last_clearing_count(set_to_none):
    dbg = open_program(NETWORK)
    accumulate(dbg, 2)
    dbg.zero_grad(set_to_none=set_to_none)
    assert dbg.provenance(WEIGHT) == ()
    accumulate(dbg, 1)
    assert [part.event for part in dbg.provenance(WEIGHT)] == [7]


def test_no_gradient_has_no_provenance():
    assert open_program(NETWORK).provenance(WEIGHT) == ()


def test_a_rebuilt_module_starts_over():
    dbg = open_program(NETWORK)
    accumulate(dbg, 1)
    dbg.apply(RebuildModule("model"))
    assert dbg.provenance(WEIGHT) == ()


def test_steps_between_do_not_clear():
    dbg = open_program(NETWORK)
    for _ in range(3):
        accumulate(dbg, 1)
        dbg.step()
    parts = dbg.provenance(WEIGHT)
    assert [part.event for part in parts] == [2, 5, 8]
    assert summed(parts).tobytes() == gradient(dbg).tobytes()


def test_clipping_is_a_contribution():
    dbg = open_program(NETWORK)
    accumulate(dbg, 1)
    dbg.apply(ClipGradNorm(1e-3))
    accumulate(dbg, 1)
    parts = dbg.provenance(WEIGHT)
    assert [(part.event, part.kind) for part in parts] == [
        (2, "backward"),
        (3, "clip"),
        (5, "backward"),
    ]
    np.testing.assert_allclose(summed(parts), gradient(dbg), rtol=1e-5, atol=1e-8)
    assert parts[1].norm < parts[0].norm


def test_a_gradient_that_is_never_cleared_costs_a_bounded_replay():
    dbg = open_program(changed(NETWORK, loop=NETWORK["loop"][1:]))
    dbg.iterate(MAX_CONTRIBUTIONS + 20)
    parts = dbg.provenance(WEIGHT)
    assert len(parts) == MAX_CONTRIBUTIONS + 1
    assert (parts[0].kind, parts[0].event) == ("earlier", 61)
    assert summed(parts).tobytes() == gradient(dbg).tobytes()


def test_it_looks_from_the_cursor_and_leaves_the_moment_as_it_was():
    dbg = open_program(NETWORK)
    accumulate(dbg, 3)
    dbg.seek(4)
    state = frozen(dbg.program.capture())
    assert [part.event for part in dbg.provenance(WEIGHT)] == [2, 4]
    assert frozen(dbg.program.capture()) == state


def test_an_unknown_parameter_is_rejected():
    with pytest.raises(OperationError, match="there is no tensor 'y'"):
        open_program(LINE).provenance("y")
