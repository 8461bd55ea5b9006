"""What can be asked of a held script: any tensor by its address, and its variables."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import islice
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from gradstep_agent.object_parts import (
    MOST_PARTS,
    bases_of,
    count_of,
    has_own,
    is_a,
    name_of_kind,
    named_part,
    numpy_text,
    parts_of,
    plain_text,
    simple_text,
)
from gradstep_agent.sites import shown_file
from gradstep_agent.tensor_reader import layout, shard_of
from gradstep_agent.user_code import user_frame

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from types import FrameType

    from gradstep_agent.registry import Registry
    from gradstep_agent.wire import Wire

_FRAMES = 10
_LOCALS = 50
_SHORT = 120
_LONG = 2000
_NAME = 200
_ADDRESS = 250
_MOST_VARIABLES = 1000
_DEEPEST = 30
_PLAIN = (bool, int, float, str, type(None))
_DEFINITIONS = (ModuleType, FunctionType, BuiltinFunctionType)


def find_tensor(registry: Registry, frames: Sequence[FrameType], address: str) -> Any:
    """Return the tensor of an address; None when there is none.

    Args:
        registry: What has names.
        frames: The user's frames, the innermost first.
        address: `model.0.weight`, `model.0.weight.grad`, `optimizer/model.0.weight/exp_avg`, or
            `@1/self.batch['x'][0]`: a variable of a frame, or a part of what it holds.
    """
    if address.startswith("@"):
        number, _, path = address[1:].partition("/")
        if not number.isdigit() or int(number) >= len(frames):
            return None
        found = _as_tensor(registry, _variable(frames[int(number)], path))
        if found is None and path.endswith(".grad"):
            owner = _as_tensor(registry, _variable(frames[int(number)], path[: -len(".grad")]))
            found = None if owner is None else _gradient(registry, owner)
        return found
    if "/" in address:
        return _as_tensor(registry, _state(registry, address))
    found = registry.named(address)
    if found is None and address.endswith(".grad"):
        owner = registry.named(address[: -len(".grad")])
        found = None if owner is None else owner.grad
    return found


def _as_tensor(registry: Registry, value: Any) -> Any:
    return value if is_a(value, registry.tensor_class) else None


def _variable(frame: FrameType, path: str) -> Any:
    """Return a variable, or a part of what it holds; no code of the user is run."""
    for names in (frame.f_locals, frame.f_globals):
        try:
            return named_part(_names(names), path)
        except LookupError:
            continue
    return None


def _names(variables: Any) -> Iterator[tuple[str, Any]]:
    for name, value in list(variables.items()):
        if type(name) is str and name[:1] != "." and name[:2] != "__":
            yield name, value


def _state(registry: Registry, address: str) -> Any:
    optimizer_name, _, rest = address.partition("/")
    name, _, key = rest.rpartition("/")
    optimizer, parameter = registry.optimizer_named(optimizer_name), registry.named(name)
    if optimizer is None or parameter is None:
        return None
    return optimizer.state.get(parameter, {}).get(key)


def user_frames(frame: FrameType | None) -> list[FrameType]:
    """Return the user's frames, from this one outwards."""
    found: list[FrameType] = []
    while frame is not None and len(found) < _FRAMES:
        found.append(frame)
        frame = user_frame(frame.f_back)
    return found


def describe_frames(frames: Sequence[FrameType]) -> list[dict[str, Any]]:
    """Return the user's frames with their plain variables."""
    return [
        {
            "function": frame.f_code.co_name,
            "file": shown_file(frame.f_code),
            "line": frame.f_lineno,
            "variables": {
                name[:_NAME]: simple_text(value, _SHORT)
                for name, value in islice(_names(frame.f_locals), _LOCALS)
                if type(value) in _PLAIN
            },
        }
        for frame in frames
    ]


def describe_variables(
    registry: Registry | None,
    frames: Sequence[FrameType],
    number: int,
    opened: Collection[str] | None = None,
) -> dict[str, Any]:
    """Return where the user's frames stand, and the variables of one of them.

    No code of the user is run: of an object that is not plain, only its type is sent, and what it
    holds itself. Modules, functions and classes are left out.

    Args:
        registry: What has names; None before the script has imported torch.
        frames: The user's frames, the innermost first.
        number: Which of them.
        opened: The paths of variables whose parts are listed, too, with the depth of each row; None
            for the rows of variables alone, as the first version of this command has them.
    """
    rows: list[list[Any]] = []
    if 0 <= number < len(frames):
        listed = _Listed(registry, number, opened)
        listed.add(_names(frames[number].f_locals), "", 0)
        rows = listed.rows
    return {
        "frame": number,
        "frames": [
            [frame.f_code.co_name[:_NAME], shown_file(frame.f_code)[:_LONG], frame.f_lineno]
            for frame in frames
        ],
        "variables": rows,
    }


