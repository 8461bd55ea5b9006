"""Snapshot: the immutable picture of a moment, which is all that the views ever see.

Addresses name what an Operation reads or writes, everywhere in the same notation:

    model.0.weight                              a tensor's data
    model.0.weight.grad                         its gradient
    optimizer/model.0.weight/momentum_buffer    one state buffer of one optimizer
    optimizer/lr                                a hyper-parameter
    loss.graph                                  the recorded graph of a loss
    loss                                        a loss's value
    data.train                                  the position in a data set
    generator                                   the random generator

`STALE` follows the name of a tensor that is held though its module has replaced it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gradstep.program.runtime.descriptions import STALE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.history.records.event import Event
    from gradstep.history.records.finding import Finding, FindingOccurrences
    from gradstep.history.records.graph import GraphRecord
    from gradstep.history.records.tensor import ParameterRecord
    from gradstep.program.micro_step import MicroStep
    from gradstep.program.operation import Operation

__all__ = [
    "STALE",
    "BatchRecord",
    "GroupRecord",
    "ModuleRecord",
    "OptimizerRecord",
    "Snapshot",
]


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class GroupRecord:
    """One parameter group: its hyper-parameters, and the names of the tensors it holds.

    A held tensor that no module of the program owns any more is listed by its name and `STALE`.
    """

    parameters: tuple[str, ...]
    hyperparameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class OptimizerRecord:
    """One optimizer: its name, its class, its groups, and how often it has stepped."""

    name: str
    kind: str
    groups: tuple[GroupRecord, ...]
    steps: int = 0


@dataclass(frozen=True, slots=True)
class ModuleRecord:
    """One module in the tree: `detail` is its repr's arguments, `parameters` its own full names."""

    name: str
    kind: str
    detail: str
    training: bool
    parameters: tuple[str, ...] = ()
    children: tuple[ModuleRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """The batch a loss last saw: `rows` of `data`; batch `number` of `count` in epoch `epoch`."""

    data: str
    rows: tuple[int, ...]
    epoch: int
    number: int
    count: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What there is to see after an Event.

    Attributes:
        event: The Event just applied; None at the very start.
        event_index: Its index; 0 at the very start.
        event_count: How many Events the History holds on this branch.
        iteration: How many whole passes of the loop are complete.
        loss: The value of the last Forward, or None when there has been none.
        losses: The last value of each loss; None for those not computed yet.
        parameters: Every named tensor of the program, in the order of its modules.
        optimizers: Every optimizer by name.
        modules: The roots of the module tree.
        batches: The batch each loss last saw; losses without data are absent.
        last_loss: The name of the loss last computed; empty before the first Forward.
        graphs: The recorded graphs that somebody asked for, by loss.
        findings: What the diagnostics say up to this Event.
        occurrences: Where on the branch each finding was noticed, after this Event too.
        changed: Addresses that the Event wrote, for marking.
        next_operation: The line of the program's loop that comes next; None when it has no loop.
        next_line: The place of that line in the loop, from 0; None when it has no loop.
        micro_step: The micro-step just taken; None outside of an Operation.
        inside: The Operation that was entered; None outside of one.
        micro_step_number: How many micro-steps of it are taken; 0 outside of an Operation.
    """

    event: Event | None
    event_index: int
    event_count: int
    iteration: int
    loss: float | None
    losses: Mapping[str, float | None] = field(default_factory=_nothing)
    parameters: Mapping[str, ParameterRecord] = field(default_factory=_nothing)
    optimizers: Mapping[str, OptimizerRecord] = field(default_factory=_nothing)
    modules: tuple[ModuleRecord, ...] = ()
    batches: Mapping[str, BatchRecord] = field(default_factory=_nothing)
    last_loss: str = ""
    graphs: Mapping[str, GraphRecord] = field(default_factory=_nothing)
    findings: tuple[Finding, ...] = ()
    occurrences: tuple[FindingOccurrences, ...] = ()
    changed: frozenset[str] = field(default_factory=frozenset)
    next_operation: Operation | None = None
    next_line: int | None = None
    micro_step: MicroStep | None = None
    inside: Operation | None = None
    micro_step_number: int = 0

    @property
    def walked(self) -> Operation | None:
        """The Operation that the micro-step lies in: one of an evaluation, or that entered."""
        step = self.micro_step
        return self.inside if step is None or step.within is None else step.within

    @property
    def graph(self) -> GraphRecord | None:
        """The graph of the loss last computed; None before the first Forward."""
        return self.graphs.get(self.last_loss)
