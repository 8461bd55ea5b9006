"""torch.backends.cuda: there is no CUDA."""

__all__ = ["is_built"]


def is_built() -> bool:
    """Return False: there is no CUDA."""
    return False
