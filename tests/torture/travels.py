"""Random ways through a recording, against a model: a list of states for each branch.

`make torture KIND=travels COUNT=10000` tries as many ways. Hypothesis finds the shortest that is
wrong; the machine in `tests/core/debugger/test_any_session.py` has more rules and more programs,
and is slower.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from gradstep.debugger import Debugger
from gradstep.program import operation as ops
from gradstep.program.document.codec import decode
from gradstep.program.program import Program
from tests.core.debugger.conftest import frozen
from tests.torture.sandbox import Tally

if TYPE_CHECKING:
    from gradstep.history.records.event import Event

__all__ = ["attack_by_travels"]

STEPS = 15
"""Moves of one way, at most."""

_PROGRAM = {
    "gradstep": 1,
    "seed": 3,
    "data": {
        "a": {
            "kind": "inline",
            "inputs": [[0.5], [1.0], [-2.0]],
            "targets": [[1.0], [2.0], [-4.0]],
            "batch_size": 2,
            "shuffle": True,
        }
    },
    "modules": {"model": [{"kind": "Linear", "in_features": 1, "out_features": 1}]},
    "losses": {"loss": {"data": "a", "chain": ["model"], "criterion": {"kind": "MSELoss"}}},
    "optimizers": {
        "optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.05, "momentum": 0.9}
    },
}
_SPEC = decode(json.dumps(_PROGRAM).encode())
_OPERATIONS = (
    *(ops.ZeroGrad(), ops.Forward(), ops.Backward(), ops.Step()) * 2,
    *(ops.Forward(batch="held"), ops.Backward(retain_graph=True), ops.Step("nobody")),
    *(ops.SetHyperparameter("lr", 0.01), ops.SetHyperparameter("lr", -1.0)),
    *(ops.Freeze("model.*"), ops.RebuildModule("model"), ops.SetValue("model.bias", 0.5)),
)
_share = st.floats(0, 1)


class Travels(RuleBasedStateMachine):
    """Every rule is a move; the model knows which state it has to lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="travels-"))
        self.debugger = Debugger(_SPEC)
        self.states = {0: [self._state()]}
        self.operations: dict[int, list[ops.Operation]] = {0: []}
        self.current, self.at = 0, 0
        self.saves = 0

    def teardown(self) -> None:
        """Compare each branch with a program that just runs its Operations."""
        try:
            for number, operations in self.operations.items():
                program = Program.from_spec(_SPEC)
                log = self.debugger.branches.find(number).history.events
                for event, operation in zip(log, operations, strict=True):
                    if event.outcome.ok:
                        program.run(operation)
                assert frozen(program.capture()) == self.states[number][-1]
        finally:
            shutil.rmtree(self.folder)

    def _state(self) -> Any:
        return frozen(self.debugger.program.capture())

    @invariant()
    def stands_where_the_model_stands(self) -> None:
        debugger = self.debugger
        assert debugger.branches.current.id == self.current
        assert debugger.position == (self.at, None)
        assert self._state() == self.states[self.current][self.at]
        lengths = {branch.id: len(branch.history.events) for branch in debugger.branches}
        assert lengths == {number: len(known) for number, known in self.operations.items()}

    def _record(self, event: Event) -> None:
        number = self.debugger.branches.current.id
        if number != self.current:  # in the past: a branch begins there
            assert self.at < len(self.operations[self.current])
            self.states[number] = self.states[self.current][: self.at + 1]
            self.operations[number] = self.operations[self.current][: self.at]
            self.current = number
        # Failed Operations are no past: what follows them is at the end.
        self.at = len(self.operations[number])
        if not event.outcome.ok:
            assert self._state() == self.states[number][self.at]
        self.operations[number].append(event.operation)
        self.states[number].append(self._state())
        self.at += 1
        assert event.index == self.at

    @rule(operation=st.sampled_from(_OPERATIONS))
    def apply(self, operation: ops.Operation) -> None:
        self._record(self.debugger.apply(operation))

    @rule()
    def iterate(self) -> None:
        for operation in self.debugger.program.loop_operations():  # type: ignore[attr-defined]
            self._record(self.debugger.apply(operation))

    @rule(share=_share)
    def seek(self, share: float) -> None:
        self.at = round(share * len(self.operations[self.current]))
        self.debugger.seek(self.at)

    @rule()
    def back(self) -> None:
        if self.at:
            self.at -= 1
            self.debugger.back()

    @rule()
    def fork(self) -> None:
        if len(self.states) < 6:
            number = self.debugger.fork().id
            self.states[number] = self.states[self.current][: self.at + 1]
            self.operations[number] = self.operations[self.current][: self.at]
            self.current = number

    @rule(share=_share)
    def checkout(self, share: float) -> None:
        self.current = self._chosen(share)
        self.at = len(self.operations[self.current])
        self.debugger.checkout(self.current)

    @rule(share=_share)
    def remove(self, share: float) -> None:
        number = self._chosen(share)
        branches = self.debugger.branches
        if number != self.current and all(item.parent != number for item in branches):
            branches.remove(number)
            del self.states[number], self.operations[number]

    def _chosen(self, share: float) -> int:
        numbers = sorted(self.states)
        return numbers[min(len(numbers) - 1, int(share * len(numbers)))]

    @rule()
    def save_and_load(self) -> None:
        self.debugger.save(self.folder / "a.gradstep")
        self.debugger = Debugger.open(self.folder / "a.gradstep")
        assert not self.debugger.alteration

    @rule(operation=st.sampled_from(_OPERATIONS))
    def record_and_load(self, operation: ops.Operation) -> None:
        self.saves += 1
        recorder = self.debugger.record_to(self.folder / f"{self.saves}.gradstep")
        self._record(self.debugger.apply(operation))
        recorder.close()
        self.debugger = Debugger.open(recorder.path)
        assert not self.debugger.alteration


def attack_by_travels(count: int, first: int = 0) -> Tally:
    """Try random ways; the first number changes which."""
    tally = Tally()
    machine = seed(first)(Travels)
    chosen = settings(
        max_examples=count,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    try:
        run_state_machine_as_test(machine, settings=chosen)
        tally.counts["right"] = count
    except Exception as error:  # noqa: BLE001 - whatever is wrong is reported
        notes = "\n".join(getattr(error, "__notes__", ()))
        tally.counts["wrong"] = 1
        tally.wrong.append((first, "wrong", f"{traceback.format_exc()}\n{notes}"))
    return tally
