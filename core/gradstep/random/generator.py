"""The seeded generator: it draws the same numbers as torch's CPU generator.

Both are a Mersenne Twister (Matsumoto & Nishimura 1998) seeded by Knuth's recurrence, and its
32-bit words become numbers in the same way, so a seed gives the same tensors in both.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gradstep.errors import ArgumentError, TensorError
from gradstep.random.normal import BLOCK, normals

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Generator",
    "default_generator",
    "initial_seed",
    "manual_seed",
    "seed",
    "state_words",
]

_WORDS: Final = 624


class Generator:
    """A stream of random numbers.

    Args:
        device: Only "cpu".

    Example:
        >>> generator = Generator().manual_seed(0)
        >>> generator.uniform((2,), np.dtype("float32"))
        array([0.4962566, 0.7682218], dtype=float32)
    """

    __slots__ = ("_cached_normal", "_seed", "_stream")

    def __init__(self, device: object = "cpu") -> None:
        if str(device) != "cpu":
            raise TensorError(f"device '{device}' is not available", 'use "cpu"')
        self.manual_seed(67280421310721)

    def manual_seed(self, seed: int) -> Generator:
        """Restart the stream from a seed.

        Args:
            seed: Any integer of 64 bits; the stream depends on its lower 32.
        """
        if not -(1 << 63) <= seed < 1 << 64:
            raise ArgumentError(f"a seed is an integer of 64 bits, got {seed}")
        self._seed = int(seed) % (1 << 64)
        self._stream = np.random.RandomState(self._seed % (1 << 32))
        self._cached_normal: float | None = None
        return self

    def seed(self) -> int:
        """Restart the stream from the clock, and return the seed."""
        self.manual_seed(time.time_ns() % (1 << 63))
        return self._seed

    def initial_seed(self) -> int:
        """Return the seed that the stream started from."""
        return self._seed

    def get_state(self) -> NDArray[np.uint8]:
        """Return the whole state as bytes, for `set_state`."""
        state = self._stream.get_state(legacy=False)["state"]
        words = np.empty(_WORDS + 6, np.uint32)
        words[:_WORDS] = state["key"]
        words[_WORDS] = state["pos"]
        words[_WORDS + 1 : _WORDS + 3] = np.array([self._seed], np.uint64).view(np.uint32)
        words[_WORDS + 3] = self._cached_normal is not None
        cached = np.array([self._cached_normal or 0.0], np.float64)
        words[_WORDS + 4 :] = cached.view(np.uint32)
        return words.view(np.uint8)

    def set_state(self, new_state: Any) -> None:  # noqa: ANN401 - whatever holds the bytes
        """Continue from a state that `get_state` returned.

        Raises:
            TensorError: It is not the state of a generator.
        """
        words = state_words(new_state)
        position = int(words[_WORDS])
        self._stream.set_state(("MT19937", words[:_WORDS], position, 0, 0.0))
        self._seed = int(words[_WORDS + 1 : _WORDS + 3].copy().view(np.uint64)[0])
        cached = float(words[_WORDS + 4 :].copy().view(np.float64)[0])
        self._cached_normal = cached if words[_WORDS + 3] else None

    def clone_state(self) -> Generator:
        """Return a generator that continues as this one would."""
        other = Generator()
        other.set_state(self.get_state())
        return other

    # -- draws ---------------------------------------------------------------------------------

    def words(self, count: int) -> NDArray[np.uint32]:
        """Draw `count` integers of 32 bits."""
        return self._stream.randint(0, 1 << 32, count, np.uint32)

    def long_words(self, count: int) -> NDArray[np.uint64]:
        """Draw `count` integers of 64 bits, the upper half first."""
        halves = self.words(2 * count).astype(np.uint64)
        return (halves[::2] << np.uint64(32)) | halves[1::2]

    def uniform(self, shape: tuple[int, ...], kind: np.dtype[Any]) -> NDArray[Any]:
        """Draw from [0, 1), with as many random bits as the type can hold."""
        count = int(np.prod(shape, dtype=np.int64))
        if kind == np.float64:
            bits = self.long_words(count) & np.uint64((1 << 53) - 1)
            return (bits * 2.0**-53).reshape(shape)
        digits = 24 if kind == np.float32 else 11
        bits = self.words(count) & np.uint32((1 << digits) - 1)
        return (bits.astype(np.float32) * np.float32(2.0**-digits)).astype(kind).reshape(shape)

    def normal(
        self, shape: tuple[int, ...], kind: np.dtype[Any], mean: float = 0.0, std: float = 1.0
    ) -> NDArray[Any]:
        """Draw from a normal distribution (Box & Muller 1958)."""
        count = int(np.prod(shape, dtype=np.int64))
        if count < BLOCK:
            drawn = [self._one_normal() * std + mean for _ in range(count)]
            return np.array(drawn, kind).reshape(shape)
        work = np.dtype(np.float64 if kind == np.float64 else np.float32)
        whole = count - count % BLOCK
        # halves are drawn for whole blocks only, before the tail
        uniform = self.uniform((whole if kind.itemsize < work.itemsize else count,), work)
        out = np.empty(count, work)
        out[:whole] = normals(uniform[:whole], mean, std)
        if whole < count:  # a ragged tail: the last sixteen are drawn again
            out[-BLOCK:] = normals(self.uniform((BLOCK,), work), mean, std)
        return out.astype(kind, copy=False).reshape(shape)

    def _one_normal(self) -> float:
        if self._cached_normal is not None:
            value, self._cached_normal = self._cached_normal, None
            return value
        first, second = self.uniform((2,), np.dtype(np.float64)).tolist()
        radius = math.sqrt(-2.0 * math.log1p(-second))
        angle = 2.0 * math.pi * first
        self._cached_normal = radius * math.sin(angle)
        return radius * math.cos(angle)

    def integers(self, low: int, high: int, shape: tuple[int, ...]) -> NDArray[np.int64]:
        """Draw integers from `low` up to `high`, which is excluded."""
        span = high - low
        if span <= 0:
            raise TensorError(
                f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
            )
        count = int(np.prod(shape, dtype=np.int64))
        drawn = self.words(count) if span < 1 << 28 else self.long_words(count)
        return (drawn % drawn.dtype.type(span)).astype(np.int64).reshape(shape) + low

    def permutation(self, count: int) -> NDArray[np.int64]:
        """Draw an order of 0 ... count - 1, by exchanges (Durstenfeld 1964)."""
        order = np.arange(count)
        if count > 1:
            steps = self.words(count - 1) % np.arange(count, 1, -1, dtype=np.uint32)
            places = order.tolist()
            for place, step in enumerate(steps.tolist()):
                other = place + step
                places[place], places[other] = places[other], places[place]
            order = np.array(places)
        return order


default_generator: Final = Generator()
"""The generator that is used where no other is given."""


def state_words(state: Any) -> NDArray[np.uint32]:  # noqa: ANN401 - whatever holds the bytes
    """Return what `Generator.get_state` returned as words of 32 bits.

    Raises:
        TensorError: It is not the state of a generator.
    """
    found = np.ascontiguousarray(state)
    if found.dtype != np.uint8 or found.size != 4 * (_WORDS + 6):
        raise TensorError(
            f"the generator's state is {4 * (_WORDS + 6)} bytes, got {found.size} elements of "
            f"type {found.dtype}",
            "give what get_state() returned",
        )
    words = found.reshape(-1).view(np.uint32)
    if words[_WORDS] > _WORDS:
        raise TensorError(f"the generator's state is damaged: its position is {words[_WORDS]}")
    return words


def manual_seed(seed: int) -> Generator:
    """Restart the default stream from a seed, and return its generator.

    Example:
        >>> import gradstep
        >>> _ = manual_seed(0)
        >>> gradstep.rand(2)
        tensor([0.4963, 0.7682])
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Restart the default stream from the clock, and return the seed."""
    return default_generator.seed()


def initial_seed() -> int:
    """Return the seed that the default stream started from."""
    return default_generator.initial_seed()
