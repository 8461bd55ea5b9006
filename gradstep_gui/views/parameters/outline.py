"""The tree of parameters as rows: modules with their contents, and tensors outside of modules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gradstep.names import steps_of
from gradstep_gui.widgets.fields import matches

if TYPE_CHECKING:
    from gradstep.history.records.snapshot import ModuleRecord, Snapshot

__all__ = ["OutlineRow", "outline"]


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """A row of the tree: a module with its contents, or a tensor.

    Attributes:
        key: What identifies it among its siblings.
        label: The last part of its name.
        detail: A module's class and arguments; empty for a tensor.
        tensor: A tensor's full name; empty for a module.
        module: A module's full name; empty for a tensor.
        training: A module's mode.
        children: The rows below it.
    """

    key: str
    label: str
    detail: str = ""
    tensor: str = ""
    module: str = ""
    training: bool = True
    children: tuple[OutlineRow, ...] = ()


def outline(snapshot: Snapshot, wanted: str = "") -> tuple[OutlineRow, ...]:
    """Return the rows of a Snapshot: the modules, then the tensors outside of modules.

    Args:
        snapshot: The Snapshot.
        wanted: Words to filter tensors by; empty for all.

    Example:
        >>> from gradstep.history.records.snapshot import ModuleRecord, Snapshot
        >>> module = ModuleRecord("model", "Sequential", "", True)
        >>> snapshot = Snapshot(None, 0, 0, 0, None, modules=(module,))
        >>> [row.detail for row in outline(snapshot)]
        ['Sequential']
    """
    held: set[str] = set()
    modules = [_module(record, held) for record in snapshot.modules]
    free = [OutlineRow(name, name, tensor=name) for name in snapshot.parameters if name not in held]
    return _narrow((*modules, *free), wanted) if wanted else (*modules, *free)


def _module(record: ModuleRecord, held: set[str]) -> OutlineRow:
    held.update(record.parameters)
    tensors = [OutlineRow(name, _last(name), tensor=name) for name in record.parameters]
    modules = [_module(child, held) for child in record.children]
    detail = f"{record.kind}({record.detail})" if record.detail else record.kind
    return OutlineRow(
        key=f"{record.name} {detail}",  # a rebuilt module of another class is another row
        label=_last(record.name),
        detail=detail,
        module=record.name,
        training=record.training,
        children=(*tensors, *modules),
    )


def _narrow(rows: tuple[OutlineRow, ...], wanted: str) -> tuple[OutlineRow, ...]:
    kept = []
    for row in rows:
        if row.tensor:
            if matches(row.tensor, wanted):
                kept.append(row)
        elif children := _narrow(row.children, wanted):
            kept.append(replace(row, children=children))
    return tuple(kept)


def _last(name: str) -> str:
    return steps_of(name)[-1]
