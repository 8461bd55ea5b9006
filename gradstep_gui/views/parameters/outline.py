"""The tree of modules and tensors that a Snapshot describes, ready to be compared with another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gradstep_gui.widgets.fields import matches

if TYPE_CHECKING:
    from gradstep.history.records.snapshot import ModuleRecord, Snapshot

__all__ = ["Branch", "outline"]


@dataclass(frozen=True, slots=True)
class Branch:
    """A row to be: a module with what is in it, or a tensor.

    Attributes:
        key: What tells it from the rows beside it.
        label: Its own name, without those above it.
        detail: A module's class and arguments; empty for a tensor.
        tensor: A tensor's full name; empty for a module.
        module: A module's full name; empty for a tensor.
        training: A module's mode.
        children: What is in it.
    """

    key: str
    label: str
    detail: str = ""
    tensor: str = ""
    module: str = ""
    training: bool = True
    children: tuple[Branch, ...] = ()


def outline(snapshot: Snapshot, wanted: str = "") -> tuple[Branch, ...]:
    """Return the rows for a moment: the modules, then the tensors that belong to none.

    Args:
        snapshot: The moment.
        wanted: Only tensors whose name has these words, and the modules that hold such.

    Example:
        >>> from gradstep.history.records.snapshot import ModuleRecord, Snapshot
        >>> module = ModuleRecord("model", "Sequential", "", True)
        >>> moment = Snapshot(None, 0, 0, 0, None, modules=(module,))
        >>> [branch.detail for branch in outline(moment)]
        ['Sequential']
    """
    held: set[str] = set()
    modules = [_module(record, held) for record in snapshot.modules]
    free = [Branch(name, name, tensor=name) for name in snapshot.parameters if name not in held]
    return _narrow((*modules, *free), wanted) if wanted else (*modules, *free)


def _module(record: ModuleRecord, held: set[str]) -> Branch:
    held.update(record.parameters)
    tensors = [Branch(name, _last(name), tensor=name) for name in record.parameters]
    modules = [_module(child, held) for child in record.children]
    detail = f"{record.kind}({record.detail})" if record.detail else record.kind
    return Branch(
        key=f"{record.name} {detail}",  # one of the same name but another class is another row
        label=_last(record.name),
        detail=detail,
        module=record.name,
        training=record.training,
        children=(*tensors, *modules),
    )


def _narrow(branches: tuple[Branch, ...], wanted: str) -> tuple[Branch, ...]:
    kept = []
    for branch in branches:
        if branch.tensor:
            if matches(branch.tensor, wanted):
                kept.append(branch)
        elif children := _narrow(branch.children, wanted):
            kept.append(replace(branch, children=children))
    return tuple(kept)


def _last(name: str) -> str:
    return name.rsplit(".", 1)[-1]
