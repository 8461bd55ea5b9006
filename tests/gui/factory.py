"""Hand-made Snapshots and a controller that only remembers, for the tests of docks."""

from __future__ import annotations

import itertools
from types import MappingProxyType, SimpleNamespace

import numpy as np
from PySide6.QtCore import QObject, Signal

from gradstep.history.log.event_log import EventLog
from gradstep.history.log.vocabulary import Vocabulary
from gradstep.history.records.breakpoints import Breaks
from gradstep.history.records.event import Event, Outcome
from gradstep.history.records.snapshot import GroupRecord, ModuleRecord, OptimizerRecord, Snapshot
from gradstep.history.records.tensor import ParameterRecord, TensorRecord
from gradstep.program.abilities import Abilities
from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
from gradstep.script.output_log import OutputLog
from gradstep_gui.control.muted_findings import MutedFindings

LOOP = (ZeroGrad(), Forward(), Backward(), Step())


def tensor(values, keep=True) -> TensorRecord:
    """A record of an array, with its values unless `keep` is False."""
    array = np.array(values, dtype=np.float32)
    finite = array[np.isfinite(array)].astype(np.float64)
    array.setflags(write=False)
    return TensorRecord(
        shape=array.shape,
        dtype="float32",
        norm=float(np.linalg.norm(finite)),
        mean=float(finite.mean()) if finite.size else float("nan"),
        minimum=float(finite.min()) if finite.size else float("nan"),
        maximum=float(finite.max()) if finite.size else float("nan"),
        nan_count=int(np.isnan(array).sum()),
        inf_count=int(np.isinf(array).sum()),
        array=array if keep else None,
    )


def parameter(
    name, values, grad=None, *, buffers=None, held_by=("optimizer",), keep=True, **fields
) -> ParameterRecord:
    """One tensor; `buffers` is {optimizer: {key: values or number}}."""
    records = {
        optimizer: {
            key: value if isinstance(value, float) else tensor(value, keep)
            for key, value in state.items()
        }
        for optimizer, state in (buffers or {}).items()
    }
    return ParameterRecord(
        name=name,
        value=tensor(values, keep),
        gradient=None if grad is None else tensor(grad, keep),
        version=fields.pop("version", 0),
        requires_grad=fields.pop("requires_grad", True),
        held_by=held_by,
        buffers=MappingProxyType(records),
        **fields,
    )


def snapshot(*parameters, event=None, **fields) -> Snapshot:
    """A moment with these tensors, after `event`."""
    index = 0 if event is None else event.index
    fields.setdefault("event_count", index)
    fields.setdefault("iteration", 0 if event is None else event.iteration)
    fields.setdefault("loss", None)
    fields.setdefault("changed", frozenset() if event is None else frozenset(event.writes))
    return Snapshot(
        event=event,
        event_index=index,
        parameters={record.name: record for record in parameters},
        **fields,
    )


def optimizer(*names, name="optimizer", kind="SGD", steps=0, **hyperparameters) -> OptimizerRecord:
    """An optimizer with one group that holds `names`."""
    group = GroupRecord(names, MappingProxyType({"lr": 0.01} | hyperparameters))
    return OptimizerRecord(name, kind, (group,), steps)


def linear_modules(*sizes, root="model") -> tuple[ModuleRecord, ...]:
    """A Sequential of Linear layers, as a module tree."""
    layers = tuple(
        ModuleRecord(
            name=f"{root}.{place}",
            kind="Linear",
            detail=f"in_features={inputs}, out_features={outputs}, bias=True",
            training=True,
            parameters=(f"{root}.{place}.weight", f"{root}.{place}.bias"),
        )
        for place, (inputs, outputs) in enumerate(itertools.pairwise(sizes))
    )
    return (ModuleRecord(root, "Sequential", "", True, (), layers),)


def layered(
    *sizes, event=None, grads=False, momentum=False, keep=True, steps=0, seed=0, **fields
) -> Snapshot:
    """A moment of a stack of Linear layers under one SGD optimizer, with made-up numbers."""
    random = np.random.default_rng(seed)
    records = []
    for place, (inputs, outputs) in enumerate(itertools.pairwise(sizes)):
        for kind, shape in (("weight", (outputs, inputs)), ("bias", (outputs,))):
            values = random.normal(size=shape)
            records.append(
                parameter(
                    f"model.{place}.{kind}",
                    values,
                    values * 0.1 if grads else None,
                    buffers={"optimizer": {"momentum_buffer": values * 0.2}} if momentum else None,
                    keep=keep,
                    version=steps,
                )
            )
    fields.setdefault("modules", linear_modules(*sizes))
    fields.setdefault(
        "optimizers",
        {"optimizer": optimizer(*(record.name for record in records), steps=steps, momentum=0.9)},
    )
    return snapshot(*records, event=event, **fields)


