"""What a random session is compared with: a straight run, plain records, possible actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass

import numpy as np
from hypothesis import strategies as st

from gradstep.errors import GradStepError, OperationError
from gradstep.program import operation as ops
from gradstep.program.program import Program
from gradstep.program.state.program_state import unpack
from tests.core.debugger.conftest import frozen


class Straight:
    """What each Operation of a branch leaves behind when a new Program runs them all."""

    def __init__(self, spec):
        self.spec = spec
        self.begin()

    def begin(self):
        self.program = Program.from_spec(self.spec)
        self.operations, self.states = [], [self.program.capture()]
        self.frozen, self.outcomes = [frozen(self.states[0])], [True]

    def follow(self, operations):
        """Run Operations, from the start unless they continue those before."""
        if self.operations != operations[: len(self.operations)]:
            self.begin()
        for operation in operations[len(self.operations) :]:
            try:
                with np.errstate(all="ignore"):
                    if isinstance(operation, ops.LoadState):
                        if operation.event >= len(self.states):
                            raise OperationError("a moment that is still to come")
                        state = self.states[operation.event]
                        self.program.load_state(state, operation.parts)
                    else:
                        self.program.run(operation)
                self.outcomes.append(True)
            except GradStepError:
                self.outcomes.append(False)
            self.operations.append(operation)
            self.states.append(self.program.capture())
            self.frozen.append(frozen(self.states[-1]))
        return self


def operations(dbg):
    """Return a strategy for Operations, some of which fail."""
    program = dbg.program
    losses = st.sampled_from([*program.losses, "nobody"])
    optimizers = st.sampled_from(list(program.optimizers))
    tensors = st.sampled_from(list(program.tensors))
    often = [
        st.builds(ops.ZeroGrad, optimizers, st.booleans()),
        st.builds(ops.Forward, losses, st.sampled_from(["next", "held"])),
        st.builds(ops.Backward, losses, st.booleans()),
        st.builds(ops.Step, optimizers),
    ]
    seldom = [
        st.builds(ops.ClipGradNorm, st.sampled_from([1e-3, 1.0]), optimizers),
        st.builds(ops.ClipGradValue, st.just(0.01), optimizers),
        st.builds(
            ops.SetHyperparameter,
            st.sampled_from(["lr", "weight_decay", "nonsense"]),
            st.sampled_from([0.0, 0.01, -1.0]),
            optimizers,
        ),
        st.builds(ops.Freeze, tensors, st.booleans()),
        st.builds(ops.SetMode, st.booleans()),
        st.builds(ops.ReplaceOptimizer, st.sampled_from(["RMSprop", "SGD"]), optimizers),
        st.builds(
            ops.SetValue,
            tensors,
            st.sampled_from([0.5, -2.0, float("nan")]),
            through_data=st.booleans(),
        ),
        st.builds(ops.LoadState, st.integers(0, dbg.position[0])),
        loop_edits(program),
    ]
    for names, build in (
        (program.modules, ops.RebuildModule),
        (program.spec.data, lambda name: ops.SetBatchSize(name, 3)),
        (program.schedulers, lambda name: ops.SchedulerStep(name, next(iter(program.losses)))),
    ):
        if names:
            seldom.append(st.sampled_from(list(names)).map(build))
    return st.one_of(*often, *often, *seldom)


def loop_edits(program):
    """Return a strategy for edits of the loop, some of which no program can have."""
    lines = st.builds(
        ops.LoopLine,
        st.sampled_from([*(line.operation for line in program.lines), ops.Step("nobody")]),
        st.sampled_from([1, 1, 1, 2, "epoch"]),
        enabled=st.sampled_from([True, True, False]),
    )
    return st.one_of(
        st.permutations(program.lines).map(
            lambda loop: ops.EditLoop(lines=tuple(loop), following=len(loop) // 2)
        ),
        st.builds(
            ops.EditLoop, lines=st.lists(lines, max_size=6).map(tuple), following=st.integers(0, 6)
        ),
    )


def as_plain(record):
    """Return records as plain data, arrays by their bytes."""
    if is_dataclass(record):
        return [as_plain(getattr(record, item.name)) for item in fields(record)]
    if isinstance(record, Mapping):
        return [(key, as_plain(value)) for key, value in record.items()]
    if isinstance(record, tuple):
        return [as_plain(item) for item in record]
    return record.tobytes() if isinstance(record, np.ndarray) else repr(record)


def unpacked(packed):
    return np.asarray(unpack(packed))
