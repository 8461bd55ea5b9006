"""The placeholder."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QLabel

from gradstep_gui.widgets.placeholder import Placeholder


def test_it_shows_the_sentence_or_the_content_never_both(qtbot):
    content = QLabel("numbers")
    place = Placeholder(content, "Press Forward.")
    qtbot.addWidget(place)
    place.show()
    assert (place.sentence, content.isVisible()) == ("Press Forward.", False)
    place.show_content()
    assert (place.shows_content, content.isVisible()) == (True, True)
    place.show_sentence("Nothing yet.")
    assert (place.sentence, content.isVisible()) == ("Nothing yet.", False)


def test_a_long_name_in_the_sentence_does_not_widen_the_dock(qtbot):
    name = "a_very_long_module_name_that_somebody_has_chosen_for_a_network.0.weight"
    place = Placeholder(QLabel("numbers"), f"Loading {name}.")
    qtbot.addWidget(place)
    assert place.minimumSizeHint().width() < 100
    assert place.sentence == f"Loading {name}."


class Asked(QObject):
    """Counts how often a widget was laid out or painted."""

    def __init__(self, widget):
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, _watched, event):
        self.count += event.type() in {QEvent.Type.LayoutRequest, QEvent.Type.Paint}
        return False


def test_the_same_sentence_again_neither_lays_out_nor_paints_anything(qtbot):
    place = Placeholder(QLabel("numbers"), "Press Forward.")
    qtbot.addWidget(place)
    place.show()
    qtbot.waitExposed(place)
    QCoreApplication.processEvents()
    asked = Asked(place)
    place.show_sentence("Press Forward.")
    QCoreApplication.processEvents()
    assert asked.count == 0
    place.show_sentence("Press Backward.")
    QCoreApplication.processEvents()
    assert asked.count > 0
