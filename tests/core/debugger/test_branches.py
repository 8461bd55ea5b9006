"""Branches are renamed, removed and restored, and fork where they should."""

import contextlib
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from gradstep.debugger import Debugger
from gradstep.debugger.branches import Branches, shared_event
from gradstep.errors import OperationError, ReplayError, SessionError
from gradstep.history.history import Branch, History
from gradstep.program.operation import Backward


@pytest.fixture
def forked(make):
    """A network with three branches: main, one off it, and one off that; main is shown."""
    network = make()
    network.iterate(4)
    network.seek(8)
    network.fork("one")
    network.iterate(2)
    network.seek(12)
    network.fork("two")
    network.iterate(3)
    network.checkout(0)
    return network


class Events(SimpleNamespace):
    """The parts of a History that branches need: the number of its Events, and a budget."""

    def __init__(self, count):
        super().__init__(count=count, checkpoints=SimpleNamespace(budget_bytes=0))

    def __len__(self):
        return self.count


@pytest.fixture
def nested():
    """Five branches: 1 forks from 0 at 8; 2 from 1 at 12, 3 from 1 at 5; 4 from 2 at 9."""
    return Branches(
        [
            Branch(0, None, 0, "main", Events(16)),
            Branch(1, 0, 8, "one", Events(20)),
            Branch(2, 1, 12, "two", Events(14)),
            Branch(3, 1, 5, "three", Events(7)),
            Branch(4, 2, 9, "four", Events(11)),
        ]
    )


@pytest.mark.parametrize(
    ("current", "forks"),
    [
        (0, {1: 8, 2: 8, 3: 5, 4: 8}),
        (1, {0: 8, 2: 12, 3: 5, 4: 9}),
        (2, {0: 8, 1: 12, 3: 5, 4: 9}),
        (3, {0: 5, 1: 5, 2: 5, 4: 5}),
        (4, {0: 8, 1: 9, 2: 9, 3: 5}),
    ],
)
def test_forks_of_nested_branches_are_where_the_events_diverge(nested, current, forks):
    nested.current = nested.find(current)
    assert {fork.branch: fork.index for fork in nested.forks} == forks
    own = nested.lineage(current)
    assert {other: shared_event(own, nested.lineage(other)) for other in forks} == forks


def test_a_branch_without_events_of_its_own_is_not_a_fork(nested):
    nested.add(nested.find(0), 3, "", Events(3))
    nested.current = nested.find(0)
    assert [fork.branch for fork in nested.forks] == [1, 2, 3, 4]


def test_the_lineage_of_a_branch_ends_where_its_ancestors_leave(nested):
    assert nested.lineage(4) == {4: 11, 2: 9, 1: 9, 0: 8}
    assert nested.lineage(3) == {3: 7, 1: 5, 0: 5}


def test_branches_report_what_changes_them(nested):
    changes = []
    nested.changed = lambda: changes.append([branch.id for branch in nested])
    nested.rename(4, "last")
    removed = nested.remove(4)
    nested.restore(removed)
    assert changes == [[0, 1, 2, 3, 4], [0, 1, 2, 3], [0, 1, 2, 3, 4]]


def names(debugger):
    return [(branch.id, branch.name) for branch in debugger.branches]


def fails_once(monkeypatch, program, how):
    """Let the next Backward be interrupted, or write something else."""
    run, left = type(program).run, [how]

    def other(self, operation):
        effect = run(self, operation)
        if isinstance(operation, Backward) and left:
            if left.pop() == "interrupted":
                raise KeyboardInterrupt
            return structs.replace(effect, writes=())
        return effect

    monkeypatch.setattr(type(program), "run", other)


@pytest.mark.parametrize("how", ["interrupted", "diverged"])
def test_a_failed_checkout_stays_on_the_current_branch(make, state_of, monkeypatch, how):
    monkeypatch.setattr(History, "_is_checkpoint_due", lambda _self, _complete: False)
    network = make()
    network.iterate(2)
    before, place, branch = state_of(network), network.position, network.branches.current
    network.seek(4)
    network.fork("one")
    network.iterate(2)
    network.checkout(0)
    assert state_of(network) == before
    fails_once(monkeypatch, network.program, how)
    with pytest.raises((KeyboardInterrupt, ReplayError)):
        network.checkout(1)
    assert (state_of(network), network.position, network.branches.current) == (
        before,
        place,
        branch,
    )
    network.iterate(1)
    network.seek(8)
    assert state_of(network) == before


