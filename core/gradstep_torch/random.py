"""torch.random: the core's seeded generators, and a block that draws nothing."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from gradstep.random import Generator, default_generator, initial_seed, manual_seed, seed
from gradstep_torch.missing_names import missing_from

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "Generator",
    "default_generator",
    "fork_rng",
    "initial_seed",
    "manual_seed",
    "seed",
]

if not TYPE_CHECKING:  # type checkers must see only the real names
    __getattr__ = missing_from(__name__)


@contextmanager
def fork_rng(devices: object = None, enabled: bool = True) -> Iterator[None]:
    """Restore the default stream after a `with` block, as if nothing had been drawn in it.

    Args:
        devices: CUDA devices; there are none.
        enabled: Whether to restore it.

    Example:
        >>> first = manual_seed(0).words(1)
        >>> with fork_rng():
        ...     _ = manual_seed(1).words(5)
        >>> initial_seed()
        0
    """
    del devices
    state = default_generator.get_state()
    try:
        yield
    finally:
        if enabled:
            default_generator.set_state(state)