def events(count, loop=LOOP, losses=lambda iteration: 1.0 / (iteration + 1)) -> list[Event]:
    """The first `count` Events of a loop."""
    made = []
    for place in range(count):
        operation, iteration = loop[place % len(loop)], place // len(loop)
        is_forward = isinstance(operation, Forward)
        made.append(
            Event(
                index=place + 1,
                iteration=iteration,
                operation=operation,
                writes=(operation.loss,) if is_forward else (),
                loss=losses(iteration) if is_forward else None,
            )
        )
    return made


def failed(index, operation, message, remedy="", error="TensorError") -> Event:
    """An Event whose Operation raised."""
    return Event(
        index=index,
        iteration=0,
        operation=operation,
        outcome=Outcome(ok=False, error=error, message=message, remedy=remedy),
    )


class RememberingBranches(QObject):
    """Remembers what is asked about branches."""

    branches_changed = Signal(object)
    ghosts_changed = Signal(object)
    compared = Signal(object)

    def __init__(self):
        super().__init__()
        self.records = ()
        self.ghosts = {}
        self.ghosts_left_out = 0
        self.comparison = None
        self.ghosts_requested = ()
        self.asked = []

    def what_if(self, edits):
        self.asked.append(edits)

    def show_remedies(self, finding):
        self.asked.append(finding)

    def compare(self, branch):
        self.asked.append(("compare", branch))

    def checkout(self, branch):
        self.asked.append(("checkout", branch))

    def rename(self, branch, name):
        self.asked.append(("rename", branch, name))

    def remove(self, branch):
        self.asked.append(("remove", branch))

    def set_ghosts_wanted(self, columns):
        self.ghosts_requested = tuple(columns)

    def publish(self, branches=None, ghosts=None, comparison=None, left_out=0):
        """Let these be there from now on."""
        if branches is not None:
            self.records = tuple(branches)
            self.branches_changed.emit(self.records)
        if ghosts is not None:
            self.ghosts, self.ghosts_left_out = ghosts, left_out
            self.ghosts_changed.emit(ghosts)
        if comparison is not None:
            self.comparison = comparison
            self.compared.emit(comparison)


class RememberingBreakpoints(QObject):
    """Satisfies `BreakModel`: remembers what it is asked."""

    changed = Signal(object)
    breakpoint_requested = Signal()
    watch_requested = Signal()

    def __init__(self):
        super().__init__()
        self.current = Breaks()
        self.asked = []

    def show(self, breaks):
        self.current = breaks
        self.changed.emit(breaks)

    def set_breakpoint(self, spec, number=None):
        self.asked.append(("set_breakpoint", spec, number))

    def remove_breakpoint(self, number):
        self.asked.append(("remove_breakpoint", number))

    def set_watch(self, expression, number=None):
        self.asked.append(("set_watch", expression, number))

    def remove_watch(self, number):
        self.asked.append(("remove_watch", number))


class RememberingExplainRequests(QObject):
    """Satisfies `Asking`: remembers what is asked."""

    answered = Signal(object)

    def __init__(self):
        super().__init__()
        self.asked = []

        self.raised = []

    def ask(self, tensor):
        self.asked.append(tensor)

    def raise_for(self, tensor):
        self.raised.append(tensor)


class RememberingFitRequests(QObject):
    """Satisfies `FitModel`: remembers what is asked."""

    answered = Signal(object)

    def __init__(self):
        super().__init__()
        self.asked = []
        self.followed = []

    def ask(self, loss):
        self.asked.append(loss)

    def follow(self, loss):
        self.followed.append(loss)


