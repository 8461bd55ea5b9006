"""The message bar: one message, its remedy, its offer, and no more than that."""

from datetime import UTC, datetime

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from gradstep_gui.messages import Message, MessageKind
from gradstep_gui.widgets.message_bar import NOTICE_MS, OFFER_MS, MessageBar

NOW = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture
def content():
    return QWidget()


@pytest.fixture
def bar(qtbot, content):
    """The bar below content, in a window."""
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    bar = MessageBar(window)
    column.addWidget(content, 1)
    column.addWidget(bar)
    window.resize(600, 400)
    with qtbot.waitExposed(window):
        window.show()
    yield bar
    window.close()


def test_a_message_is_shown_as_sentences_and_its_marks_are_not_taken_for_markup(bar):
    bar.show_message(Message(MessageKind.ERROR, "x<y is bad", "write 1", NOW))
    assert bar.isVisible()
    assert "x&lt;y is bad." in bar._text.text()
    assert "Write 1." in bar._text.text()


def test_a_name_keeps_its_small_letter(bar):
    bar.show_message(Message(MessageKind.ERROR, "loss_a has not been computed yet", "", NOW))
    assert bar._text.text() == "loss_a has not been computed yet."


class PaintedRegions(QObject):
    """The parts of a widget that were painted."""

    def __init__(self, widget):
        super().__init__(widget)
        self.regions = []
        widget.installEventFilter(self)

    def eventFilter(self, _widget, event):
        if event.type() == QEvent.Type.Paint:
            self.regions.append(event.region().boundingRect())
        return False


def test_an_error_in_place_of_a_notice_colours_the_whole_bar(qtbot, bar):
    bar.show_message(Message(MessageKind.NOTICE, "saved", "", NOW))
    painted = PaintedRegions(bar)
    qtbot.waitUntil(lambda: bar.rect() in painted.regions)
    painted.regions.clear()
    bar.show_message(Message(MessageKind.ERROR, "saved", "", NOW))
    qtbot.waitUntil(lambda: bar.rect() in painted.regions)


def test_an_error_stays_and_a_notice_disappears(bar):
    bar.show_message(Message(MessageKind.ERROR, "bad", "", NOW))
    assert not bar._timer.isActive()
    bar.show_message(Message(MessageKind.NOTICE, "saved", "", NOW))
    assert bar._timer.isActive()
    assert bar._timer.interval() == NOTICE_MS
    bar._timer.timeout.emit()
    assert not bar.isVisible()
    bar.show_message(
        Message(MessageKind.NOTICE, "removed", "", NOW, "debug.restore_branch", "Back")
    )
    assert bar._timer.interval() == OFFER_MS


def test_an_offer_is_a_button_that_asks_for_its_action(bar, qtbot):
    entry = Message(MessageKind.WARNING, "left over", "", NOW, "file.recover", "&Open It")
    bar.show_message(entry)
    offer = bar.findChild(QPushButton)
    assert offer.text() == "&Open It"
    assert offer.isVisible()
    with qtbot.waitSignal(bar.action_requested, timeout=60_000) as asked:
        qtbot.mouseClick(offer, Qt.MouseButton.LeftButton)
    assert asked.args == ["file.recover"]
    assert bar.message is None


def test_a_long_message_makes_the_bar_higher(bar, qtbot):
    bar.show_message(Message(MessageKind.ERROR, "short", "", NOW))
    qtbot.waitUntil(lambda: bar.height() == bar.heightForWidth(600))
    low = bar.height()
    bar.show_message(Message(MessageKind.ERROR, "many words " * 60, "", NOW))
    qtbot.waitUntil(lambda: bar.height() == bar.heightForWidth(600) > low)


def test_a_message_covers_nothing_and_takes_no_room_once_it_is_gone(bar, content, qtbot):
    assert content.height() == 400
    bar.show_message(Message(MessageKind.ERROR, "backward a second time " * 9, "again", NOW))
    qtbot.waitUntil(lambda: content.height() == 400 - bar.heightForWidth(600))
    assert bar.geometry().top() == content.geometry().bottom() + 1
    assert bar.geometry().bottom() == 399
    bar.dismiss()
    qtbot.waitUntil(lambda: content.height() == 400)


def test_a_narrow_bar_keeps_its_buttons(bar):
    bar.show_message(Message(MessageKind.ERROR, "many words " * 20, "", NOW))
    assert bar.minimumSizeHint().width() < 200
    assert bar.heightForWidth(300) > bar.heightForWidth(600)


def test_a_long_word_such_as_a_path_can_be_broken_between_its_parts(bar):
    path = "$.modules.a_name_that_somebody_has_chosen[0]"
    bar.show_message(Message(MessageKind.ERROR, f"{path}: short_word is bad", "", NOW))
    shown = bar._text.text()
    assert "modules.\N{ZERO WIDTH SPACE}a_\N{ZERO WIDTH SPACE}name" in shown
    assert "short_word is" in shown
    assert shown.replace("\N{ZERO WIDTH SPACE}", "").startswith(path)


def test_a_message_of_three_lines_is_not_cut_where_the_content_leaves_it_no_room(
    bar, content, qapp
):
    content.setMinimumHeight(360)
    bar.show_message(Message(MessageKind.ERROR, "train.py ended " * 8, "see the output", NOW))
    bar.window().resize(450, 400)
    qapp.processEvents()
    lines = bar.heightForWidth(bar.width())
    assert lines > 50
    assert bar.height() >= lines
