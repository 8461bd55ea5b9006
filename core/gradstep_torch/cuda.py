"""What a script asks about CUDA devices: there are none."""

from __future__ import annotations

from gradstep.autograd.devices import DeviceLike, require_cpu

__all__ = [
    "current_device",
    "device_count",
    "empty_cache",
    "get_device_name",
    "is_available",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "memory_allocated",
    "memory_reserved",
    "reset_peak_memory_stats",
    "synchronize",
]


def is_available() -> bool:
    """Tell whether there is a CUDA device: no.

    Example:
        >>> "cuda" if is_available() else "cpu"
        'cpu'
    """
    return False


def device_count() -> int:
    """Return the number of CUDA devices: 0."""
    return 0


def current_device() -> int:
    """Refuse: there is no CUDA device.

    Raises:
        DeviceError: Always.
    """
    require_cpu("cuda")
    return 0


def get_device_name(device: DeviceLike = None) -> str:
    """Refuse: there is no CUDA device.

    Raises:
        DeviceError: Always.
    """
    require_cpu("cuda" if device is None else device)
    return "cpu"


def synchronize(device: DeviceLike = None) -> None:
    """Refuse: there is no CUDA device to wait for.

    Raises:
        DeviceError: Always.
    """
    require_cpu("cuda" if device is None else device)


def manual_seed(seed: int) -> None:
    """Seed the generators of the CUDA device, of which there is none."""


def manual_seed_all(seed: int) -> None:
    """Seed the generators of all CUDA devices, of which there are none."""


def empty_cache() -> None:
    """Give back cached CUDA memory, of which there is none."""


def memory_allocated(device: DeviceLike = None) -> int:  # noqa: ARG001 - torch's name
    """Return the bytes of CUDA memory in use: 0."""
    return 0


def max_memory_allocated(device: DeviceLike = None) -> int:  # noqa: ARG001 - torch's name
    """Return the most bytes of CUDA memory that were in use: 0."""
    return 0


def memory_reserved(device: DeviceLike = None) -> int:  # noqa: ARG001 - torch's name
    """Return the bytes of CUDA memory that are held: 0."""
    return 0


def reset_peak_memory_stats(device: DeviceLike = None) -> None:
    """Forget the peak of CUDA memory, which is 0."""
