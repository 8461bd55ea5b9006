"""The tensors that a parameter group holds, each with the state its optimizer keeps for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from gradstep.history.records.snapshot import STALE

if TYPE_CHECKING:
    from gradstep.history.records.snapshot import GroupRecord, OptimizerRecord, Snapshot

__all__ = ["Buffer", "Held", "held_tensors", "keeps_nothing", "keeps_together"]

Trouble = Literal["", "stale", "foreign", "duplicate"]


@dataclass(frozen=True, slots=True)
class Buffer:
    """One state buffer; its value is not part of it, so that the same buffer stays equal."""

    key: str
    address: str
    children: tuple[Buffer, ...] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """One held tensor.

    Attributes:
        key: Its name as the group has it.
        tensor: Its name without what the group adds.
        trouble: Why the optimizer should perhaps not hold it.
        evidence: What is wrong and what to do, in words.
        children: Its state.
    """

    key: str
    tensor: str
    trouble: Trouble
    evidence: str
    children: tuple[Buffer, ...]


def held_tensors(
    snapshot: Snapshot, optimizer: OptimizerRecord, group: GroupRecord
) -> tuple[Held, ...]:
    """Return what a group holds at a moment.

    Example:
        >>> from gradstep.history.records.snapshot import GroupRecord, OptimizerRecord, Snapshot
        >>> group = GroupRecord(("w (stale)",), {"lr": 0.1})
        >>> moment = Snapshot(None, 0, 0, 0, None)
        >>> [(held.tensor, held.trouble) for held in
        ...  held_tensors(moment, OptimizerRecord("optimizer", "SGD", (group,)), group)]
        [('w', 'stale')]
    """
    findings: dict[str, tuple[Trouble, str]] = {}
    for finding in snapshot.findings:
        trouble = _trouble(finding.id)
        if trouble:
            evidence = "\n".join(filter(None, (finding.title, finding.detail, finding.remedy)))
            findings.update(dict.fromkeys(finding.subjects, (trouble, evidence)))
    return tuple(_held(snapshot, optimizer.name, name, findings) for name in group.parameters)


def keeps_nothing(optimizer: OptimizerRecord, group: GroupRecord) -> bool:
    """Tell whether no Step will ever create state for a group: SGD without momentum.

    Example:
        >>> from gradstep.history.records.snapshot import GroupRecord, OptimizerRecord
        >>> group = GroupRecord(("w",), {"lr": 0.1, "momentum": 0.0})
        >>> keeps_nothing(OptimizerRecord("optimizer", "SGD", (group,)), group)
        True
    """
    return optimizer.kind == "SGD" and group.hyperparameters.get("momentum", 0) == 0


def keeps_together(optimizer: OptimizerRecord) -> bool:
    """Tell whether an optimizer keeps what it knows of all tensors with the first of them.

    Example:
        >>> from gradstep.history.records.snapshot import OptimizerRecord
        >>> keeps_together(OptimizerRecord("optimizer", "LBFGS", ()))
        True
    """
    return optimizer.kind == "LBFGS"


def _held(
    snapshot: Snapshot, optimizer: str, name: str, findings: dict[str, tuple[Trouble, str]]
) -> Held:
    tensor = name.removesuffix(STALE)
    trouble, evidence = findings.get(tensor, ("", ""))
    if name.endswith(STALE):
        # The state belongs to a tensor that is gone; the one of that name now is another.
        return Held(name, tensor, "stale", evidence, ())
    record = snapshot.parameters.get(tensor)
    state = {} if record is None else record.buffers.get(optimizer, {})
    buffers = tuple(Buffer(key, f"{optimizer}/{tensor}/{key}") for key in state)
    return Held(name, tensor, trouble, evidence, buffers)


def _trouble(finding: str) -> Trouble:
    match finding:
        case "optimizer-stale":
            return "stale"
        case "optimizer-foreign":
            return "foreign"
        case "optimizer-duplicate":
            return "duplicate"
    return ""
