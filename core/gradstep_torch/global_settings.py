"""Global settings of torch that scripts often set; they have no effect here."""

from __future__ import annotations

from gradstep.errors import ArgumentTypeError, TensorError

__all__ = [
    "are_deterministic_algorithms_enabled",
    "set_float32_matmul_precision",
    "set_num_threads",
    "use_deterministic_algorithms",
]

_PRECISIONS = ("highest", "high", "medium")


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Accept either value: every operation is deterministic in any case."""
    del mode, warn_only


def are_deterministic_algorithms_enabled() -> bool:
    """Return True: every operation is deterministic."""
    return True


def set_num_threads(threads: int) -> None:
    """Accept a number, without effect: NumPy reads OMP_NUM_THREADS when it is imported.

    Raises:
        ArgumentTypeError: It is not an integer.
        TensorError: It is not positive.
    """
    if not isinstance(threads, int):
        raise ArgumentTypeError(f"set_num_threads expects an int, but got {type(threads).__name__}")
    if threads <= 0:
        raise TensorError(f"set_num_threads expects a positive integer, got {threads}")


def set_float32_matmul_precision(precision: str) -> None:
    """Accept any of torch's settings: matrix products always use full precision.

    Raises:
        TensorError: It is none of them.
    """
    if precision not in _PRECISIONS:
        raise TensorError(
            f"{precision} is not one of 'highest', 'high', or 'medium'", "use one of these"
        )
