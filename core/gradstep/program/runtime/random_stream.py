"""RandomStream: the random numbers of one program, apart from those of every other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.errors import ProgramError
from gradstep.random import Generator, default_generator

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RandomStream"]


class RandomStream:
    """A program's own place in the default generator's stream.

    Layers and samplers draw from the one default generator, as in torch. A program puts its own
    state in before an Operation that draws, and takes it out after: so programs that live in one
    process do not disturb each other, and an Operation that fails has drawn nothing.

    Args:
        seed: Where the stream begins.

    Attributes:
        state: The generator's state; never changed, only replaced.

    Example:
        >>> stream = RandomStream(0)
        >>> stream.load()
        >>> first = default_generator.permutation(9).tolist()
        >>> stream.load()
        >>> first == default_generator.permutation(9).tolist()
        True
    """

    __slots__ = ("state",)

    def __init__(self, seed: int) -> None:
        self.state: NDArray[np.uint8] = Generator().manual_seed(seed).get_state()

    def load(self) -> None:
        """Let the default generator go on from here."""
        default_generator.set_state(self.state)

    def store(self) -> None:
        """Go on later from where the default generator is now."""
        self.state = default_generator.get_state()

    @staticmethod
    def current() -> NDArray[np.uint8]:
        """Return the default generator's state."""
        return default_generator.get_state()

    @staticmethod
    def load_state(state: NDArray[np.uint8]) -> None:
        """Let the default generator go on from a state."""
        default_generator.set_state(state)

    @staticmethod
    def check(state: Any) -> None:  # noqa: ANN401 - out of a file
        """Refuse what is not the state of a generator."""
        if not isinstance(state, np.ndarray):
            raise ProgramError("", "the generator's state is not an array", "record it again")
        Generator().set_state(state)
