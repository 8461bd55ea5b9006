"""Reading values of a live Source by address, without copies."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from gradstep.history.reads_writes import Address
    from gradstep.history.source import Source

__all__ = ["array_of", "bytes_of", "grad_of", "gradient_of", "plain", "read"]

array_of: Callable[[Any], NDArray[Any]] = attrgetter("_array")
"""Return the array of a Tensor. `detach().numpy()` returns it too, but creates two objects for each
tensor of every Event. Only this module reads private attributes of Tensors."""


grad_of: Callable[[Any], Any] = attrgetter("_grad")
"""Return the gradient of a Tensor, or None, without the check for leaves: named tensors are."""


def gradient_of(tensor: Any) -> NDArray[Any] | None:  # noqa: ANN401 - a Tensor of any kind
    """Return the array of a tensor's `.grad`, or None."""
    gradient = grad_of(tensor)
    return None if gradient is None else array_of(gradient)


_RECORDED = frozenset(("data", "grad", "state"))
"""What a recording that was thinned out may lack."""


def bytes_of(arrays: Sequence[NDArray[Any]]) -> bytes:
    r"""Return the concatenated bytes of arrays, each in row-major order.

    Example:
        >>> import numpy as np
        >>> bytes_of([np.arange(4, dtype=np.uint8).reshape(2, 2).T, np.zeros(1, np.uint8)])
        b'\x00\x02\x01\x03\x00'
    """
    try:
        return b"".join(arrays)  # type: ignore[arg-type]  # an array is a buffer
    except TypeError:  # one is not contiguous; checking first would cost more
        return b"".join([array.tobytes() for array in arrays])


def plain(value: Any) -> NDArray[Any] | float:  # noqa: ANN401 - optimizers store many types
    """Return an optimizer's state value as an array, or as a number when it is a counter.

    A list of arrays, as in L-BFGS, becomes one array with a row for each.
    """
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, list):
        return np.array([plain(item) for item in value])
    array = value if isinstance(value, np.ndarray) else array_of(value)
    return array if array.ndim else float(array)


def read(source: Source, address: Address) -> NDArray[Any] | float | None:
    """Return the current value at an address: an array (not a copy), a number, or None.

    None is returned for unknown names, and for addresses that have no value of their own: positions
    in data, graphs and generators, and where the value was not recorded.
    """
    unrecorded = source.unrecorded
    is_unknown = bool(unrecorded) and address.kind in _RECORDED and str(address) in unrecorded
    return None if is_unknown else _read(source, address)


def _read(source: Source, address: Address) -> NDArray[Any] | float | None:
    match address.kind:
        case "data":
            tensor = source.tensors.get(address.name)
            return None if tensor is None else array_of(tensor)
        case "grad":
            tensor = source.tensors.get(address.name)
            return None if tensor is None else gradient_of(tensor)
        case "loss":
            loss = source.losses.get(address.name)
            return None if loss is None else array_of(loss).item()
        case "state":
            return _state(source, address)
        case "hyperparameter":
            return _hyperparameter(source, address)
        case _:
            return None


def _state(source: Source, address: Address) -> NDArray[Any] | float | None:
    optimizer = source.optimizers.get(address.optimizer)
    tensor = source.tensors.get(address.name)
    if optimizer is None or tensor is None:
        return None
    value = optimizer.state.get(tensor, {}).get(address.key)
    return None if value is None else plain(value)


def _hyperparameter(source: Source, address: Address) -> float | None:
    optimizer = source.optimizers.get(address.optimizer)
    if optimizer is None:
        return None
    groups = optimizer.param_groups
    number = int(address.name or 0)
    value = groups[number].get(address.key) if number < len(groups) else None
    return float(value) if isinstance(value, (int, float)) else None
