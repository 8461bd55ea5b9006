"""What is written of nodes and gradients, in the room that boxes and lines have."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QCoreApplication

from gradstep_gui.views.labels import summary_text, tensor_text
from gradstep_gui.widgets.number_format import inline_text, number_text, shape_text

if TYPE_CHECKING:
    from gradstep.history.records.graph import Arrival, GraphNode
    from gradstep.history.records.snapshot import ModuleRecord
    from gradstep.history.records.tensor import TensorRecord

__all__ = [
    "arrival_text",
    "gradient_text",
    "kind_of_module",
    "reserve_text",
    "title_of",
    "told_text",
]

_PAIR = 2
_DIGITS = 3


def title_of(node: GraphNode) -> str:
    """Return what a node is called: a leaf by its name, an operation as in `grad_fn`."""
    if not node.is_leaf:
        return node.name
    return node.tensor or _tr("a constant")


def kind_of_module(modules: tuple[ModuleRecord, ...], name: str) -> str:
    """Return the class of a module, by its full name; empty when it is none of the program's."""
    for module in modules:
        if module.name == name:
            return module.kind
        if name.startswith(f"{module.name}."):
            return kind_of_module(module.children, name)
    return ""


def gradient_text(record: TensorRecord) -> str:
    """Write a gradient in the room that a line has: by its values when they are one or two.

    Example:
        >>> import numpy as np
        >>> from gradstep.history.summary import summarise
        >>> gradient_text(summarise(np.array([100.0, -1.0]), whole=True))
        '[100, -1]'
        >>> gradient_text(summarise(np.array([3.0, 4.0, 0.0]), whole=True))
        'norm 5'
    """
    if record.array is not None and record.array.size <= _PAIR:
        return inline_text(record.array)
    if record.nan_count or record.inf_count:
        return tensor_text(record)
    return _tr("norm {0}").format(number_text(record.norm, _DIGITS))


def arrival_text(arrival: Arrival, *, briefly: bool = False) -> str:
    """Write what arrived at a leaf; norms do not add up, so an arrow leads to that of the sum.

    Args:
        arrival: What arrived.
        briefly: Leave out the norm of what was added, which the lines that lead there tell.

    Example:
        >>> import numpy as np
        >>> from gradstep.history.records.graph import Arrival
        >>> from gradstep.history.summary import summarise
        >>> one, two = (summarise(np.array([1.0, 2.0]) * by, whole=True) for by in (1, 2))
        >>> arrival_text(Arrival(one, one, two))
        '[1, 2] + [1, 2] = [2, 4]'
    """
    before = "None" if arrival.before is None else gradient_text(arrival.before)
    added, after = gradient_text(arrival.added), gradient_text(arrival.after)
    if arrival.after.array is not None and arrival.after.array.size <= _PAIR:
        return f"{before} + {added} = {after}"
    return f"{before} → {after}" if briefly else f"{before} + {added} → {after}"


def reserve_text(node: GraphNode) -> str:
    """Return words as wide as what will be told of a leaf's gradient."""
    if math.prod(node.shape or ()) > _PAIR:
        return ".grad norm 0.0000 → norm 0.0000"
    values = ", ".join(["0000"] * math.prod(node.shape or ()))
    return f".grad [{values}] + [{values}] = [{values}]"


def told_text(record: TensorRecord) -> str:
    """Write all that is known of a gradient, with its values where they are there."""
    text = f"{shape_text(record.shape)}: {summary_text(record)}"
    if record.array is None or record.array.size <= 1:
        return text
    return f"{text}\n{np.array2string(record.array, precision=4, max_line_width=72)}"


def _tr(text: str) -> str:
    return QCoreApplication.translate("GraphView", text)
