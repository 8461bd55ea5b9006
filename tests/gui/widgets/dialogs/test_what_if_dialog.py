"""The dialog that asks what a what-if changes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QComboBox, QDialogButtonBox, QLineEdit, QSpinBox

from gradstep.history.records.what_if import Edits
from gradstep.program.operation import Step, ZeroGrad
from gradstep_gui.widgets.dialogs.what_if_dialog import WhatIfDialog
from gradstep_gui.widgets.dialogs.what_if_pages import (
    Choices,
    InsertPage,
    MovePage,
    SetPage,
    SkipPage,
    written,
)

LOOP = ("Zero Grad", "Forward", "Backward", "Step")


def describe(index):
    return LOOP[(index - 1) % 4] if index <= 12 else ""


def find(first, last, kind):
    return tuple(i for i in range(first, last + 1) if not kind or describe(i) == kind)


CHOICES = Choices(
    12,
    describe,
    find,
    LOOP,
    [("Zero Grad", ZeroGrad()), ("Step", Step())],
    {"optimizer.lr": "0.1", "optimizer.kind": "SGD", "a.batch_size": ""},
    {"optimizer.kind": ("Adam", "SGD")},
)


@pytest.fixture
def dialog(qtbot):
    dialog = WhatIfDialog(3, CHOICES)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def line(dialog, page):
    """Make the last line one of this kind, or add one, and return its fields."""
    row = dialog.rows[-1] if not dialog.rows[-1].page.is_complete else dialog.add_row()
    row.choose(page)
    return row.page


def replay(dialog):
    roles = QDialogButtonBox.ButtonRole
    buttons = dialog.buttons.buttons()
    return next(one for one in buttons if dialog.buttons.buttonRole(one) == roles.AcceptRole)


def test_setting_a_value_requires_a_value(dialog, qtbot):
    page = dialog.rows[0].page
    assert isinstance(page, SetPage)
    assert not replay(dialog).isEnabled()
    qtbot.keyClicks(page.value, "0.5")
    assert replay(dialog).isEnabled()
    assert dialog.edits() == Edits(3, set={"optimizer.lr": 0.5})


def test_a_place_with_few_values_offers_them(dialog):
    page = line(dialog, SetPage)
    page.name.setCurrentText("optimizer.kind")
    assert [page.value.itemText(row) for row in range(page.value.count())] == ["Adam", "SGD"]
    assert (page.value.currentText(), page._words.text()) == ("", "currently SGD")
    page.value.setCurrentText("Adam")
    assert dialog.edits().set == {"optimizer.kind": "Adam"}


def test_another_kind_of_optimizer_is_given_its_own_options(dialog):
    for name, value in (("optimizer.kind", "Adam"), ("optimizer.betas", "0.5, 0.9")):
        page = line(dialog, SetPage)
        page.name.setCurrentText(name)
        page.value.setCurrentText(value)
    assert dialog.edits().set == {"optimizer.kind": "Adam", "optimizer.betas": [0.5, 0.9]}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 0.001),
        (" 8 ", 8),
        ("None", None),
        ("null", None),
        ("False", False),
        ("[0.9, 0.999]", [0.9, 0.999]),
        ("Adam", "Adam"),
    ],
)
def test_values_are_read_as_people_write_them(text, value):
    assert written(text) == value
    assert type(written(text)) is type(value)


def test_one_event_is_skipped(dialog):
    page = line(dialog, SkipPage)
    assert dialog.edits() == Edits(3, skip=(3,))
    assert page._words.text() == "Backward"


def test_many_events_are_skipped_at_once_all_or_by_kind(dialog):
    page = line(dialog, SkipPage)
    page.last.setValue(12)
    assert dialog.edits().skip == tuple(range(3, 13))
    assert page._words.text() == "10 events"
    page.kind.setCurrentText("Step")
    assert dialog.edits().skip == (4, 8, 12)
    page.first.setValue(9)
    page.kind.setCurrentText("Forward")
    assert (dialog.edits().skip, page._words.text()) == ((10,), "Forward")
    page.last.setValue(9)
    assert (dialog.edits().skip, replay(dialog).isEnabled()) == ((), False)


def test_an_operation_is_inserted_before_an_event_or_at_the_end(dialog):
    page = line(dialog, InsertPage)
    page.operation.setCurrentIndex(1)
    page.before.setValue(13)
    assert page._words.text() == "the end"
    other = dialog.add_row().page
    assert isinstance(other, InsertPage)  # as the last one
    other.before.setValue(5)
    assert dialog.edits() == Edits(3, insert=((13, Step()), (5, ZeroGrad())))


def test_an_event_is_moved(dialog):
    page = line(dialog, MovePage)
    page.event_number.setValue(8)
    for before, moves in ((8, False), (9, False), (6, True), (10, True)):
        page.before.setValue(before)
        assert replay(dialog).isEnabled() is moves
    page.before.setValue(6)
    assert page._words.text() == "Step, before Forward"
    assert dialog.edits() == Edits(3, move=((8, 6),))


def test_all_changes_are_replayed_together_under_one_name(dialog):
    page = line(dialog, SetPage)
    page.value.setCurrentText("0.5")
    line(dialog, SkipPage).last.setValue(4)
    other = dialog.add_row().page  # leaves out what is left out already
    move = dialog.add_row()
    move.choose(MovePage)
    move.page.event_number.setValue(8)
    move.page.before.setValue(6)
    dialog.name.setText(" all at once ")
    assert isinstance(other, SkipPage)
    assert dialog.edits() == Edits(
        3, skip=(3, 4), move=((8, 6),), set={"optimizer.lr": 0.5}, name="all at once"
    )


def test_a_change_is_removed(dialog):
    line(dialog, SkipPage)
    dialog.add_row().choose(InsertPage)
    dialog.rows[0].remove.click()
    assert dialog.edits() == Edits(3, insert=((3, ZeroGrad()),))
    dialog.rows[0].remove.click()
    assert (dialog.rows, replay(dialog).isEnabled()) == ((), False)
    dialog.add.click()
    assert len(dialog.rows) == 1


def test_no_event_before_the_first_is_edited(dialog):
    page = line(dialog, SkipPage)
    dialog.start.setValue(7)
    assert (page.first.value(), page.last.value()) == (7, 7)
    assert dialog.edits() == Edits(7, skip=(7,))
    page = dialog.add_row()
    page.choose(MovePage)
    assert page.page.before.minimum() == 7


def test_replay_requests_the_edits_once_and_a_problem_keeps_them(dialog, qtbot):
    line(dialog, SkipPage)
    asked = []
    dialog.asked.connect(asked.append)
    replay(dialog).click()
    assert asked == [Edits(3, skip=(3,))]
    assert not dialog.isVisible()
    dialog.show_problem("there is no Event 3 to edit")
    assert dialog.problem.text() == "there is no Event 3 to edit"
    assert (dialog.isVisible(), dialog.problem.isVisible()) == (True, True)
    assert dialog.edits() == Edits(3, skip=(3,))
    replay(dialog).click()
    assert (len(asked), dialog.problem.isVisible()) == (2, False)


def test_a_program_without_values_starts_with_a_skip(qtbot):
    dialog = WhatIfDialog(1, Choices(12, describe, find))
    qtbot.addWidget(dialog)
    assert isinstance(dialog.rows[0].page, SkipPage)


def test_the_tab_key_visits_the_changes_in_order(dialog):
    dialog.add_row()
    order, part = [], dialog.start
    while part is not dialog.name:
        order.append(part)
        part = part.nextInFocusChain()
    first, second = dialog.rows
    stops = [dialog.start, first.kind, first.remove, second.kind, second.remove, dialog.add]
    assert [part for part in order if part in stops] == stops


def test_everything_has_a_name(dialog):
    for page in (SetPage, SkipPage, InsertPage, MovePage):
        dialog.rows[0].choose(page)
        fields = [
            field
            for kind in (QSpinBox, QComboBox, QLineEdit, QAbstractButton)
            for field in dialog.findChildren(kind)
            if field.focusPolicy() & Qt.FocusPolicy.TabFocus
            and not field.parent().inherits("QAbstractSpinBox")
        ]
        nameless = [
            field
            for field in fields
            if not field.accessibleName()
            and not (isinstance(field, QAbstractButton) and field.text())
            and not isinstance(field.parent(), QComboBox)
        ]
        assert nameless == []
