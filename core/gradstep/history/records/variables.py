"""The variables of a held script: its frames, and the values of the names in one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradstep.history.records.tensor import TensorRecord

__all__ = ["FrameRecord", "HeldVariables", "TensorValues", "VariableRecord"]


@dataclass(frozen=True, slots=True)
class FrameRecord:
    """A frame of the user's own code.

    Attributes:
        function: The name of its function; "<module>" for a file's own lines.
        file: The path of its file.
        line: The line where it is.
    """

    function: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class VariableRecord:
    """A variable, or a part of what one holds.

    Attributes:
        name: Its name; of a part, how it is reached, as ".lr" or "[0]".
        kind: The name of its type.
        text: Its value as text, if it is plain; the element type of a tensor.
        address: The address for requesting the values of a tensor; empty for anything else.
        shape: The shape of a tensor.
        requires_grad: Whether autograd tracks a tensor.
        has_grad: Whether a tensor has a gradient.
        value: The values of a tensor with few elements; None for others.
        depth: How many of the rows before it hold it: 0 for a variable itself.
        can_open: Whether it holds something that can be requested.
        path: Its name after those of the rows that hold it, as "self.groups[0]".
    """

    name: str
    kind: str
    text: str
    address: str = ""
    shape: tuple[int, ...] = ()
    requires_grad: bool = False
    has_grad: bool = False
    value: TensorRecord | None = None
    depth: int = 0
    can_open: bool = False
    path: str = ""


@dataclass(frozen=True, slots=True)
class HeldVariables:
    """The variables of one frame of a held script.

    Attributes:
        frames: All frames of the user's code, the innermost first.
        frame: The number of the one whose variables these are.
        variables: The variables, each before what it holds, if that was asked for.
        obstacle: Why they are not known here; empty if they are.
    """

    frames: tuple[FrameRecord, ...] = ()
    frame: int = 0
    variables: tuple[VariableRecord, ...] = ()
    obstacle: str = ""


@dataclass(frozen=True, slots=True)
class TensorValues:
    """The values of a tensor that were requested.

    Attributes:
        address: Its address.
        record: Its values; None if there is no such tensor any more.
        shape: Its shape; `record` has only its first elements, in one row, where that is larger.
    """

    address: str
    record: TensorRecord | None
    shape: tuple[int, ...]