@pytest.mark.parametrize("how", ["interrupted", "diverged"])
def test_a_fork_that_fails_leaves_the_current_branch(make, state_of, monkeypatch, how):
    monkeypatch.setattr(History, "_is_checkpoint_due", lambda _self, _complete: False)
    network = make()
    network.iterate(3)
    network.seek(7)
    before, place = state_of(network), network.position
    fails_once(monkeypatch, network.program, how)
    with pytest.raises((KeyboardInterrupt, ReplayError)):
        network.fork("one")
    assert (state_of(network), network.position) == (before, place)
    assert names(network) == [(0, "main")]
    network.seek(12)
    assert len(network.events) == 12


def test_a_branch_is_renamed(forked):
    assert forked.branches.rename(1, "  a smaller lr ").name == "a smaller lr"
    assert names(forked) == [(0, "main"), (1, "a smaller lr"), (2, "two")]
    assert [fork.name for fork in forked.branches.forks] == ["a smaller lr", "two"]


def test_the_current_branch_is_renamed_and_continues(forked):
    renamed = forked.branches.rename(forked.branches.current, "the first")
    assert forked.branches.current is renamed
    forked.iterate(1)
    assert (forked.branches.current.name, len(forked.events)) == ("the first", 20)


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\tb", "\ud800", "a\u2028b", "x" * 201])
def test_a_name_of_several_lines_or_none_is_rejected(forked, name):
    with pytest.raises(OperationError, match="cannot be called"):
        forked.branches.rename(1, name)
    assert names(forked) == [(0, "main"), (1, "one"), (2, "two")]


def test_two_branches_cannot_have_the_same_name(forked):
    with pytest.raises(OperationError, match="branch 2 is already called 'two'"):
        forked.branches.rename(1, "two")
    assert forked.branches.rename(1, "one").name == "one"


def test_a_branch_is_removed_and_restored_bit_for_bit(forked, state_of):
    forked.checkout(2)
    before, events, found = state_of(forked), list(forked.events), forked.findings
    forked.checkout(0)
    removed = forked.branches.remove(2)
    assert names(forked) == [(0, "main"), (1, "one")]
    forked.branches.restore(removed)
    forked.checkout(2)
    assert (state_of(forked), list(forked.events), forked.findings) == (before, events, found)


def test_a_branch_with_children_or_that_is_shown_cannot_be_removed(forked):
    with pytest.raises(OperationError, match=r"branches fork from branch 1 \(one\): 2 \(two\)"):
        forked.branches.remove(1)
    with pytest.raises(OperationError, match=r"branch 0 \(main\) is the current one"):
        forked.branches.remove(0)
    with pytest.raises(OperationError, match="there is no branch 7"):
        forked.branches.remove(7)
    assert names(forked) == [(0, "main"), (1, "one"), (2, "two")]


def test_the_only_branch_cannot_be_removed(network):
    with pytest.raises(OperationError, match="it is the only one"):
        network.branches.remove(0)


def test_the_first_branch_cannot_be_removed_while_others_fork_from_it(forked):
    forked.checkout(2)
    with pytest.raises(OperationError, match="remove those first"):
        forked.branches.remove(0)


def test_numbers_of_removed_branches_are_not_used_again(forked):
    removed = forked.branches.remove(2)
    forked.seek(6)
    assert forked.fork().id == 3
    forked.branches.restore(removed)
    assert names(forked) == [(0, "main"), (1, "one"), (2, "two"), (3, "branch 3")]


def test_a_branch_is_restored_once_and_only_onto_its_parent(forked):
    two, one = forked.branches.remove(2), forked.branches.remove(1)
    with pytest.raises(OperationError, match="there is no branch 1"):
        forked.branches.restore(two)
    forked.branches.restore(one)
    forked.branches.restore(two)
    with pytest.raises(OperationError, match=r"branch 2 \(two\) was not removed"):
        forked.branches.restore(two)
    assert names(forked) == [(0, "main"), (1, "one"), (2, "two")]


def test_a_branch_can_be_renamed_and_another_removed_inside_an_operation(forked, state_of):
    forked.seek(9)
    forked.step_into()
    inside = forked.position
    forked.branches.rename(0, "trunk")
    forked.branches.remove(2)
    assert forked.position == inside
    forked.step_out()


def test_names_and_removals_are_saved(forked, tmp_path):
    forked.branches.rename(1, "fewer steps")
    forked.branches.remove(2)
    forked.save(tmp_path / "a.gradstep")
    assert names(Debugger.open(tmp_path / "a.gradstep")) == [(0, "main"), (1, "fewer steps")]


