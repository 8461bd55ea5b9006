"""torch.accelerator: reports that there are no accelerators."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradstep.autograd.devices import device

__all__ = ["current_accelerator", "device_count", "is_available"]


def is_available() -> bool:
    """Return False: there is no accelerator.

    Example:
        >>> is_available()
        False
    """
    return False


def device_count() -> int:
    """Return the number of accelerators: 0."""
    return 0


def current_accelerator(check_available: bool = False) -> device | None:  # noqa: ARG001 - torch's name
    """Return the accelerator in use: None."""
    return None
