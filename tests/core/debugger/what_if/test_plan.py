"""What-ifs replay the rest of a branch with Events skipped, inserted, moved, and values set."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.errors import GradStepError
from gradstep.program.operation import (
    Backward,
    ClipGradNorm,
    ClipGradValue,
    EditLoop,
    Forward,
    LoadState,
    LoopLine,
    SchedulerStep,
    SetHyperparameter,
    Skip,
    Step,
    ZeroGrad,
)


def weights(debugger):
    return debugger.snapshot.parameters["model.0.weight"].data.copy()


def operations(branch, after=0):
    return [event.operation for event in branch.history.events[after:]]


def test_a_what_if_equals_the_same_operations_applied_by_hand(make, state_of):
    edited, pressed = make(), make()
    edited.iterate(3)
    branch = edited.what_if(at=5, skip=(8,), set={"optimizer.lr": 0.5})
    pressed.iterate(1)
    pressed.apply(SetHyperparameter("lr", 0.5, out_of_loop=True))
    for _ in range(3):
        pressed.apply(pressed.program.next_operation)
    pressed.apply(Skip(Step()))
    pressed.iterate(1)
    edited.checkout(branch)
    assert state_of(edited) == state_of(pressed)
    assert operations(branch) == operations(pressed.branches.current)


def test_the_current_branch_stays_where_it_was(network, state_of):
    network.iterate(4)
    network.seek(10)
    before, events = state_of(network), list(network.events)
    branch = network.what_if(at=3, set={"optimizer.lr": 1.0})
    assert (network.branches.current.id, network.position) == (0, (10, None))
    assert state_of(network) == before
    assert list(network.events) == events
    assert (branch.parent, branch.forked_at, len(branch.history)) == (0, 2, 17)
    assert network.branches[1] is branch


def test_without_a_change_the_new_branch_has_the_same_checksums(network):
    network.iterate(5)
    branch = network.what_if(at=4)
    assert list(branch.history.events) == list(network.events)


def test_skipping_the_step_keeps_the_numbers_of_events_and_iterations(network):
    network.iterate(3)
    branch = network.what_if(skip=(4, 8))
    assert branch.forked_at == 3
    assert operations(branch)[3] == Skip(Step())
    mine, other = network.events, branch.history.events
    assert [event.iteration for event in other] == [event.iteration for event in mine]
    network.checkout(branch)
    assert network.program.iteration == 3


def test_an_inserted_step_is_not_a_line_of_the_loop(network):
    network.iterate(3)
    branch = network.what_if(insert=((5, Step()), (13, ClipGradNorm(1.0))))
    assert operations(branch)[4] == Step(out_of_loop=True)
    assert operations(branch)[-1] == ClipGradNorm(1.0, out_of_loop=True)
    assert [event.iteration for event in branch.history.events] == [0] * 4 + [1] * 5 + [2] * 4 + [3]


def test_a_moved_event_happens_before_another(network):
    network.iterate(2)
    branch = network.what_if(move=((8, 6),))
    assert operations(branch, 4) == [
        ZeroGrad(), Step(out_of_loop=True), Forward(), Backward(), Skip(Step()),
    ]  # fmt: skip
    assert branch.history.events[-1].outcome.ok


def test_the_optimizer_and_the_batch_size_change(network):
    network.iterate(3)
    branch = network.what_if(
        at=5, set={"optimizer.kind": "SGD", "optimizer.lr": 0.25, "a.batch_size": 5}
    )
    network.checkout(branch)
    (group,) = network.snapshot.optimizers["optimizer"].groups
    assert network.snapshot.optimizers["optimizer"].kind == "SGD"
    assert group.hyperparameters["lr"] == 0.25
    assert [len(event.rows) for event in network.events if event.rows] == [8, 5, 5]


def test_a_value_is_set_in_every_group_or_in_one(make):
    groups = [{"params": ["model.0.*"]}, {"params": ["model.3.*"]}]
    network = make(
        optimizers={"optimizer": {"kind": "SGD", "params": groups, "lr": 0.1}}, schedulers={}
    )
    for key, rates in {"optimizer.lr": [1.0, 1.0], "optimizer[1].lr": [0.1, 1.0]}.items():
        network.checkout(0)
        network.checkout(network.what_if(at=1, set={key: 1}))
        found = network.snapshot.optimizers["optimizer"].groups
        assert [group.hyperparameters["lr"] for group in found] == rates


CLIPPED = [
    {"op": "zero_grad"},
    {"op": "forward"},
    {"op": "backward"},
    {"op": "clip_grad_norm", "max_norm": 1.0},
    {"op": "clip_grad_value", "clip_value": 0.5},
    {"op": "step"},
]


@pytest.mark.parametrize(
    ("key", "event", "operation"),
    [
        ("optimizer.max_norm", 10, ClipGradNorm(0.01)),
        ("optimizer.clip_value", 11, ClipGradValue(0.01)),
    ],
)
def test_the_limit_of_recorded_clippings_is_replaced_from_an_event_on(
    make, state_of, key, event, operation
):
    network, expected = make(loop=CLIPPED), make(loop=CLIPPED)
    network.iterate(3)
    branch = network.what_if(at=6, set={key: 0.01})
    assert branch.name == f"{key.removeprefix('optimizer.')} 0.01 from #6"
    changed = [event.index for event in branch.history.events if event.operation == operation]
    assert changed == [event, event + 6]
    expected.iterate(1)
    for done in operations(branch)[6:]:
        expected.apply(done)
    network.checkout(branch)
    assert state_of(network) == state_of(expected)
    assert network.program.iteration == 3


def test_a_limit_that_no_clipping_has_is_not_set(make):
    network = make(loop=CLIPPED)
    network.iterate(2)
    with pytest.raises(GradStepError, match="no clipping of optimizer with a max_norm is recorded"):
        network.what_if(at=11, set={"optimizer.max_norm": 0.1})
    for value, reason in ((-1, "give 0 or more"), ("x", "give a number"), (True, "give 0 or more")):
        with pytest.raises(GradStepError, match=f"max_norm cannot be {value!r}; {reason}"):
            network.what_if(at=1, set={"optimizer.max_norm": value})
    with pytest.raises(GradStepError, match=r"did you mean 'optimizer\.max_norm'"):
        network.what_if(at=1, set={"optimiser.max_norm": 1})
    assert len(network.branches) == 1


def test_a_new_failure_ends_the_branch_and_is_reported(network):
    network.iterate(3)
    branch = network.what_if(skip=(6,))
    assert (len(branch.history), branch.history.events[-1].operation) == (7, Backward())
    assert "the graph a second time" in branch.history.events[-1].outcome.message


def test_a_failure_that_was_there_before_does_not_end_it(network):
    network.backward("loss")
    network.iterate(2)
    branch = network.what_if(at=1, set={"optimizer.lr": 0.5})
    assert [event.outcome.ok for event in branch.history.events] == [True, False] + [True] * 8


def test_a_state_loaded_later_is_that_of_the_event_it_was_of(network):
    network.iterate(2)
    network.apply(LoadState(4, ("modules",)))
    branch = network.what_if(at=3, set={"optimizer.lr": 0.5})
    assert operations(branch)[-1] == LoadState(5, ("modules",))
    network.checkout(branch)
    after = weights(network)
    network.seek(5)
    assert np.array_equal(weights(network), after)


def test_a_scheduler_continues_from_the_value_that_was_set(network):
    network.iterate(1)
    network.apply(SchedulerStep("decay"))
    network.checkout(network.what_if(at=5, set={"optimizer.lr": 0.5}))
    (group,) = network.snapshot.optimizers["optimizer"].groups
    assert group.hyperparameters["lr"] == pytest.approx(0.45)


def test_progress_is_reported_and_a_cancelled_branch_ends_where_it_was_cancelled(network):
    network.iterate(3)
    reports = []
    branch = network.what_if(
        at=5,
        skip=(5,),
        progress=lambda *done: reports.append(done),
        should_stop=lambda: len(reports) == 3,
    )
    assert reports == [(1, 8), (2, 8), (3, 8)]
    assert (len(branch.history), len(network.events)) == (7, 12)
    network.checkout(branch)
    network.step()
    assert len(network.events) == 8


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"at": 14}, "there is no Event 14 to edit"),
        ({"at": 0}, "there is no Event 0 to edit"),
        ({"at": 6, "skip": (5,)}, "there is no Event 5 to edit; this what-if has Events 6 to "),
        ({"skip": (13,)}, "there is no Event 13 to edit"),
        ({"insert": ((14, Step()),)}, "there is no Event 14"),
        ({"insert": ((6, EditLoop((LoopLine(Forward("nothing")),))),)}, "no loss 'nothing'"),
        ({"move": ((13, 2),)}, "there is no Event 13"),
        ({"set": {"optimizer.lrr": 1}}, "no hyperparameter 'lrr'; did you mean 'lr'"),
        ({"set": {"optimiser.lr": 1}}, "'optimiser.lr'; did you mean 'optimizer.lr'"),
        ({"set": {"lr": 1}}, "nothing to set at 'lr'"),
        ({"set": {"optimizer.lr": "big"}}, "optimizer.lr cannot be 'big'; give a number"),
        ({"set": {"optimizer.lr": -1}}, "Invalid learning rate: -1"),
        ({"set": {"optimizer.kind": "Adm"}}, "did you mean 'Adam'"),
        ({"set": {"optimizer.kind": 3}}, "optimizer.kind cannot be 3"),
        ({"set": {"a.batch_size": 2.5}}, "a.batch_size cannot be 2.5"),
        ({"set": {"a.batch_size": 0}}, "the batch size is 0"),
        ({"set": {"b.batch_size": 2}}, "nothing to set at 'b.batch_size'"),
    ],
)  # fmt: skip
def test_an_impossible_what_if_is_rejected_and_leaves_no_branch(network, state_of, wanted, words):
    network.iterate(3)
    network.seek(9)
    before = state_of(network)
    with pytest.raises(GradStepError, match=words):
        network.what_if(**wanted)
    assert (len(network.branches), network.position) == (1, (9, None))
    assert state_of(network) == before


def test_an_interrupted_replay_restores_the_current_branch(network, state_of):
    network.iterate(3)
    before = state_of(network)

    def interrupt(done, _of):
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        network.what_if(at=2, progress=interrupt)
    assert (network.branches.current.id, network.position) == (0, (12, None))
    assert state_of(network) == before
    assert len(network.branches[1].history) == 5


def test_branches_of_what_ifs_are_named_after_their_edits(network):
    network.iterate(3)
    names = [
        network.what_if(at=2, skip=(3,)).name,
        network.what_if(move=((8, 6),)).name,
        network.what_if(insert=((6, Step()),), name="twice").name,
        network.what_if(insert=((6, Step()),)).name,
        network.what_if(at=6, skip=(8,), set={"optimizer.lr": 0.5}).name,
        network.what_if(skip=(8,), insert=((6, Step()), (7, ZeroGrad()))).name,
        network.what_if(at=4).name,
    ]
    assert names == [
        "without Backward #3",
        "Step #8 before #6",
        "twice",
        "with Step before #6",
        "lr 0.5 from #6, without Step #8",
        "without Step #8 and 2 more",
        "again from #4",
    ]


def test_branches_of_what_ifs_are_saved_recorded_and_opened(network, state_of, tmp_path):
    recorder = network.record_to(tmp_path / "recording.gradstep")
    network.iterate(3)
    branch = network.what_if(
        at=5, skip=(8,), set={"optimizer.kind": "SGD", "a.batch_size": 3}, insert=((9, Step()),)
    )
    network.iterate(1)
    network.save(tmp_path / "saved.gradstep")
    recorder.close()
    states = []
    for debugger in (
        network,
        Debugger.open(tmp_path / "saved.gradstep"),
        Debugger.open(tmp_path / "recording.gradstep"),
    ):
        main = [event.checksum for event in debugger.branches[0].history.events]
        debugger.checkout(branch.id)
        assert debugger.branches.current.name == branch.name
        debugger.seek(7)
        states.append((main, state_of(debugger)))
        debugger.seek(len(debugger.events))
        states[-1] += (state_of(debugger), list(debugger.events))
    assert states[0] == states[1] == states[2]


KINDS = ("SGD", "Adam", "RMSprop", "Adagrad", "NAdam", "Rprop", "Adafactor", "ASGD")
PUT_IN = (ZeroGrad(), Forward(), Backward(), Step(), ClipGradNorm(0.1), SchedulerStep("decay"))


def edits(chooser, count):
    """Return edits of every kind at random."""
    at = chooser.randrange(1, count + 1)
    anywhere = range(at, count + 1)
    values = {
        "optimizer.lr": chooser.choice((0.5, 0.001)),
        "optimizer.kind": chooser.choice(KINDS),
        "a.batch_size": chooser.choice((1, 5, None)),
    }
    return {
        "at": at,
        "skip": tuple(chooser.choices(anywhere, k=chooser.randrange(3))),
        "insert": tuple(
            (chooser.choice(anywhere), chooser.choice((*PUT_IN, LoadState(at - 1))))
            for _ in range(chooser.randrange(3))
        ),
        "move": ((chooser.choice(anywhere), chooser.choice(anywhere)),) * chooser.randrange(2),
        "set": {key: values[key] for key in values if chooser.random() < 0.5},
    }


@pytest.mark.parametrize("seed", range(12))
def test_a_branch_of_any_edits_is_replayed_and_saved_bit_for_bit(network, state_of, tmp_path, seed):
    chooser = random.Random(seed)
    network.iterate(6)
    for _ in range(3):
        network.checkout(network.what_if(**edits(chooser, len(network.events))))
    states = []
    for event in range(len(network.events) + 1):
        network.seek(event)
        states.append(state_of(network))
    iterations = [event.iteration for event in network.events]
    assert iterations == sorted(iterations)
    network.save(tmp_path / "branches.gradstep")
    opened = Debugger.open(tmp_path / "branches.gradstep")
    for event in chooser.sample(range(len(states)), 8):
        opened.seek(event)
        assert state_of(opened) == states[event]
