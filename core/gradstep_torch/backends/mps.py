"""What a script asks about Apple's devices: there are none."""

__all__ = ["is_available", "is_built"]


def is_available() -> bool:
    """Tell whether there is such a device: no."""
    return False


def is_built() -> bool:
    """Tell whether there could be such a device: no."""
    return False
