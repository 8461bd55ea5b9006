"""torch.backends.mps: there are no Apple devices."""

__all__ = ["is_available", "is_built"]


def is_available() -> bool:
    """Return False: there is no such device."""
    return False


def is_built() -> bool:
    """Return False: there is no such device."""
    return False
