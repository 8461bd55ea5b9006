"""The frames that a script's agent sends, decoded strictly: an invalid one ends the connection.

docs/agent_protocol.md describes them. A script is a user's program and may send anything: every
size, name and number is checked here, before anything is made of it.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, TypeAlias

import msgspec
import numpy as np

from gradstep.errors import ScriptError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = [
    "HEADER_BYTES",
    "LENGTHS",
    "MAX_ARGUMENTS",
    "MAX_BODY",
    "MAX_HEADER",
    "MAX_TEXT",
    "PROTOCOL",
    "ROW",
    "Arrays",
    "Bye",
    "Checkpoint",
    "Done",
    "Error",
    "Failed",
    "Frame",
    "Graph",
    "Group",
    "Held",
    "Hello",
    "Interval",
    "Layout",
    "Micro",
    "Modes",
    "Module",
    "NoCheckpoint",
    "Noticed",
    "Optimizer",
    "Place",
    "Refused",
    "Ring",
    "Row",
    "Rows",
    "Source",
    "Tensor",
    "Torch",
    "Variable",
    "Variables",
    "arrays_of",
    "decode_header",
    "rows_of",
    "wrong_frame",
]

PROTOCOL: Final = 1
"""The version of the protocol that is understood."""

MAX_HEADER: Final = 16 << 20
MAX_BODY: Final = 1 << 30
HEADER_BYTES: Final = 8
"""The bytes of the two lengths before each frame."""

LENGTHS: Final = np.dtype("<u4")
ROW: Final = np.dtype(
    [
        ("number", "<u4"),
        ("place", "<u4"),
        ("depth", "<u2"),
        ("iteration", "<i4"),
        ("epoch", "<i4"),
        ("loss", "<f8"),
        ("seconds", "<f4"),
    ]
)
"""The start of each row of a `rows` frame."""

_TYPES: Final = {
    **{name: np.dtype(name).newbyteorder("<") for name in ("float16", "float32", "float64")},
    **{name: np.dtype(name).newbyteorder("<") for name in ("int8", "int16", "int32", "int64")},
    **{name: np.dtype(name).newbyteorder("<") for name in ("uint8", "uint16", "uint32", "uint64")},
    "bool": np.dtype("?"),
    "complex64": np.dtype("<f4"),
    "complex128": np.dtype("<f8"),
    "bfloat16": np.dtype("<u2"),
}
MAX_TEXT: Final = 4096
MAX_ARGUMENTS: Final = 1000
"""Most arguments of a script that are kept."""
MAX_OPENED_DEPTH: Final = 32
"""How deep the parts of a variable can lie in it."""
_MAX_DIMENSIONS = 32

LONGEST_NAME: Final = 256
Name = Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)]
Label = Annotated[str, msgspec.Meta(max_length=LONGEST_NAME, pattern="^[^/]*$")]
"""The name of a tensor, module, optimizer or loss: a slash separates them in addresses."""
Address = Annotated[str, msgspec.Meta(max_length=768)]
"""Of a state buffer: two labels and the name of the buffer, with slashes between them."""
Text = Annotated[str, msgspec.Meta(max_length=MAX_TEXT)]
Count = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
Position = Annotated[int, msgspec.Meta(ge=0, lt=2**62)]
Layout = tuple[Address, Name, Annotated[list[Count], msgspec.Meta(max_length=_MAX_DIMENSIONS)]]
"""An array in a body: its address, its element type, its shape."""


class _Frame(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    kw_only=True,
    omit_defaults=True,
    repr_omit_defaults=True,
    tag_field="type",
):
    """Base of all frames.

    Attributes:
        ring: The position and the length of its body in shared memory; None where it follows.
        has_body: Whether there may be one.
        is_kept: Whether the frame is kept for as long as the recording is open.
    """

    ring: tuple[Position, Count] | None = None
    has_body: ClassVar[bool] = False
    is_kept: ClassVar[bool] = False


class Hello(_Frame, frozen=True, tag="hello"):
    """The first frame; that of a file says which script it is of."""

    protocol: int
    pid: int
    python: Name
    script: Text = ""
    arguments: Annotated[list[Text], msgspec.Meta(max_length=MAX_ARGUMENTS)] = []


class Ring(_Frame, frozen=True, tag="ring"):
    """Shared memory for large bodies; its descriptor comes with the frame."""

    size: Count


class Torch(_Frame, frozen=True, tag="torch"):
    """The script has imported torch, or a stand-in for it."""

    name: Name
    version: Name
    level: Literal["events", "series", "full"] = "full"


class Tensor(_Frame, frozen=True, tag="tensor"):
    """A tensor that was met for the first time; the body has its arrays."""

    has_body: ClassVar[bool] = True
    is_kept: ClassVar[bool] = True
    name: Label
    buffer: bool
    leaf: bool
    requires_grad: bool
    arrays: Annotated[list[Layout], msgspec.Meta(max_length=2)]


class Module(_Frame, frozen=True, tag="module"):
    """A module that was met for the first time: rows of path, class, description, training."""

    is_kept: ClassVar[bool] = True
    name: Label
    kind: Name
    tree: Annotated[list[tuple[Name, Name, Text, bool]], msgspec.Meta(max_length=5000)]


class Modes(_Frame, frozen=True, tag="modes"):
    """The modes that a line has left a module in: rows of path, training.

    A row is also about what is below that path, as far as no other one is.
    """

    name: Label
    file: Text
    line: int
    modes: Annotated[list[tuple[Name, bool]], msgspec.Meta(max_length=5000)]


class Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A parameter group of an optimizer."""

    params: list[Name]
    options: dict[Name, Any]


