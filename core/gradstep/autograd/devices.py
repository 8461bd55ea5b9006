"""Devices: any can be named, but only the CPU can be used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from gradstep.errors import DeviceError, TensorError

__all__ = ["DeviceLike", "device", "get_default_device", "require_cpu", "set_default_device"]

_KNOWN = ("cpu", "cuda", "mps", "xpu", "meta", "hpu", "mtia")


@dataclass(frozen=True, slots=True, repr=False)
class device:
    """The name of a device; tensors exist only on the CPU.

    Args:
        type: Such as "cpu", or "cuda:0", which can be named but not used.
        index: The index among devices of this type.

    Example:
        >>> device("cpu")
        device(type='cpu')
    """

    __module__ = "gradstep"  # the public name, which its type prints
    type: str
    index: int | None = None

    def __post_init__(self) -> None:
        given: object = self.type
        if isinstance(given, device):
            name, index = given.type, given.index
        elif isinstance(given, int):
            name, index = "cuda", given
        else:
            name, _, number = str(given).partition(":")
            if name not in _KNOWN or (number and not number.isdigit()):
                raise TensorError(
                    f"Expected one of {', '.join(_KNOWN)} device type at start of device string: "
                    f"{given}",
                    'use "cpu"',
                )
            index = int(number) if number else self.index
        object.__setattr__(self, "type", name)
        object.__setattr__(self, "index", index)

    def __repr__(self) -> str:
        place = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{place})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __enter__(self) -> device:
        require_cpu(self)
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: the block changed no setting."""


DeviceLike: TypeAlias = "device | str | int | None"

CPU = device("cpu")


def require_cpu(wanted: DeviceLike) -> None:
    """Raise unless a device is the CPU.

    Raises:
        DeviceError: It is another device.

    Example:
        >>> require_cpu("cpu")
    """
    if wanted is None or wanted is CPU or wanted == "cpu":
        return
    named = device(wanted)  # type: ignore[arg-type]
    if named.type != "cpu":
        raise DeviceError(
            f"device '{named}' is not available, as in a Torch not compiled with "
            f"{named.type.upper()} enabled",
            'use "cpu"',
        )


def set_default_device(device: DeviceLike) -> None:
    """Accept the CPU as the device of new tensors; raise for any other."""
    require_cpu(device)


def get_default_device() -> device:
    """Return the device of new tensors: the CPU."""
    return CPU
