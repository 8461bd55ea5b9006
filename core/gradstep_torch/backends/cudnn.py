"""torch.backends.cudnn: switches that scripts set for reproducible runs; they have no effect."""

__all__ = ["allow_tf32", "benchmark", "deterministic", "enabled", "is_available", "version"]

enabled = False
benchmark = False
deterministic = True
allow_tf32 = False


def is_available() -> bool:
    """Return False: there is no cuDNN."""
    return False


def version() -> None:
    """Return None: there is no cuDNN."""