class Optimizer(_Frame, frozen=True, tag="optimizer"):
    """An optimizer that was met for the first time, or whose options have changed."""

    name: Label
    kind: Name
    module: Name
    groups: Annotated[list[Group], msgspec.Meta(max_length=1000)]
    new: bool = False


class Graph(_Frame, frozen=True, tag="graph"):
    """The graph of a loss: rows of number, name, numbers of inputs, name of the leaf."""

    is_kept: ClassVar[bool] = True
    loss: Label
    nodes: Annotated[list[tuple[Count, Name, list[Count], Name]], msgspec.Meta(max_length=20_000)]
    broadcast: Text = ""
    file: Text = ""
    line: int = 0
    loss_line: int = 0


class Source(_Frame, frozen=True, tag="source"):
    """A file of the script; the body is its text."""

    has_body: ClassVar[bool] = True
    is_kept: ClassVar[bool] = True
    file: Text
    sha256: Name
    size: int


class Place(_Frame, frozen=True, tag="place"):
    """A line that does an Operation, and what its rows hold."""

    is_kept: ClassVar[bool] = True
    id: Count
    kind: Name
    target: Label
    file: Text
    line: int
    detail: dict[Name, Any]
    arrays: list[Layout]
    cleared: list[Address]
    norms: list[Name]


class Rows(_Frame, frozen=True, tag="rows"):
    """Events; the body has a row for each."""

    has_body: ClassVar[bool] = True
    count: Count


_Noticed: TypeAlias = Literal[
    "total",
    "carried",
    "kept",
    "order",
    "epoch",
    "renewed",
    "origin",
    "used_up",
    "rebound",
    "result",
    "in_place",
    "outside",
    "unfrozen",
    "own_state",
    "unmatched",
    "shard",
]


class Noticed(_Frame, frozen=True, tag="noticed"):
    """Something about a variable of the script that its Events do not show."""

    is_kept: ClassVar[bool] = True
    what: _Noticed
    name: Name
    target: Label


class Error(_Frame, frozen=True, tag="error"):
    """The Event that has just been sent raised an error."""

    event: Count
    message: Text


class Interval(_Frame, frozen=True, tag="interval"):
    """The interval, in iterations, at which values are recorded from now on."""

    iterations: Count


