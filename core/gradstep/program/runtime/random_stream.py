"""RandomStream: a program's own state of the default random generator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.errors import ProgramError
from gradstep.random import Generator, default_generator, state_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RandomStream"]


class RandomStream:
    """A program's own state of the default generator.

    Layers and samplers draw from the one default generator, as in torch. A program applies its own
    state before an Operation that draws, and saves the new state afterwards. Programs in one
    process therefore do not disturb each other, and a failed Operation draws nothing.

    Args:
        seed: The seed of the stream.

    Attributes:
        state: The generator's state; never changed, only replaced.

    Example:
        >>> stream = RandomStream(0)
        >>> stream.apply()
        >>> first = default_generator.permutation(9).tolist()
        >>> stream.apply()
        >>> first == default_generator.permutation(9).tolist()
        True
    """

    __slots__ = ("state",)

    def __init__(self, seed: int) -> None:
        self.state: NDArray[np.uint8] = Generator().manual_seed(seed).get_state()

    def apply(self) -> None:
        """Set the default generator to this stream's state."""
        default_generator.set_state(self.state)

    def save(self) -> None:
        """Save the default generator's state as this stream's state."""
        self.state = default_generator.get_state()

    @staticmethod
    def default_state() -> NDArray[np.uint8]:
        """Return the default generator's state."""
        return default_generator.get_state()

    @staticmethod
    def set_default_state(state: NDArray[np.uint8]) -> None:
        """Set the default generator's state."""
        default_generator.set_state(state)

    @staticmethod
    def check_state(state: Any) -> None:  # noqa: ANN401 - read from a file
        """Reject a value that is not a generator's state."""
        if not isinstance(state, np.ndarray):
            raise ProgramError("", "the generator's state is not an array", "record it again")
        state_words(state)
