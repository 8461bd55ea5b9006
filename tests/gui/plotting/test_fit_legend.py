"""FitLegend: what the marks of a picture mean."""

import pytest
from PySide6.QtGui import QColor, QImage

from gradstep_gui.plotting.fit_legend import FitLegend, Mark
from gradstep_gui.theme import LIGHT

EVERY = ("point", "hollow", "rim", "ring", "curve", "exact", "wrong", "corner", "scale")


@pytest.fixture
def legend(qtbot):
    legend = FitLegend()
    qtbot.addWidget(legend)
    legend.resize(900, 60)
    legend.show()
    return legend


def test_each_mark_is_drawn_in_its_colour(legend):
    legend.show_marks([Mark(kind, kind, 2) for kind in EVERY])
    picture = QImage(legend.size(), QImage.Format.Format_RGB32)
    legend.render(picture)
    found = {
        picture.pixelColor(x, y).name()
        for x in range(picture.width())
        for y in range(picture.height())
    }
    for color in (LIGHT.curves[2], LIGHT.curves[1], LIGHT.error, LIGHT.accent, LIGHT.text):
        assert QColor(color).name() in found


def test_it_needs_more_rows_where_it_is_narrow_and_can_be_read_out(legend):
    legend.show_marks([Mark("point", "training"), Mark("ring", "in the current batch")])
    one = legend.sizeHint().height()
    legend.resize(120, 60)
    assert legend.sizeHint().height() == 2 * one
    assert legend.accessibleDescription() == "training, in the current batch"
    legend.show_marks([])
    assert legend.sizeHint().height() == 0
