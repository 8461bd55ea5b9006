"""NumberedItems: what breakpoints and watches have in common."""

from typing import NamedTuple

import pytest

from gradstep.debugger.numbered_items import NumberedItems
from gradstep.errors import OperationError
from gradstep.history.records.breakpoints import MAX_BREAKS


class Note(NamedTuple):
    id: int
    text: str


def notes(*texts, keep=None):
    return NumberedItems(("note", "notes"), Note, lambda note: note.text, texts, keep)


def test_items_keep_their_order_and_their_numbers_are_never_used_again():
    items = notes("a", "b")
    items.remove(2)
    assert items.append("c") == Note(3, "c")
    items.remove(1)
    assert (list(items), len(items), items[0]) == ([Note(3, "c")], 1, Note(3, "c"))
    assert repr(items) == "NumberedItems([Note(id=3, text='c')])"


def test_a_number_that_is_not_there_is_reported():
    items = notes("a")
    assert items.find(1) == Note(1, "a")
    for call in (items.find, items.remove):
        with pytest.raises(OperationError, match=r"^there is no note 2; add one first$"):
            call(2)


def test_texts_are_passed_on_after_each_change_and_not_at_the_start():
    kept = []
    items = notes("a", keep=kept.append)
    assert kept == []
    items.append("b")
    items.remove(1)
    items.save_texts()
    assert kept == [("a", "b"), ("b",), ("b",)]


def test_other_items_come_with_their_numbers_which_are_not_used_again():
    kept = []
    items = notes("a", keep=kept.append)
    items.replace_all([(4, "b"), (2, "c")])
    assert list(items) == [Note(4, "b"), Note(2, "c")]
    assert items.append("d") == Note(5, "d")
    items.replace_all([])
    assert (items.append("e"), kept[0], kept[-1]) == (Note(6, "e"), ("b", "c"), ("e",))


def test_items_beyond_the_limit_are_dropped_at_the_start_and_rejected_later():
    items = notes(*map(str, range(MAX_BREAKS + 5)))
    assert len(items) == MAX_BREAKS
    with pytest.raises(
        OperationError,
        match=r"^there are already 200 notes, which is the limit; remove one first$",
    ):
        items.append("one more")
    items.remove(7)
    assert items.append("one more").id == MAX_BREAKS + 1


@pytest.mark.parametrize("kind", ["breakpoint", "watch"])
def test_an_item_that_was_removed_cannot_be_removed_again(network, kind):
    item = network.break_when("loss > 1") if kind == "breakpoint" else network.watch("loss")
    item.remove()
    with pytest.raises(OperationError, match=f"there is no {kind} 1"):
        item.remove()