class PlayedSource:
    """A script that prints what a test says, and remembers what is typed."""

    def __init__(self, name="train.py", *, is_recorded=False, changed=None):
        self.name = name
        self.is_recorded = is_recorded
        self.has_ended = self.awaits_input = False
        self.log = OutputLog(changed)
        self.typed = []

    def take(self, *, whole=False):
        return self.log.take(whole=whole)

    def clear(self):
        self.log.clear()

    def type_line(self, text):
        self.typed.append(text)

    def end_input(self):
        self.typed.append(None)


class PlayedOutput(QObject):
    """Satisfies `Output`: scripts that print what a test says."""

    changed = Signal()
    awaited_changed = Signal()

    def __init__(self):
        super().__init__()
        self.sources = ()

    def add(self, name="train.py", *, is_recorded=False):
        source = PlayedSource(name, is_recorded=is_recorded, changed=self.changed.emit)
        self.sources = (*self.sources, source)
        self.changed.emit()
        return source


class RememberingRanks(QObject):
    """Satisfies `RankModel`: remembers what is asked."""

    changed = Signal(object)

    def __init__(self):
        super().__init__()
        self.records = ()
        self.shown = []

    def publish(self, *records):
        self.records = records
        self.changed.emit(records)

    def show(self, number):
        self.shown.append(number)


class RememberingVariables(QObject):
    """Satisfies `VariableModel`: remembers what is asked."""

    answered = Signal(object)
    values_answered = Signal(object)

    def __init__(self):
        super().__init__()
        self.asked = []
        self.values = []

    def ask(self, frame, opened=()):
        self.asked.append((frame, *sorted(opened)))

    def ask_values(self, address, shape):
        self.values.append((address, shape))


def state_of(work, *, changes_rapidly=False):
    """What a view sees of the State."""
    return SimpleNamespace(work=work, changes_rapidly=changes_rapidly, abilities=Abilities())


class RememberingLessons(QObject):
    """A lesson that is only shown: remembers what the learner did."""

    changed = Signal(object)

    def __init__(self):
        super().__init__()
        self.record = None
        self.done = []

    def __getattr__(self, name):
        return lambda *given: self.done.append((name, *given))

    def show(self, record):
        self.record = record
        self.changed.emit(record)


class RememberingController(QObject):
    """Satisfies `ViewModel` without an engine: remembers what it is asked."""

    snapshot_changed = Signal(object)
    state_changed = Signal(object)
    selected_changed = Signal(str)
    listing_changed = Signal(object)
    loop_edited = Signal(object)
    document_changed = Signal(object)
    listing = document = None

    def __init__(self, first=None, log=()):
        super().__init__()
        self.state = state_of("paused")
        self.snapshot = first
        self.breakpoints = RememberingBreakpoints()
        self.log = list(log)
        self.wanted = {}
        self.sought = []
        self.applied = []
        self.selected = ""
        self.explain_requests = RememberingExplainRequests()
        self.fit_requests = RememberingFitRequests()
        self.lessons = RememberingLessons()
        self.forks = ()
        self.serial = 1
        self.branches = RememberingBranches()
        self.ranks = RememberingRanks()
        self.muted_findings = MutedFindings()
        self.output = PlayedOutput()
        self.variables = RememberingVariables()

    def select(self, tensor):
        self.selected = tensor
        self.selected_changed.emit(tensor)

    def show(self, moment, log=None):
        self.snapshot = moment
        if log is not None:
            self.log = list(log)
        self.snapshot_changed.emit(moment)

    def be(self, work):
        self.state = state_of(work, changes_rapidly=work == "running")
        self.state_changed.emit(self.state)

    def events_count(self):
        return len(self.log)

    def events_slice(self, start, stop):
        return tuple(self.log[start:stop])

    def events_before(self, moment):
        return reversed(self.log[:moment])

    def events_after(self, moment):
        return iter(self.log[moment:])

    def events_columns(self, start, stop):
        log = EventLog(Vocabulary(losses=("loss",)))
        for event in self.log:
            log.append(event.iteration, event.operation, outcome=event.outcome, loss=event.loss)
        log.serial = self.serial
        return log.columns(start, stop)

    def set_wanted(self, key, addresses):
        self.wanted[key] = set(addresses)

    def seek(self, index):
        self.sought.append(index)

    def set_scrubbing(self, scrubbing):
        self.state = state_of(self.state.work, changes_rapidly=scrubbing)
        self.state_changed.emit(self.state)

    def in_turn(self, draw):
        draw()

    def apply(self, operation):
        self.applied.append(operation)
