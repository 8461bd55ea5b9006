"""Which DataLoader a training loop draws its batches from, and whether it shuffles them."""

from __future__ import annotations

import dis
import weakref
from itertools import chain
from typing import TYPE_CHECKING, Any

from gradstep_agent.user_code import (
    held_in_variables,
    is_user_code,
    user_frame,
    variables_of_type,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_LEAST_BATCHES = 3
_EPOCHS = 2
"""Epochs with a Step, of one DataLoader, before its order is reported."""
_NOTHING_SEEN = "", ""


class DrawnBatches:
    """Where the last batch came from, and which orders training has seen twice.

    Args:
        loader_class: The script's class of DataLoaders.

    Attributes:
        source: Returns the iterator of a DataLoader that gave the last batch, while it lives.
    """

    def __init__(self, loader_class: type) -> None:
        self.source: Callable[[], Any] = _nothing
        self._loader_class = loader_class
        self._stepped: Callable[[], Any] = _nothing
        self._trained_order: object = None  # what marks the order of the last Step's batches
        self._trained_data: object = None  # likewise
        # Each iterator that has given a batch, and whether it has given all.
        self._begun: weakref.WeakKeyDictionary[Any, bool] = weakref.WeakKeyDictionary()
        # The sampler belongs to the DataLoader, not to the epoch.
        self._epochs: weakref.WeakKeyDictionary[Any, tuple[int | None, int]]
        self._epochs = weakref.WeakKeyDictionary()

    def is_new(self) -> bool:
        """Return whether a Step would be the first with batches of this iterator."""
        source = self.source()
        return source is not None and self._stepped() is not source

    def is_drawn_again(self, iterator: Any, frame: FrameType | None) -> bool:
        """Return whether a library's trainer draws again from the data that it trains with.

        Its loops are not the user's: that is what tells its epochs apart. Call it when the
        iterator is another one.

        It may make another DataLoader of the data for each epoch. Where the iterator of before is
        not at its end, and not gone, the data are only evaluated meanwhile.

        Args:
            iterator: The iterator of a DataLoader that gives a batch.
            frame: The frame that draws it.
        """
        if iterator in self._begun:
            return False  # it goes on after another one
        self._begun[iterator] = False
        stepped = self._stepped()
        is_over = stepped is None or self._begun.get(stepped, False)
        return is_over and self._is_trained(iterator) and _is_drawn_by_library(frame)

    def _is_trained(self, iterator: Any) -> bool:
        order = _mark(getattr(iterator, "_index_sampler", None))
        data = _mark(getattr(iterator, "_dataset", None))
        return _are_same(order, self._trained_order) or _are_same(data, self._trained_data)

    def end(self, iterator: Any) -> None:
        """Note that an iterator has given all of its batches."""
        if iterator in self._begun:
            self._begun[iterator] = True

    def begin_again(self, iterator: Any) -> None:
        """Note that an iterator will give all batches once more, as one with persistent workers."""
        self._begun.pop(iterator, None)
        if self.source() is iterator:
            self.source = _nothing
        if self._stepped() is iterator:
            self._stepped = _nothing

    def look(self, frame: FrameType | None) -> tuple[str, str]:
        """Return why a DataLoader trains in the same order again, and its name.

        It does not shuffle, which is an "order", or shuffles by an "epoch" that is the same as
        before. Both are empty where it does not, or has no name. Call it at each Step.

        Args:
            frame: The user's frame.
        """
        if not self.is_new():
            return _NOTHING_SEEN
        source = self.source()
        self._stepped = weakref.ref(source)
        batches = getattr(source, "_index_sampler", None)
        self._trained_order = _mark(batches)
        self._trained_data = _mark(getattr(source, "_dataset", None))
        sampler = getattr(batches, "sampler", batches)
        number = _epoch_of(sampler)
        is_ordered = number is not None or type(sampler).__name__ == "SequentialSampler"
        if not is_ordered or not _is_several(batches):
            return _NOTHING_SEEN
        before, epochs = self._epochs.get(sampler, (number, 0))
        epochs = epochs + 1 if number == before else 1
        self._epochs[sampler] = number, epochs
        if epochs != _EPOCHS:
            return _NOTHING_SEEN
        kind = self._loader_class
        names = chain(variables_of_type(kind, frame), held_in_variables(kind, frame))
        name = next((name for name, loader in names if loader._index_sampler is batches), "")
        return "order" if number is None else "epoch", name


def _nothing() -> None:
    """Return None, as a reference to what is gone does."""


def _mark(thing: Any) -> object:
    """Return what tells something from others without keeping it alive; None where nothing does.

    There is no weak reference to a list: its place and length tell it from others.
    """
    if isinstance(thing, (list, tuple)):
        return id(thing), len(thing)
    try:
        return None if thing is None else weakref.ref(thing)
    except TypeError:
        return None


def _are_same(mark: object, other: object) -> bool:
    """Return whether two marks are of one thing; weak references compare what they lead to."""
    return mark is not None and (mark is other or (type(mark) is tuple and mark == other))


def _is_drawn_by_library(frame: FrameType | None) -> bool:
    """Return whether a loop of a library draws a batch, not one of the user's.

    In `for batch in tqdm(loader)` the loop is the user's, though tqdm draws the batch.
    """
    if frame is None or is_user_code(frame.f_code):
        return False
    own = user_frame(frame)
    return own is None or dis.opname[own.f_code.co_code[own.f_lasti]] != "FOR_ITER"


def _epoch_of(sampler: Any) -> int | None:
    """Return the epoch that a DistributedSampler shuffles by; None for any other sampler."""
    is_distributed = any(kind.__name__ == "DistributedSampler" for kind in type(sampler).__mro__)
    epoch = getattr(sampler, "epoch", None)
    if not is_distributed or not getattr(sampler, "shuffle", False) or type(epoch) is not int:
        return None
    return epoch


def _is_several(batches: Any) -> bool:
    try:
        return len(batches) >= _LEAST_BATCHES
    except (TypeError, NotImplementedError):
        return False
