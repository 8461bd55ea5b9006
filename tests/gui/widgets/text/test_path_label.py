"""A path in one line: its end is what tells where one is."""

from PySide6.QtGui import QFontMetrics

from gradstep_gui.widgets.fonts import emphasis_font
from gradstep_gui.widgets.text.path_label import PathLabel

PARTS, LAST = ["Zero Grad", "optimizer", "group 0"], "model.blocks.17.feed_forward.weight"


def test_the_first_parts_of_a_path_make_way_and_then_its_last_is_elided(qtbot):
    label = PathLabel()
    qtbot.addWidget(label)
    label.resize(2_000, 20)
    label.show()
    label.show_path(PARTS, LAST)
    assert label.shown_path() == (PARTS, LAST)
    needed = QFontMetrics(emphasis_font(label.font())).horizontalAdvance(LAST)
    label.resize(needed + 100, 20)
    parts, last = label.shown_path()
    assert (parts[0], last) == ("…", LAST)
    label.resize(needed - 20, 20)
    parts, last = label.shown_path()
    assert parts == ["…"]
    assert "17." in last
    assert last in label.text()
