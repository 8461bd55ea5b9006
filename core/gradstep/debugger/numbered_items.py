"""NumberedItems: what breakpoints and watches have in common as collections of a Debugger."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from gradstep.errors import OperationError
from gradstep.history.records.breakpoints import MAX_BREAKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["NumberedItems"]


class Numbered(Protocol):
    """An item with a number of its own."""

    @property
    def id(self) -> int:
        """Its number."""


Spec = TypeVar("Spec")
Item = TypeVar("Item", bound=Numbered)


class NumberedItems(Generic[Spec, Item]):
    """A collection of a Debugger, in the order in which its items were added.

    Args:
        nouns: What one item is called, and what several are: "watch", "watches".
        make: Makes an item from its number and what it does.
        text_of: Returns the text by which a session keeps an item.
        specs: What the first items do; those beyond `MAX_BREAKS` are dropped.
        keep: Called with the texts of all items after each change.
    """

    __slots__ = ("_items", "_keep", "_make", "_next", "_nouns", "_text_of")

    def __init__(
        self,
        nouns: tuple[str, str],
        make: Callable[[int, Spec], Item],
        text_of: Callable[[Item], str],
        specs: Iterable[Spec] = (),
        keep: Callable[[tuple[str, ...]], None] | None = None,
    ) -> None:
        self._nouns = nouns
        self._make = make
        self._text_of = text_of
        self._keep = keep
        self._items = [make(*each) for each in enumerate(islice(specs, MAX_BREAKS), start=1)]
        self._next = len(self._items) + 1

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: int) -> Item:
        return self._items[index]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._items})"

    def find(self, number: int) -> Item:
        """Return the item with a number.

        Raises:
            OperationError: There is none.
        """
        for item in self._items:
            if item.id == number:
                return item
        raise OperationError(f"there is no {self._nouns[0]} {number}", "add one first")

    def append(self, spec: Spec) -> Item:
        """Make an item with the next number, and return it.

        Raises:
            OperationError: There are too many.
        """
        if len(self._items) >= MAX_BREAKS:
            raise OperationError(
                f"there are already {MAX_BREAKS} {self._nouns[1]}, which is the limit",
                "remove one first",
            )
        made = self._make(self._next, spec)
        self._next += 1
        self._items.append(made)
        self.save_texts()
        return made

    def replace_all(self, items: Iterable[tuple[int, Spec]]) -> None:
        """Replace all items: each new one has its number and its definition."""
        self._items = [self._make(number, spec) for number, spec in items]
        self._next = max([self._next, *(item.id + 1 for item in self._items)])
        self.save_texts()

    def remove(self, number: int) -> None:
        """Remove the item with a number, which is not used again.

        Raises:
            OperationError: There is none.
        """
        self._items.remove(self.find(number))
        self.save_texts()

    def save_texts(self) -> None:
        """Pass on the texts of all items, after one has changed."""
        if self._keep is not None:
            self._keep(self.texts)

    @property
    def texts(self) -> tuple[str, ...]:
        """What a session keeps of them."""
        return tuple(self._text_of(item) for item in self._items)