class UserFrame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A frame of the user's own code, with its plain variables."""

    function: Name
    file: Text
    line: int
    variables: dict[Name, Text]


class Held(_Frame, frozen=True, tag="held"):
    """The script is held before an Operation."""

    event: Count
    kind: Name
    target: Label
    file: Text
    line: int
    iteration: int
    depth: Count
    loss: Name
    frames: list[UserFrame]
    epoch: int = 0
    again: bool = False
    loss_name: Label = ""
    loss_line: int = 0


class Micro(_Frame, frozen=True, tag="micro"):
    """The script is held inside an Operation; the body has the arrays."""

    has_body: ClassVar[bool] = True
    event: Count
    kind: Literal["node", "module"]
    when: Literal["before", "after"]
    number: Annotated[int, msgspec.Meta(ge=-1, lt=2**31)]
    name: Name
    depth: Count
    arrays: list[Layout]
    omitted: list[Address]


class Arrays(_Frame, frozen=True, tag="arrays"):
    """The tensors that were asked for."""

    has_body: ClassVar[bool] = True
    arrays: list[Layout]
    missing: list[Address]


class Variable(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """A variable of a held script.

    Attributes:
        name: Its name.
        kind: The name of its type.
        text: Its text, if it is plain; the element type of a tensor.
        address: By which a tensor's values are asked for; empty for anything else.
        shape: The shape of a tensor.
        requires_grad: Whether a tensor is tracked.
        has_grad: Whether a tensor has a gradient.
        depth: How many of the rows before it hold it: 0 for a variable itself.
        can_open: Whether it holds something that can be asked for.
    """

    name: Name
    kind: Name
    text: Text
    address: Name = ""
    shape: Annotated[list[Count], msgspec.Meta(max_length=_MAX_DIMENSIONS)] = []
    requires_grad: bool = False
    has_grad: bool = False
    depth: Annotated[int, msgspec.Meta(ge=0, le=MAX_OPENED_DEPTH)] = 0
    can_open: bool = False


class Variables(_Frame, frozen=True, tag="variables"):
    """The variables of one of the user's frames, and where all of them stand.

    What an opened variable holds follows it, one deeper.
    """

    frame: Count
    frames: Annotated[list[tuple[Name, Text, int]], msgspec.Meta(max_length=100)]
    variables: Annotated[list[Variable], msgspec.Meta(max_length=1000)]


class Done(_Frame, frozen=True, tag="done"):
    """What was asked for has been done; it is this Event."""

    action: Name
    event: Count


class Refused(_Frame, frozen=True, tag="refused"):
    """What was asked for cannot be done."""

    action: Name
    message: Text


class Checkpoint(_Frame, frozen=True, tag="checkpoint"):
    """The process was copied after so many Events; two file descriptors come along."""

    event: Count
    pid: Count
    seconds: float


class NoCheckpoint(_Frame, frozen=True, tag="no_checkpoint"):
    """The process could not be copied."""

    reason: Text


class Failed(_Frame, frozen=True, tag="failed"):
    """The agent met a defect of its own and has let go of the script."""

    message: Text


class Bye(_Frame, frozen=True, tag="bye"):
    """The script has ended."""

    status: int
    error: Text
    events: Count
    iterations: int
    spent: float
    traceback: Text = ""


Frame = (
    Hello
    | Ring
    | Torch
    | Tensor
    | Module
    | Modes
    | Optimizer
    | Graph
    | Source
    | Place
    | Rows
    | Error
    | Interval
    | Noticed
    | Held
    | Micro
    | Arrays
    | Variables
    | Done
    | Refused
    | Checkpoint
    | NoCheckpoint
    | Failed
    | Bye
)

_HEADER = msgspec.json.Decoder(Frame)


class Row(msgspec.Struct, frozen=True, gc=False):
    """One Event as the agent recorded it.

    Attributes:
        number: Its number, from 1.
        place: Where it happened.
        depth: How many other Operations it happened inside.
        iteration: The pass of the loop, from 0.
        epoch: The pass of the loop around that one, from 0.
        loss: The value of a Backward's loss; None where there is none.
        arrays: What it wrote, by address.
        norms: Of a Step, the norms of each tensor of `place.norms`: its values, gradient and move.
    """

    number: int
    place: Place
    depth: int
    iteration: int
    epoch: int
    loss: float | None
    arrays: dict[str, NDArray[Any]]
    norms: NDArray[np.float64] | None = None


def wrong_frame(reason: str) -> ScriptError:
    """Return the error for an invalid frame."""
    return ScriptError(
        f"the script's process sent an invalid message: {reason}",
        "what was recorded before is kept; record again, and report this if it happens twice",
    )


def decode_header(header: bytes) -> Frame:
    """Decode the header of a frame.

    Raises:
        ScriptError: It is not one.

    Example:
        >>> decode_header(b'{"type": "rows", "count": 2}')
        Rows(count=2)
    """
    try:
        frame: Frame = _HEADER.decode(header)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise wrong_frame(str(error)[:200]) from None
    return frame


def encode_command(command: str, **values: Any) -> bytes:  # noqa: ANN401 - JSON
    r"""Return the frame of a command to the agent.

    Example:
        >>> encode_command("until", event=3)
        b' \x00\x00\x00\x00\x00\x00\x00{"command": "until", "event": 3}'
    """
    text = json.dumps({"command": command, **values}).encode()
    return len(text).to_bytes(4, "little") + bytes(4) + text


def arrays_of(
    layouts: Sequence[Layout], body: bytes, at: int = 0
) -> tuple[dict[str, NDArray[Any]], int]:
    """Return the arrays that follow one another in a body, and where they end.

    The arrays are read-only copies. Those of bfloat16 become float32, which holds every value of
    it; complex ones get a last dimension of two.

    Raises:
        ScriptError: The body is too short, or an element type is unknown.
    """
    found: dict[str, NDArray[Any]] = {}
    for address, name, shape in layouts:
        dtype = _TYPES.get(name)
        if dtype is None:
            raise wrong_frame(f"the element type {name!r}")
        whole = (*shape, 2) if name.startswith("complex") else tuple(shape)
        count = math.prod(whole)
        end = at + count * dtype.itemsize
        if end > len(body):
            raise wrong_frame(f"{address} does not fit its frame")
        array = np.frombuffer(body, dtype, count, at)
        if name == "bfloat16":
            array = (array.astype(np.uint32) << 16).view(np.float32)
        else:
            array = array.astype(dtype.newbyteorder("="))
        array = array.reshape(whole)
        array.flags.writeable = False
        found[address] = array
        at = end
    return found, at


def rows_of(frame: Rows, body: bytes, places: dict[int, Place]) -> list[Row]:
    """Return the Events of a frame.

    Raises:
        ScriptError: The body does not fit.
    """
    at, found = 0, []
    for _ in range(frame.count):
        if at + ROW.itemsize > len(body):
            raise wrong_frame("a row does not fit its frame")
        head = np.frombuffer(body, ROW, 1, at)[0]
        place = places.get(int(head["place"]))
        if place is None:
            raise wrong_frame(f"a row of the unknown place {int(head['place'])}")
        arrays, at = arrays_of(place.arrays, body, at + ROW.itemsize)
        norms = None
        if place.norms:
            size = 3 * len(place.norms)
            if at + 8 * size > len(body):
                raise wrong_frame("the norms of a row do not fit its frame")
            norms = np.frombuffer(body, np.float64, size, at).reshape(3, -1)
            at += 8 * size
        loss = float(head["loss"])
        found.append(
            Row(
                int(head["number"]),
                place,
                int(head["depth"]),
                int(head["iteration"]),
                int(head["epoch"]),
                loss if place.kind == "backward" and "unread" not in place.detail else None,
                arrays,
                norms,
            )
        )
    if at != len(body):
        raise wrong_frame("there are bytes after the last row")
    return found
