"""Random sessions with the Debugger: results, reports and errors are right in any order."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from gradstep.debugger import Debugger
from gradstep.errors import GradStepError
from gradstep.history.graph_taker import GraphTaker
from gradstep.history.records.event import Event
from gradstep.history.snapshot_taker import SnapshotTaker
from tests.core.debugger.any_program import PROGRAMS
from tests.core.debugger.any_session import Straight, as_plain, operations, unpacked
from tests.core.debugger.conftest import frozen, open_program
from tests.core.debugger.contributions import assert_add_up

CONDITIONS = (
    "loss < 0.3",
    "not finite(loss)",
    "iteration == 2",
    "changed(grad('{tensor}'))",
    "norm(grad('{tensor}')) > 0.5",
    "max(abs(data('{tensor}'))) > 3 or last_error",
    "grad('{tensor}') is none",
    "loss <",
)
share = st.floats(0, 1)


class AnySession(RuleBasedStateMachine):
    """Every rule is something that a user can do; every invariant holds after each of them."""

    programs = tuple(PROGRAMS.values())

    def __init__(self):
        super().__init__()
        self.folder = TemporaryDirectory()

    def teardown(self):
        self.folder.cleanup()

    @initialize(data=st.data())
    def open(self, data):
        self.document = data.draw(st.sampled_from(self.programs))
        self.dbg = open_program(self.document)
        self.straight = Straight(self.dbg.program.spec)
        self.removed = []
        self.tensors = tuple(self.dbg.program.tensors)

    # -- what holds at every moment ---------------------------------------------------------------

    def state(self):
        return frozen(self.dbg.program.capture())

    def standing(self):
        """Return all that a rejected call must leave unchanged."""
        dbg = self.dbg
        return (
            self.state(),
            dbg.position,
            dbg.branches.current,
            dbg.branches,
            # A loss may be NaN, which equals no other but is written like it.
            [repr(list(branch.history.events)) for branch in dbg.branches],
            [point.record for point in dbg.breakpoints],
            [watch.expression for watch in dbg.watches],
        )

    @contextlib.contextmanager
    def maybe_rejected(self):
        before, rejected = self.standing(), None
        try:
            yield
        except GradStepError as error:
            rejected = error
        if rejected is not None:
            assert rejected.message
            for one, other in zip(self.standing(), before, strict=True):
                assert one == other, f"changed by a rejected call: {rejected}"

    def follow(self):
        return self.straight.follow([event.operation for event in self.dbg.events])

    @invariant()
    def bits_are_those_of_a_straight_run(self):
        if not hasattr(self, "dbg"):
            return
        event, inside = self.dbg.position
        straight = self.follow()
        outcomes = [True, *(event.outcome.ok for event in self.dbg.events)]
        assert outcomes == straight.outcomes
        if inside is None:
            assert self.state() == straight.frozen[event]

    @invariant()
    def what_is_shown_is_what_is_there(self):
        if not hasattr(self, "dbg"):
            return
        shown = self.dbg.snapshot
        assert (shown.event_index, shown.micro_step_number) == (
            self.dbg.position[0],
            self.dbg.position[1] or 0,
        )
        program = self.dbg.program
        rebuilt = SnapshotTaker(program).take(None, 0)
        assert as_plain(shown.parameters) == as_plain(rebuilt.parameters)
        assert as_plain(shown.optimizers) == as_plain(
            {
                name: replace(record, steps=shown.optimizers[name].steps)
                for name, record in rebuilt.optimizers.items()
            }
        )
        for name, tensor in program.tensors.items():
            record = shown.parameters[name]
            assert record.data.tobytes() == tensor.detach().numpy().tobytes()
            assert (record.grad is None) == (tensor.grad is None)
        fresh = GraphTaker(program).take(None)
        assert fresh.keys() == shown.graphs.keys()
        for loss, graph in fresh.items():
            assert as_plain(without_origins(shown.graphs[loss])) == as_plain(without_origins(graph))

    # -- operations ------------------------------------------------------------------------------

    @rule(data=st.data())
    def apply(self, data):
        with self.maybe_rejected():
            self.dbg.apply(data.draw(operations(self.dbg)))

    @rule()
    def iterate(self):
        with self.maybe_rejected():
            self.dbg.iterate()

    @rule(data=st.data(), enter=st.booleans(), count=st.integers(0, 12))
    def step_into(self, data, enter, count):
        with self.maybe_rejected():
            step = self.dbg.step_into(data.draw(operations(self.dbg)) if enter else None)
            for _ in range(count):
                if isinstance(step, Event):
                    break
                step = self.dbg.step_into()

    @rule()
    def step_over(self):
        with self.maybe_rejected():
            self.dbg.step_over()

    @rule(count=st.integers(1, 4))
    def step_out(self, count):
        with self.maybe_rejected():
            for _ in range(count):
                if self.dbg.position[1] is not None:
                    self.dbg.step_out()

    @rule(count=st.integers(1, 5))
    def back(self, count):
        for _ in range(count):
            with self.maybe_rejected():
                self.dbg.back()

    # -- time and branches -----------------------------------------------------------------------

    @rule(share=share)
    def seek(self, share):
        self.dbg.seek(round(share * len(self.dbg.events)))
        with self.maybe_rejected():
            if self.dbg.position == (0, None):
                self.dbg.seek(len(self.dbg.events) + 1)

    @rule()
    def fork(self):
        if len(self.dbg.branches) < 6:
            self.dbg.fork()

    @rule(number=st.integers(0, 7))
    def checkout(self, number):
        with self.maybe_rejected():
            self.dbg.checkout(number)

    @rule(number=st.integers(0, 7))
    def remove(self, number):
        with self.maybe_rejected():
            self.removed.append(self.dbg.branches.remove(number))

    @rule()
    def restore(self):
        if self.removed:
            with self.maybe_rejected():
                self.dbg.branches.restore(self.removed.pop())

    @rule(data=st.data(), way=st.sampled_from(["skip", "insert", "move", "set"]), share=share)
    def what_if(self, data, way, share):
        if len(self.dbg.branches) > 6:
            return
        count, position = len(self.dbg.events), self.dbg.position[0]
        at = round(share * (count + 1))
        edits = {
            "skip": {"skip": (at,)},
            "insert": {"insert": ((at, data.draw(operations(self.dbg))),)},
            "move": {"move": ((at, data.draw(st.integers(0, count + 1))),)},
            "set": {"at": at, "set": {f"{next(iter(self.dbg.program.optimizers))}.lr": 0.02}},
        }[way]
        here, moment = self.dbg.branches.current, self.dbg.position
        with self.maybe_rejected():
            branch = self.dbg.what_if(**edits)
            assert (self.dbg.branches.current, self.dbg.position) == (here, moment)
            other = Straight(self.dbg.program.spec)
            recorded = tuple(branch.history.events)
            other.follow([event.operation for event in recorded])
            assert [True, *(event.outcome.ok for event in recorded)] == other.outcomes
            self.dbg.checkout(branch)
            assert self.state() == other.frozen[-1]
            self.dbg.checkout(here)
            self.dbg.seek(position)

    @rule(one=st.integers(0, 6), two=st.integers(0, 6))
    def compare(self, one, two):
        before = self.standing()
        with self.maybe_rejected():
            found = self.dbg.compare(one, two)
            assert (found.first_event is None) or (found.first_event > 0)
        assert self.standing() == before

    @rule()
    def resume_check(self):
        before = self.standing()
        if len(self.dbg.events) < 40:
            with self.maybe_rejected():
                self.dbg.resume_check()
        assert self.standing() == before

    @rule()
    def save_and_open(self):
        path = Path(self.folder.name) / "a.gradstep"
        before = self.standing()
        self.dbg.save(path)
        assert self.standing() == before
        self.dbg.seek(self.dbg.position[0])
        before = self.standing()
        self.dbg = Debugger.open(path)
        after = self.standing()
        assert (after[0], after[1], after[4]) == (before[0], before[1], before[4])
        self.removed.clear()

    @rule(test=st.booleans())
    def script(self, test):
        before = self.standing()
        with contextlib.suppress(GradStepError):
            compile(self.dbg.script(test=test), "exported.py", "exec")
        assert self.standing() == before

    # -- runs ------------------------------------------------------------------------------------

    @rule(condition=st.sampled_from(CONDITIONS), data=st.data())
    def break_when(self, condition, data):
        if len(self.dbg.breakpoints) < 4:
            with self.maybe_rejected():
                tensor = data.draw(st.sampled_from(self.tensors))
                self.dbg.break_when(condition.replace("{tensor}", tensor))

    @rule()
    def remove_breakpoint(self):
        for point in tuple(self.dbg.breakpoints)[:1]:
            point.remove()

    @rule(condition=st.sampled_from(CONDITIONS), data=st.data())
    def watch(self, condition, data):
        if len(self.dbg.watches) < 4:
            with self.maybe_rejected():
                tensor = data.draw(st.sampled_from(self.tensors))
                self.dbg.watch(condition.replace("{tensor}", tensor))
        before = self.standing()
        _ = self.dbg.breakpoints.records, self.dbg.watches.records()
        assert self.standing() == before

    @rule(count=st.integers(1, 2))
    def run(self, count):
        if len(self.dbg.events) < 80:
            with self.maybe_rejected():
                assert self.dbg.run(count).sentence

    @rule()
    def run_back(self):
        assert self.dbg.run_back().sentence
        assert self.dbg.position[1] is None

    @rule(condition=st.sampled_from(CONDITIONS), data=st.data())
    def run_until(self, condition, data):
        if len(self.dbg.events) < 80:
            tensor = data.draw(st.sampled_from(self.tensors))
            with contextlib.suppress(GradStepError):
                self.dbg.run_until(condition.replace("{tensor}", tensor), 2)

    # -- questions -------------------------------------------------------------------------------

    @rule(data=st.data())
    def explain(self, data):
        before = self.standing()
        name = data.draw(st.sampled_from(list(self.dbg.program.tensors)))
        why = self.dbg.explain(name)
        added = sum((term.value for term in why.terms), np.zeros(why.total.shape))
        np.testing.assert_allclose(added, why.total, rtol=1e-12, atol=1e-300)
        assert self.standing() == before
        if why.event is not None:
            moved = self.values(name, why.event) - self.values(name, why.event - 1)
            assert why.total.tobytes() == moved.tobytes()

    @rule(data=st.data())
    def provenance(self, data):
        before = self.standing()
        name = data.draw(st.sampled_from(list(self.dbg.program.tensors)))
        parts = self.dbg.provenance(name)
        assert self.standing() == before
        if self.dbg.position[1] is not None:
            return  # it is of the moment before the Operation was entered
        grad = self.dbg.snapshot.parameters[name].grad
        if grad is None:
            assert not parts
            return
        assert_add_up(parts, grad)

    @rule(data=st.data(), kind=st.sampled_from(["data", "grad", "element"]))
    def who_changed(self, data, kind):
        before = self.standing()
        name = data.draw(st.sampled_from(list(self.dbg.program.tensors)))
        shape = self.dbg.program.tensors[name].shape
        index = tuple(0 for _ in shape) if kind == "element" else ()
        place = f"{name}[{', '.join(map(str, index))}]" if index else name
        event = self.dbg.who_changed(f"{name}.grad" if kind == "grad" else place)
        assert self.standing() == before
        if kind == "grad":
            found = [self.gradient(at, name) for at in range(self.dbg.position[0] + 1)]
        else:
            found = [
                self.values(name, at)[index].tobytes() for at in range(self.dbg.position[0] + 1)
            ]
        moved = [at for at in range(1, len(found)) if found[at] != found[at - 1]]
        if index:
            assert event == (moved[-1] if moved else None)
        elif moved:  # an Event may also have written what was there already
            assert event >= moved[-1]

    def values(self, name, event):
        return self.tensor(name, event)[0].astype(np.float64)

    def gradient(self, event, name):
        gradient = self.tensor(name, event)[1]
        return None if gradient is None else np.asarray(gradient).tobytes()

    def tensor(self, name, event):
        """Return the values and the gradient of a tensor after an Event, of the straight run."""
        data, gradient, *_ = self.follow().states[event].tensors[self.key_of(name, event)]
        return unpacked(data), None if gradient is None else unpacked(gradient)

    def key_of(self, name, event):
        return name


def without_origins(graph):
    """Return the nodes without their modules and the names of what they saved.

    These cannot be found again after a Freeze; what was known before it is shown.
    """
    return tuple(
        replace(node, module="", call=0, saved=tuple(replace(one, name="") for one in node.saved))
        for node in graph.nodes
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_any_detour_gives_the_session_of_a_straight_run(name):
    class Machine(AnySession):
        programs = (PROGRAMS[name],)

    Machine.TestCase.settings = settings(max_examples=4, stateful_step_count=15)
    Machine.TestCase("runTest").runTest()
