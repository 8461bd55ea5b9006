"""EffectCache: what Events of one Operation have in common, computed once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.history.live_values import array_of, bytes_of, grad_of, read
from gradstep.history.log.checksum import COVERED, covered, drawn
from gradstep.program.operation import ZeroGrad

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from gradstep.history.log.vocabulary import Vocabulary
    from gradstep.history.reads_writes import ReadsWrites
    from gradstep.history.source import Source, SourceEffect
    from gradstep.program.operation import Operation

__all__ = ["CachedEffect", "EffectCache"]

_MOST = 4096
"""Most entries: programs return the same Operations and address tuples again and again."""

_NO_GRADIENT = np.frombuffer(b"None", np.uint8)
_NO_STATE: dict[str, Any] = {}


class CachedEffect:
    """The effect of an Operation that a program applies again and again.

    Args:
        source: The live program.
        operation: The Operation.
        number: Its number in the Vocabulary.
        reads_writes: What it reads and writes.

    Attributes:
        operation: The Operation.
        number: Its number in the Vocabulary.
        reads_writes: What it reads and writes.
        makes_gradients: Whether it computes gradients, as opposed to clearing them.

    Example:
        >>> from types import SimpleNamespace
        >>> from gradstep.history.reads_writes import reads_writes_of
        >>> from gradstep.program.operation import Step
        >>> x = SimpleNamespace(_array=np.zeros(3), _grad=None)
        >>> source = SimpleNamespace(tensors={"x": x}, optimizers={})
        >>> cached = CachedEffect(source, Step(), 0, reads_writes_of(1, (), ("x",), ()))
        >>> cached.written(1) == bytes(3 * 8)
        True
    """

    __slots__ = (
        "_gradients",
        "_is_empty",
        "_long",
        "_source",
        "_states",
        "_tensors",
        "makes_gradients",
        "number",
        "operation",
        "reads_writes",
    )

    def __init__(
        self, source: Source, operation: Operation, number: int, reads_writes: ReadsWrites
    ) -> None:
        known = source.tensors
        self.operation = operation
        self.number = number
        self.reads_writes = reads_writes
        self.makes_gradients = (
            bool(reads_writes.written_gradients) and type(operation) is not ZeroGrad
        )
        self._source = source
        self._tensors = [known[name] for name in reads_writes.written_tensors if name in known]
        self._gradients = [known[name] for name in reads_writes.written_gradients if name in known]
        self._states = [
            (source.optimizers[optimizer], [known.get(name) for name in names])
            for optimizer, names in reads_writes.written_states
        ]
        self._long = [
            at
            for at, tensor in enumerate(self._tensors + self._gradients)
            if array_of(tensor).size > COVERED
        ]
        self._is_empty = not (
            self._tensors or self._gradients or self._states or reads_writes.written_options
        )

    def written(self, turn: int) -> bytes:
        """Return the covered bytes of what the Operation has just written.

        Args:
            turn: The Event's index, which selects the covered part of large arrays.
        """
        if self._is_empty:
            return b""
        arrays = list(map(array_of, self._tensors))
        arrays += [
            _NO_GRADIENT if gradient is None else array_of(gradient)
            for gradient in map(grad_of, self._gradients)
        ]
        for at in self._long:
            arrays[at] = covered(arrays[at], turn)
        for optimizer, owners in self._states:
            held = optimizer.state.get(owners[drawn(turn, len(owners))], _NO_STATE)
            for value in held.values():
                for item in value if isinstance(value, list) else (value,):
                    arrays.append(covered(_as_array(item), turn))
        found = bytes_of(arrays)
        for address in self.reads_writes.written_options:
            found += repr(read(self._source, address)).encode()
        return found


class EffectCache:
    """What the Operations of one program read and wrote, looked up once for each.

    Args:
        source: The live program.
        words: Assigns numbers to Operations and to what they read and write.

    Attributes:
        source: The live program.
    """

    __slots__ = ("_known", "_named", "_words", "source")

    def __init__(self, source: Source, words: Vocabulary) -> None:
        self.source = source
        self._words = words
        self._known: dict[tuple[int, int, int], tuple[CachedEffect, SourceEffect]] = {}
        self._named: Mapping[str, Any] = {}

    def of(self, operation: Operation, effect: SourceEffect) -> CachedEffect:
        """Return the cached effect of an Operation that was just applied."""
        # Hashing twenty addresses costs more than the rest of an Event, so objects are looked up
        # by id; the cache keeps them alive, so that no id is reused.
        key = id(operation), id(effect.reads), id(effect.writes)
        known = self._known.get(key)
        if known is None or self.source.tensors is not self._named:
            return self._add(key, operation, effect)
        return known[0]

    def _add(
        self, key: tuple[int, int, int], operation: Operation, effect: SourceEffect
    ) -> CachedEffect:
        if self.source.tensors is not self._named or len(self._known) >= _MOST:
            self._named = self.source.tensors
            self._known.clear()
        reads_writes = self._words.reads_writes(effect.reads, effect.writes)
        cached = CachedEffect(
            self.source, operation, self._words.operation_id(operation), reads_writes
        )
        self._known[key] = cached, effect
        return cached


def _as_array(value: Any) -> NDArray[Any]:  # noqa: ANN401 - whatever an optimizer keeps
    return array_of(value) if hasattr(value, "_array") else np.asarray(value)
