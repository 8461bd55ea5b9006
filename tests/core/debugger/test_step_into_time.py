"""Going back inside an Operation, and leaving it in the middle."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradstep.autograd.graph import walk
from gradstep.debugger import Debugger
from gradstep.errors import GradStepError
from gradstep.history.records.event import Event
from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
from tests.core.optim.cases import CASES


def described(step):
    """Return a micro-step as plain data, arrays by their bytes."""
    arrays = [
        [(name, array.dtype.str, array.shape, array.tobytes()) for name, array in named.items()]
        for named in (step.inputs, step.outputs)
    ]
    return step.kind, step.title, step.path, step.formula, step.node, arrays


def finished(dbg):
    """Step out until the Operation is done; return its Event."""
    while not isinstance(step := dbg.step_out(), Event):
        pass
    return step


@pytest.fixture
def trained(make):
    """A network in the middle of its third iteration, after the Forward and a first Backward."""
    dbg = make()
    dbg.iterate(2)
    dbg.forward()
    dbg.backward(retain_graph=True)
    return dbg


OPERATIONS = [ZeroGrad(), Forward(), Backward(), Step()]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: type(operation).__name__)
def test_going_back_gives_every_micro_step_once_more(trained, state_of, operation):
    before = state_of(trained)
    forth, states = [described(trained.step_into(operation))], [state_of(trained)]
    while trained.position[1] < 6:
        step = trained.step_into()
        if isinstance(step, Event):
            trained.seek(4 * 2 + 2)
            break
        forth.append(described(step))
        states.append(state_of(trained))
    trained.seek(10)
    trained.step_into(operation)
    while trained.position[1] < len(forth):
        trained.step_into()
    back = []
    while trained.position[1] is not None:
        back.append(described(trained.micro_step))
        assert state_of(trained) == states[trained.position[1] - 1]
        trained.back()
    assert back == forth[::-1]
    assert trained.position == (10, None)
    assert state_of(trained) == before


LEAVING = {
    "seek": lambda dbg, _: dbg.seek(10),
    "fork": lambda dbg, _: dbg.fork(),
    "checkout": lambda dbg, _: dbg.checkout(0),
    "back": lambda dbg, _: [dbg.back() for _ in range(dbg.position[1])],
}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: type(operation).__name__)
@pytest.mark.parametrize("way", LEAVING)
def test_an_operation_left_half_way_is_as_if_not_entered(
    trained, state_of, tmp_path, way, operation
):
    before, events = state_of(trained), tuple(trained.events)
    trained.step_into(operation)
    for _ in range(3):
        trained.step_into()
    LEAVING[way](trained, tmp_path)
    assert trained.position == (10, None)
    assert state_of(trained) == before
    assert tuple(trained.events) == events
    assert trained.snapshot.micro_step is None


def gradients_after_backward(debugger):
    debugger.backward()
    tensors = debugger.program.tensors.items()
    return {
        name: tensor.grad.numpy().tobytes() for name, tensor in tensors if tensor.grad is not None
    }


@pytest.mark.parametrize("retain", [False, True])
def test_a_backward_left_half_way_gives_back_the_graph_that_it_found(make, retain):
    debugger = make()
    debugger.forward()
    root = debugger.program.losses["loss"].grad_fn
    before = [(node, node.saved, node.counters) for node in walk(root)]
    debugger.step_into(Backward(retain_graph=retain))
    for _ in range(4):
        debugger.step_into()
    assert any(node.freed for node, _, _ in before) != retain
    while debugger.position[1]:
        debugger.back()
    assert debugger.program.losses["loss"].grad_fn is root
    for node, (known, saved, counters) in zip(walk(root), before, strict=True):
        assert node == known
        assert node.saved is saved
        assert node.counters is counters
    plain = make()
    plain.forward()
    assert gradients_after_backward(debugger) == gradients_after_backward(plain)


def test_a_graph_that_was_freed_stays_freed_after_a_second_backward_was_entered(trained):
    trained.backward()
    freed = [node.freed for node in walk(trained.program.losses["loss"].grad_fn)]
    assert any(freed)
    assert trained.step_into(Backward()).error
    trained.back()
    assert trained.position == (11, None)
    assert [node.freed for node in walk(trained.program.losses["loss"].grad_fn)] == freed
    assert "second time" in trained.backward().outcome.message


STAYING = {
    "save": lambda dbg, folder: dbg.save(folder / "a.gradstep"),
    "record": lambda dbg, folder: dbg.record_to(folder / "a.gradstep").discard(),
    "what-if": lambda dbg, _: dbg.branches.remove(dbg.what_if(skip=(3,))),
    "resume check": lambda dbg, _: dbg.resume_check(),
    "who changed": lambda dbg, _: dbg.who_changed("model.0.weight[0, 0]"),
    "seek, rejected": lambda dbg, _: dbg.seek(99),
    "checkout, rejected": lambda dbg, _: dbg.checkout(7),
    "what-if, rejected": lambda dbg, _: dbg.what_if(skip=(99,)),
    "run until, rejected": lambda dbg, _: dbg.run_until("loss <"),
    "save, rejected": lambda dbg, folder: dbg.save(folder / "no" / "a.gradstep"),
}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: type(operation).__name__)
@pytest.mark.parametrize("way", STAYING)
def test_queries_and_rejected_commands_stay_inside_and_the_record_continues(
    trained, state_of, tmp_path, way, operation
):
    trained.apply(operation)
    trained.seek(10)
    trained.step_into()
    for _ in range(3):
        trained.step_into()
    before, events, micro = state_of(trained), tuple(trained.events), described(trained.micro_step)
    with contextlib.suppress(GradStepError):
        STAYING[way](trained, tmp_path)
    assert trained.position == (10, 4)
    assert (state_of(trained), tuple(trained.events)) == (before, events)
    assert described(trained.micro_step) == described(trained.snapshot.micro_step) == micro
    assert finished(trained).index == 11
    assert len(trained.branches) == 1


def test_another_operation_is_applied_as_if_none_was_entered(make):
    inside, through = make(), make()
    for dbg in (inside, through):
        dbg.forward()
        dbg.backward()
    inside.step_into(Step())
    inside.step_into()
    inside.step_into()
    assert inside.zero_grad() == through.zero_grad()
    inside.step_into(Forward())
    assert inside.iterate() == through.iterate()
    inside.step_into()
    assert inside.run_until("iteration == 3")
    assert through.run_until("iteration == 3")
    assert tuple(inside.events) == tuple(through.events)


def test_entering_in_the_past_makes_a_branch_only_when_it_is_finished(make, state_of):
    dbg = make()
    dbg.iterate(2)
    dbg.seek(3)
    dbg.step_into()
    dbg.seek(3)
    assert len(dbg.branches) == 1
    dbg.step_into(dbg.program.next_operation)
    event = finished(dbg)
    assert [branch.forked_at for branch in dbg.branches] == [0, 3]
    assert event == dbg.branches[0].history.log.event(4)
    here = state_of(dbg)
    dbg.checkout(0)
    dbg.seek(4)
    assert state_of(dbg) == here


@settings(max_examples=25)
@given(
    moves=st.lists(
        st.tuples(st.sampled_from([*OPERATIONS, Backward(retain_graph=True)]), st.integers(0, 20)),
        max_size=8,
    )
)
def test_the_way_of_stepping_does_not_change_the_events(make, state_of, moves):
    inside, through = make(), make()
    for operation, count in moves:
        through.apply(operation)
        step = inside.step_into(operation)
        for at in range(count):
            if isinstance(step, Event):
                break
            if at % 5 == 4:
                inside.back()
                if inside.position[1] is None:
                    inside.step_into(operation)
            else:
                step = (inside.step_into, inside.step_over, inside.step_out)[at % 3]()
        if not isinstance(step, Event):
            finished(inside)
        assert state_of(inside) == state_of(through)
    assert tuple(inside.events) == tuple(through.events)
    assert inside.findings == through.findings


def test_a_saved_session_holds_no_micro_steps(trained, tmp_path, state_of):
    before = state_of(trained)
    trained.step_into(Step())
    trained.save(tmp_path / "a.gradstep")
    opened = Debugger.open(tmp_path / "a.gradstep")
    assert opened.position == (10, None)
    assert state_of(opened) == before


def test_an_interrupted_micro_step_leaves_the_operation(trained, state_of, monkeypatch):
    before = state_of(trained)
    trained.step_into(Step())

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(type(trained.program.optimizers["optimizer"]), "visits_of", interrupt)
        trained.step_into()
        with pytest.raises(KeyboardInterrupt):
            trained.step_into()
    assert trained.position == (10, None)
    assert state_of(trained) == before


def test_a_micro_step_never_changes_after_it_was_taken(trained):
    step = trained.step_into(Step())
    shown = [(one, described(one)) for one in [step]]
    while not isinstance(step := trained.step_into(), Event):
        shown.append((step, described(step)))
    assert all(described(one) == then for one, then in shown)
    with pytest.raises(ValueError, match="read-only"):
        shown[1][0].inputs["param"][...] = 0


def test_entering_the_past_walks_through_recorded_operations_and_makes_no_branch(make, state_of):
    dbg = make()
    dbg.forward()
    dbg.backward()
    dbg.backward()  # fails: not what the loop would do
    dbg.step()
    ends = []
    for index in range(1, 5):
        dbg.seek(index)
        ends.append(state_of(dbg))
    dbg.seek(0)
    for index in range(4):
        step = dbg.step_into()
        assert dbg.position == (index, 1)
        while not isinstance(step, Event):
            step = dbg.step_into()
        assert step == dbg.events[index]
        assert dbg.position == (index + 1, None)
        assert state_of(dbg) == ends[index]
    assert len(dbg.branches) == 1
    assert dbg.step_over().operation == ZeroGrad()


def test_stepping_over_in_the_past_follows_the_recorded_events(make):
    dbg = make()
    dbg.iterate(2)
    events = tuple(dbg.events)
    dbg.seek(0)
    assert tuple(dbg.step_over() for _ in range(8)) == events
    assert len(dbg.branches) == 1


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: type(operation).__name__)
def test_back_from_an_operation_finished_inside_goes_to_its_last_micro_step(trained, operation):
    step, seen = trained.step_into(operation), []
    while not isinstance(step, Event):
        seen.append(described(step))
        step = trained.step_into()
    assert trained.position == (11, None)
    trained.back()
    assert trained.position == (10, len(seen))
    assert described(trained.micro_step) == seen[-1]
    trained.back()
    assert trained.position == (10, len(seen) - 1 or None)
    while not isinstance(step := trained.step_into(), Event):
        pass
    assert trained.position == (11, None)
    assert len(trained.branches) == 1


def test_back_from_an_event_reached_by_seek_goes_to_the_event_before(trained):
    while not isinstance(trained.step_into(), Event):
        pass
    trained.seek(10)
    trained.seek(11)
    trained.back()
    assert trained.position == (10, None)


def place(dbg):
    """Return the position as something that grows: an Event lies before what is inside the next."""
    index, micro = dbg.position
    return index, micro or 0


MOVES = ["step_into", "step_over", "step_out", "back"]


programs = st.sampled_from(CASES).map(
    lambda case: {"kind": case[0], "params": ["model.*"], **case[1]}
)


@settings(max_examples=40)
@given(moves=st.lists(st.sampled_from(MOVES), max_size=60), optimizer=programs)
def test_moves_in_any_order_leave_the_states_of_a_plain_run(make, state_of, moves, optimizer):
    document = {"optimizers": {"optimizer": optimizer}}
    inside, through = make(**document), make(**document)
    states = {0: state_of(through)}
    for move in moves:
        if move == "step_out" and inside.position[1] is None:
            continue
        if move == "back" and inside.position == (0, None):
            continue
        before = place(inside)
        getattr(inside, move)()
        assert (place(inside) > before) is (move != "back")
        index, micro = inside.position
        while index not in states:
            through.apply(through.program.next_operation)
            states[through.position[0]] = state_of(through)
        if micro is None:
            assert state_of(inside) == states[index]
    assert tuple(inside.events) == tuple(through.events)[: len(inside.events)]
    assert len(inside.branches) == 1


def test_a_watch_that_looks_at_the_past_leaves_one_inside_the_recorded_operation(make):
    dbg = make("line")
    dbg.iterate(3)
    dbg.seek(3)
    first = described(dbg.step_into())
    dbg.watch("norm(data('x'))").at(0)
    assert described(dbg.micro_step) == first
    assert finished(dbg).index == 4
    assert [branch.name for branch in dbg.branches] == ["main"]
