"""What can be asked of a held script: any tensor by its address, and its variables."""

from __future__ import annotations

from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from gradstep_agent.registry import layout
from gradstep_agent.user_code import user_frame

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

    from gradstep_agent.registry import Registry
    from gradstep_agent.wire import Wire

_FRAMES = 10
_LOCALS = 50
_SHORT = 120
_LONG = 2000
_NAME = 200
_ITEMS = 1000
_MOST_VARIABLES = 1000
_PLAIN = (bool, int, float, str, type(None))
_SIZED = (list, tuple, dict, set, frozenset, bytes, bytearray)
_DEFINITIONS = (ModuleType, FunctionType, BuiltinFunctionType)


def find_tensor(registry: Registry, frames: Sequence[FrameType], address: str) -> Any:
    """Return the tensor of an address; None when there is none.

    Args:
        registry: What has names.
        frames: The user's frames, the innermost first.
        address: `model.0.weight`, `model.0.weight.grad`, `optimizer/model.0.weight/exp_avg`, or
            `@1/self.mean`: a variable of a frame, or an attribute of it.
    """
    if address.startswith("@"):
        number, _, path = address[1:].partition("/")
        if not number.isdigit() or int(number) >= len(frames):
            return None
        found = _as_tensor(registry, _variable(frames[int(number)], path))
        if found is None and path.endswith(".grad"):
            owner = _as_tensor(registry, _variable(frames[int(number)], path[: -len(".grad")]))
            has_grad = owner is not None and (owner.is_leaf or owner.retains_grad)
            found = owner.grad if has_grad else None
        return found
    if "/" in address:
        return _as_tensor(registry, _state(registry, address))
    found = registry.named(address)
    if found is None and address.endswith(".grad"):
        owner = registry.named(address[: -len(".grad")])
        found = None if owner is None else owner.grad
    return found


def _as_tensor(registry: Registry, value: Any) -> Any:
    return value if isinstance(value, registry.tensor_class) else None


def _variable(frame: FrameType, path: str) -> Any:
    """Return a variable, or what it holds in attributes; no code of the user is run."""
    name, *attributes = path.split(".")
    value = frame.f_locals.get(name, frame.f_globals.get(name))
    for attribute in attributes:
        held = value if isinstance(value, dict) else getattr(value, "__dict__", {})
        tensors = {**(held.get("_buffers") or {}), **(held.get("_parameters") or {})}
        value = held.get(attribute, tensors.get(attribute))
    return value


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
            "file": frame.f_code.co_filename,
            "line": frame.f_lineno,
            "variables": {
                name: repr(value)[:_SHORT]
                for name, value in list(frame.f_locals.items())[:_LOCALS]
                if isinstance(value, _PLAIN) and not name.startswith("__")
            },
        }
        for frame in frames
    ]


def describe_variables(
    registry: Registry | None, frames: Sequence[FrameType], number: int
) -> dict[str, Any]:
    """Return where the user's frames stand, and the variables of one of them.

    No code of the user is run: of an object that is not plain, only its type is told. Modules,
    functions and classes are left out.
    """
    rows: list[list[Any]] = []
    if 0 <= number < len(frames):
        for name, value in list(frames[number].f_locals.items()):
            if name.startswith("__") or _is_definition(value):
                continue
            rows.append(_described(registry, number, name[:_NAME], value))
            if len(rows) == _MOST_VARIABLES:
                break
    return {
        "frame": number,
        "frames": [
            [frame.f_code.co_name[:_NAME], frame.f_code.co_filename[:_LONG], frame.f_lineno]
            for frame in frames
        ],
        "variables": rows,
    }


def _described(registry: Registry | None, number: int, name: str, value: Any) -> list[Any]:
    """Return the name, type and text of a variable, and more of a tensor."""
    kind = type(value)
    if registry is not None and registry.tensor_class in kind.__mro__:
        try:
            _, dtype, shape = layout("", value)
        except RuntimeError:  # a lazy module has not given it a shape yet
            return [name, kind.__name__[:_NAME], ""]
        has_grad = bool((value.is_leaf or value.retains_grad) and value.grad is not None)
        requires_grad = bool(value.requires_grad)
        return [
            name,
            kind.__name__[:_NAME],
            dtype,
            f"@{number}/{name}",
            shape,
            requires_grad,
            has_grad,
        ]
    text = ""
    if _is_plain(value):
        text = repr(value)[:_LONG]
    elif kind in _SIZED:
        text = "1 item" if len(value) == 1 else f"{len(value)} items"
    elif kind.__name__ == "ndarray" and kind.__module__ == "numpy":
        text = f"{value.dtype} {list(value.shape)}"
    return [name, kind.__name__[:_NAME], text]


def _is_definition(value: object) -> bool:
    kind = type(value)
    return kind in _DEFINITIONS or type in kind.__mro__


def _is_plain(value: object) -> bool:
    """Return whether the text of a value runs no code of the user."""
    if type(value) is dict:
        return len(value) <= _ITEMS and all(map(_is_simple, (*value, *value.values())))
    if type(value) in {list, tuple, set}:
        assert isinstance(value, (list, tuple, set))
        return len(value) <= _ITEMS and all(map(_is_simple, value))
    return _is_simple(value)


def _is_simple(value: object) -> bool:
    return type(value) in _PLAIN


def send_arrays(
    wire: Wire,
    registry: Registry | None,
    frames: Sequence[FrameType],
    addresses: Sequence[str],
    most: int = 0,
) -> None:
    """Answer with the tensors of some addresses; of longer ones with the first `most` elements."""
    found = {}
    if registry is not None:
        found = {address: find_tensor(registry, frames, address) for address in addresses}
    layouts, bodies = [], []
    for name, array in found.items():
        if array is None or registry is None:
            continue
        try:
            first = _first(array, most)
            described, body = layout(name, first), registry.bytes_of(first)
        except (RuntimeError, NotImplementedError):  # it has no values in memory
            continue
        layouts.append(described)
        bodies.append(body)
    present = {described[0] for described in layouts}
    missing = [name for name in addresses if name not in present]
    wire.send({"type": "arrays", "arrays": layouts, "missing": missing}, bodies)


def _first(tensor: Any, most: int) -> Any:
    """Return a tensor, or its first elements if it has more than `most`; 0 for all."""
    return tensor.detach().reshape(-1)[:most] if most and tensor.numel() > most else tensor