def test_a_branch_in_the_middle_may_be_missing_in_a_session(make, tmp_path):
    network = make()
    network.iterate(2)
    for name in ("one", "two"):
        network.checkout(0)
        network.seek(4)
        network.fork(name)
        network.iterate(1)
    network.branches.remove(1)
    network.save(tmp_path / "a.gradstep")
    again = Debugger.open(tmp_path / "a.gradstep")
    assert names(again) == [(0, "main"), (2, "two")]
    assert again.fork().id == 3


def test_a_recording_follows_names_removals_and_returns(forked, state_of, tmp_path):
    recorder = forked.record_to(tmp_path / "auto.gradstep")
    forked.seek(10)
    forked.fork("three")
    forked.iterate(1)
    forked.branches.rename(3, "a third")
    forked.checkout(0)
    third = forked.branches.remove(3)
    two = forked.branches.remove(2)
    forked.iterate(1)
    forked.branches.restore(two)
    forked.branches.restore(third)
    forked.branches.remove(2)
    forked.checkout(3)
    forked.iterate(2)
    recorder.close()
    again = Debugger.open(tmp_path / "auto.gradstep")
    assert names(again) == [(0, "main"), (1, "one"), (3, "a third")]
    assert state_of(again) == state_of(forked)
    for branch in (0, 1):
        again.checkout(branch)
        forked.checkout(branch)
        assert (state_of(again), list(again.events)) == (state_of(forked), list(forked.events))


def test_a_recording_killed_after_a_removal_opens_at_the_shown_moment(forked, tmp_path):
    recorder = forked.record_to(tmp_path / "auto.gradstep")
    forked.seek(10)
    forked.fork("three")
    forked.iterate(1)
    forked.checkout(0)
    forked.branches.remove(3)
    recorder.close()
    again = Debugger.open(tmp_path / "auto.gradstep")
    assert (again.branches.current.id, again.position) == (0, (16, None))


def test_a_recording_that_fails_at_a_rename_is_dropped(forked, tmp_path, monkeypatch):
    recorder = forked.record_to(tmp_path / "auto.gradstep")

    def full(*_):
        raise SessionError("the disk is full")

    monkeypatch.setattr(recorder, "branches", full)
    with pytest.raises(SessionError, match="the disk is full"):
        forked.branches.rename(1, "other")
    forked.branches.rename(1, "another")
    assert forked.branches[1].name == "another"
    recorder.discard()


def test_the_memory_of_a_removed_branch_is_given_to_the_others(forked):
    whole = forked.branches.memory_budget
    forked.checkout(2)
    for _ in range(4):
        forked.iterate(1)
        forked.history.take_checkpoint(forked.program)
    assert len(forked.history.checkpoints) > 4
    forked.checkout(0)
    removed = forked.branches.remove(2)
    forked.branches.remove(1)
    assert forked.history.checkpoints.budget_bytes == whole
    assert len(removed.history.checkpoints) == 2


_DEEDS = st.lists(
    st.tuples(
        st.sampled_from(["iterate", "fork", "checkout", "rename", "remove", "restore"]),
        st.integers(0, 9),
    ),
    max_size=12,
)


@settings(max_examples=25)
@given(deeds=_DEEDS)
def test_a_recording_holds_the_branches_after_any_changes(make, state_of, deeds):
    network, removed = make(), []
    network.iterate(1)
    with TemporaryDirectory() as folder:
        recorder = network.record_to(Path(folder, "auto.gradstep"))
        for deed, number in deeds:
            branch = network.branches[number % len(network.branches)]
            with contextlib.suppress(OperationError):
                match deed:
                    case "iterate":
                        network.iterate(1)
                    case "fork":
                        network.seek(number % (1 + len(network.events)))
                        network.fork()
                        network.iterate(1)
                    case "checkout":
                        network.checkout(branch)
                    case "rename":
                        network.branches.rename(branch, f"number {number}")
                    case "remove":
                        removed.append(network.branches.remove(branch))
                    case "restore" if removed:
                        network.branches.restore(removed.pop())
        recorder.close()
        again = Debugger.open(recorder.path)
    assert names(again) == names(network)
    for branch in network.branches:
        assert list(again.checkout(branch.id).history.events) == list(branch.history.events)
        network.checkout(branch)
        assert state_of(again) == state_of(network)
