"""Errors of the Debugger say what to do, in whole."""

from __future__ import annotations

import pytest

from gradstep.errors import OperationError
from gradstep.program.operation import Forward


def restore_twice(network):
    network.iterate(2)
    branch = network.what_if(skip=(8,))
    network.branches.remove(branch)
    network.branches.restore(branch)
    network.branches.restore(branch)


CALLS = {
    "back at the start": (
        lambda network: network.back(),
        "this is the start of the run; there is no Event to go back from",
    ),
    "a branch restored twice": (
        restore_twice,
        "branch 1 (without Step #8) was not removed; restore a removed branch",
    ),
    "a batch size that is no number": (
        lambda network: network.what_if(at=1, set={"a.batch_size": "many"}),
        "a.batch_size cannot be 'many'; give a whole number, or None",
    ),
    "an optimizer's kind that is no text": (
        lambda network: network.what_if(at=1, set={"optimizer.kind": 3}),
        "optimizer.kind cannot be 3; name a kind, such as 'Adam'",
    ),
    "a rate that is no number": (
        lambda network: network.what_if(at=1, set={"optimizer.lr": "fast"}),
        "optimizer.lr cannot be 'fast'; give a number",
    ),
    "a resume check of nothing": (
        lambda network: network.resume_check(at=0),
        "nothing was recorded after Event 0; run it first",
    ),
    "a long name": (
        lambda network: network.branches.rename(0, "x" * 201),
        f"a branch cannot be called '{'x' * 40}'; use one line of at most 200 characters",
    ),
}


@pytest.mark.parametrize(("call", "message"), CALLS.values(), ids=CALLS)
def test_the_error_of_an_impossible_command_has_a_remedy(network, call, message):
    with pytest.raises(OperationError) as raised:
        call(network)
    assert str(raised.value) == message


def test_a_resume_check_too_late_names_the_events_that_are_possible(network):
    network.iterate(2)
    with pytest.raises(OperationError) as raised:
        network.resume_check(at=8)
    assert str(raised.value) == (
        "nothing was recorded after Event 8; interrupt it between Event 0 and 7"
    )
    assert network.resume_check(at=0).at == 0


def test_the_longest_name_is_taken(network):
    assert network.branches.rename(0, "x" * 200).name == "x" * 200


def test_a_program_without_a_loop_has_no_next_operation(make):
    bare = make("line", losses={}, optimizers={})
    with pytest.raises(OperationError) as raised:
        bare.step_into()
    assert str(raised.value) == "the program has no loop; name the Operation"


def test_a_program_without_an_optimizer_cannot_step(make):
    bare = make("line", optimizers={})
    bare.apply(Forward())
    with pytest.raises(OperationError) as raised:
        bare.step()
    assert str(raised.value) == "the program has no optimizer; add one to its document"


def test_an_optimizer_is_chosen_by_name(make):
    two = make(
        "line",
        tensors={name: {"value": [1.0], "requires_grad": True} for name in "ab"},
        losses={"loss": {"expression": "sum(a * b)"}},
        optimizers={f"sgd_{name}": {"kind": "SGD", "params": [name]} for name in "ab"},
    )
    two.forward()
    two.backward()
    assert two.step("sgd_b").writes == ("b",)
    assert two.zero_grad("sgd_b").writes == ("b.grad",)
    assert two.zero_grad().writes == ("a.grad",)
