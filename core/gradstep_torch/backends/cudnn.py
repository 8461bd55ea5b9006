"""The switches of cuDNN, which scripts set for repeatable runs; nothing reads them."""

__all__ = ["allow_tf32", "benchmark", "deterministic", "enabled", "is_available", "version"]

enabled = False
benchmark = False
deterministic = True
allow_tf32 = False


def is_available() -> bool:
    """Tell whether there is cuDNN: no."""
    return False


def version() -> None:
    """Return the version of cuDNN: None."""
