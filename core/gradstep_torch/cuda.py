"""torch.cuda: there are no CUDA devices."""

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
    """Return False: there is no CUDA device.

    Example:
        >>> "cuda" if is_available() else "cpu"
        'cpu'
    """
    return False


def device_count() -> int:
    """Return the number of CUDA devices: 0."""
    return 0


def current_device() -> int:
    """Raise DeviceError: there is no CUDA device.

    Raises:
        DeviceError: Always.
    """
    require_cpu("cuda")
    return 0


def get_device_name(device: DeviceLike = None) -> str:
    """Raise DeviceError: there is no CUDA device.

    Raises:
        DeviceError: Always.
    """
    require_cpu("cuda" if device is None else device)
    return "cpu"


def synchronize(device: DeviceLike = None) -> None:
    """Raise DeviceError: there is no CUDA device to wait for.

    Raises:
        DeviceError: Always.
    """
    require_cpu("cuda" if device is None else device)


def manual_seed(seed: int) -> None:
    """Do nothing: there is no CUDA device to seed."""


def manual_seed_all(seed: int) -> None:
    """Do nothing: there are no CUDA devices to seed."""


def empty_cache() -> None:
    """Do nothing: there is no CUDA memory."""


def memory_allocated(device: DeviceLike = None) -> int:  # noqa: ARG001 - torch's name
    """Return the bytes of CUDA memory in use: 0."""
    return 0


def max_memory_allocated(device: DeviceLike = None) -> int:  # noqa: ARG001 - torch's name
    """Return the peak of CUDA memory in use: 0."""
    return 0


def memory_reserved(device: DeviceLike = None) -> int:  # noqa: ARG001 - torch's name
    """Return the bytes of reserved CUDA memory: 0."""
    return 0


def reset_peak_memory_stats(device: DeviceLike = None) -> None:
    """Do nothing: the peak of CUDA memory is 0."""
