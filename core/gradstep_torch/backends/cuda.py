"""What a script asks about CUDA's libraries: there are none."""

__all__ = ["is_built"]


def is_built() -> bool:
    """Tell whether there could be a CUDA device: no."""
    return False
