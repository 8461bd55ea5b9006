"""What can be asked of a held script: any tensor by its address, and its variables."""

from __future__ import annotations

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
_ITEMS = 1000
_PLAIN = (bool, int, float, str, type(None))


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
        return _as_tensor(registry, _variable(frames[int(number)], path))
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
) -> list[list[str]]:
    """Return all variables of a frame: name, type, text, and the address if it is a tensor."""
    if not 0 <= number < len(frames):
        return []
    rows = []
    for name, value in list(frames[number].f_locals.items()):
        if name.startswith("__"):
            continue
        text, address = "", ""
        if registry is not None and isinstance(value, registry.tensor_class):
            _, dtype, shape = layout("", value)
            text, address = f"{dtype} {shape}", f"@{number}/{name}"
        elif _is_plain(value):
            text = repr(value)[:_LONG]
        rows.append([name, type(value).__name__, text, address])
    return rows


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
    wire: Wire, registry: Registry | None, frames: Sequence[FrameType], addresses: Sequence[str]
) -> None:
    """Answer with the tensors of some addresses."""
    found = {}
    if registry is not None:
        found = {address: find_tensor(registry, frames, address) for address in addresses}
    present = {name: array for name, array in found.items() if array is not None}
    wire.send(
        {
            "type": "arrays",
            "arrays": [layout(name, array) for name, array in present.items()],
            "missing": [name for name in addresses if name not in present],
        },
        [registry.bytes_of(array) for array in present.values()] if registry else [],
    )
