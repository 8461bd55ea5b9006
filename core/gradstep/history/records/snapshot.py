"""Snapshot: the immutable state after an Event, the only thing that views see.

Addresses name what an Operation reads or writes. The notation is the same everywhere:

    model.0.weight                              a tensor's data
    model.0.weight.grad                         its gradient
    optimizer/model.0.weight/momentum_buffer    one state buffer of one optimizer
    optimizer/lr                                a hyperparameter
    loss.graph                                  the recorded graph of a loss
    loss                                        the value of a loss
    data.train                                  the position in a data set
    generator                                   the random generator

`STALE` follows the name of a tensor that an optimizer holds although its module has replaced it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gradstep.program.abilities import Abilities
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
    """One parameter group: its hyperparameters, and the names of the tensors it holds.

    A tensor that no module of the program owns any more has `STALE` after its name.
    """

    parameters: tuple[str, ...]
    hyperparameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class OptimizerRecord:
    """One optimizer: its name, class and groups, and how many steps it has done."""

    name: str
    kind: str
    groups: tuple[GroupRecord, ...]
    steps: int = 0


@dataclass(frozen=True, slots=True)
class ModuleRecord:
    """One module: `detail` is the arguments in its repr, `parameters` the names of its tensors."""

    name: str
    kind: str
    detail: str
    training: bool
    parameters: tuple[str, ...] = ()
    children: tuple[ModuleRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """The last batch of a loss: `rows` of `data`; batch `number` of `count` in epoch `epoch`."""

    data: str
    rows: tuple[int, ...]
    epoch: int
    number: int
    count: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state after an Event.

    Attributes:
        event: The last Event; None at the start.
        event_index: Its index; 0 at the start.
        event_count: The number of Events on this branch.
        iteration: The number of complete iterations.
        loss: The value of the last Forward; None before the first.
        losses: The last value of each loss and metric; None before its first Forward.
        metrics: The names among them that are metrics.
        parameters: Every named tensor of the program, in the order of its modules.
        optimizers: Every optimizer by name.
        modules: The roots of the module tree.
        batches: The last batch of each loss; losses without data are absent.
        last_loss: The name of the loss that was computed last; empty before the first Forward.
        graphs: The recorded graphs that were requested, by loss.
        findings: What the diagnostics found up to this Event.
        occurrences: All Events of the branch where each finding was noticed, later ones included.
        changed: The addresses that the Event wrote, to highlight them.
        next_operation: The next Operation of the program's loop; None without a loop.
        next_line: Its position in the loop, from 0; None without a loop.
        recorded_next: The Operation of the Event after this moment; None where none is recorded.
        abilities: What can be done with the program or the script, and why not.
        micro_step: The last micro-step; None outside of an Operation.
        inside: The Operation that was stepped into; None outside of one.
        micro_step_number: The number of micro-steps done in it; 0 outside of an Operation.
        sentence: What the Event did and left alone, or inside of an Operation what the micro-step
            did, such as "Backward wrote x.grad = [100, 100]. x did not move."
    """

    event: Event | None
    event_index: int
    event_count: int
    iteration: int
    loss: float | None
    losses: Mapping[str, float | None] = field(default_factory=_nothing)
    metrics: frozenset[str] = frozenset()
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
    recorded_next: Operation | None = None
    abilities: Abilities = field(default_factory=Abilities)
    micro_step: MicroStep | None = None
    inside: Operation | None = None
    micro_step_number: int = 0
    sentence: str = ""

    @property
    def walked(self) -> Operation | None:
        """The Operation of the micro-step: the one stepped into, or one that it evaluates."""
        step = self.micro_step
        return self.inside if step is None or step.within is None else step.within

    @property
    def upcoming(self) -> Operation | None:
        """The next Operation: inside an Operation that one, in the past the recorded one."""
        return self.inside or self.recorded_next or self.next_operation

    @property
    def graph(self) -> GraphRecord | None:
        """The graph of the loss that was computed last; None before the first Forward."""
        return self.graphs.get(self.last_loss)