class _Listed:
    """Rows of variables and of what they hold, each before its parts."""

    def __init__(
        self, registry: Registry | None, number: int, opened: Collection[str] | None
    ) -> None:
        self.rows: list[list[Any]] = []
        self._registry = registry
        self._number = number
        self._is_tree = opened is not None
        self._opened = frozenset(opened or ())

    def add(self, parts: Iterator[tuple[str, Any]], path: str, depth: int) -> None:
        """Add the rows of the parts of an object, and of those that are opened."""
        for name, value in parts:
            if len(self.rows) == _MOST_VARIABLES:
                return
            if _is_definition(value):
                continue
            step = name[:_NAME]
            row = _described(self._registry, self._number, step, f"{path}{step}", value)
            self.rows.append(row)
            if not self._is_tree:
                continue
            can_open = depth < _DEEPEST and _can_open(self._registry, value)
            row += [*_NO_TENSOR[len(row) - 3 :], depth, can_open]
            if can_open and f"{path}{step}" in self._opened:
                self.add(parts_of(value), f"{path}{step}", depth + 1)
                self._count_rest(value, depth + 1)

    def _count_rest(self, value: object, depth: int) -> None:
        """Add a row for the elements of a long container that are not listed."""
        left = (count_of(value) or 0) - MOST_PARTS
        if left > 0 and len(self.rows) < _MOST_VARIABLES:
            text = "1 more item" if left == 1 else f"{left:,} more items"
            self.rows.append(["…", "", text, *_NO_TENSOR, depth, False])


_NO_TENSOR = ["", [], False, False]
"""The address, shape, requires_grad and has_grad of what is no tensor."""


def _described(
    registry: Registry | None, number: int, name: str, path: str, value: Any
) -> list[Any]:
    """Return the name, type and text of a variable, and more of a tensor."""
    kind = name_of_kind(type(value))[:_NAME]
    if registry is not None and _is_readable(registry, value):
        address = f"@{number}/{path}"
        with registry.plainly():
            dtype, shape, requires_grad, has_grad = _tensor_row(registry, value)
        address = address if len(address) <= _ADDRESS else ""
        return [name, kind, dtype, address, shape, requires_grad, has_grad]
    text = plain_text(value, _LONG) or numpy_text(value)
    count = count_of(value)
    if not text and count is not None:
        text = "1 item" if count == 1 else f"{count:,} items"
    return [name, kind, text]


def _is_readable(registry: Registry, value: object) -> bool:
    """Return whether a value is a tensor that can be read without code of the user.

    A lazy module's has no shape before its first call.
    """
    for base in bases_of(type(value)):
        if base is registry.tensor_class:
            return True
        if has_own(base, "__torch_dispatch__") or name_of_kind(base).startswith("Uninitialized"):
            return False
    return False


def _tensor_row(registry: Registry, tensor: Any) -> tuple[str, list[int], bool, bool]:
    """Return the element type, the shape, and whether it requires and has a gradient."""
    dtype = str(_field(registry, tensor, "dtype")).rpartition(".")[2]
    shape = list(_field(registry, tensor, "shape"))
    requires_grad = bool(_field(registry, tensor, "requires_grad"))
    return dtype, shape, requires_grad, _gradient(registry, tensor) is not None


def _gradient(registry: Registry, tensor: Any) -> Any:
    """Return the gradient of a tensor that can keep one, without a warning for others."""
    if _field(registry, tensor, "is_leaf") or _field(registry, tensor, "retains_grad"):
        return _field(registry, tensor, "grad")
    return None


def _field(registry: Registry, tensor: Any, name: str) -> Any:
    """Return an attribute of a tensor, not what a class of the user's makes of it."""
    return getattr(registry.tensor_class, name).__get__(tensor)


def _can_open(registry: Registry | None, value: object) -> bool:
    if registry is not None and _is_readable(registry, value):
        return False
    return any(not _is_definition(part) for _, part in parts_of(value))


def _is_definition(value: object) -> bool:
    return type(value) in _DEFINITIONS or is_a(value, type)


def send_arrays(
    wire: Wire,
    registry: Registry | None,
    frames: Sequence[FrameType],
    addresses: Sequence[str],
    most: int = 0,
) -> None:
    """Answer with the tensors of some addresses; of longer ones with the first `most` elements."""
    layouts, bodies = [], []
    with nullcontext() if registry is None else registry.plainly():
        for name in addresses:
            array = None if registry is None else find_tensor(registry, frames, name)
            if array is None or registry is None or not _is_readable(registry, array):
                continue
            try:
                first = _first(shard_of(registry.tensor_class.detach(array)), most)
                described, body = layout(name, first), registry.reader.bytes_of(first)
            except (RuntimeError, NotImplementedError):  # it has no values in memory
                continue
            layouts.append(described)
            bodies.append(body)
    present = {described[0] for described in layouts}
    missing = [name for name in addresses if name not in present]
    wire.send({"type": "arrays", "arrays": layouts, "missing": missing}, bodies)


def _first(tensor: Any, most: int) -> Any:
    """Return a tensor, or its first elements if it has more than `most`; 0 for all."""
    return tensor.reshape(-1)[:most] if most and tensor.numel() > most else tensor
