"""CurveItem: its dots."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from gradstep_gui.plotting.curve import Curve
from gradstep_gui.plotting.curve_item import CurveItem
from gradstep_gui.plotting.style import CurveStyle


@pytest.mark.parametrize("ratio", [1, 2])
@pytest.mark.parametrize("unit", [(40.0, 30.0), (0.01, 2000.0)])
def test_a_dot_is_as_wide_as_it_is_high_whatever_the_units_of_the_axes(qapp, unit, ratio):
    point = np.array([50.0]) / unit[0], np.array([50.0]) / unit[1]
    item = CurveItem(Curve(), CurveStyle("#000000"))
    item.place(QRectF(0, 0, 100 / unit[0], 100 / unit[1]), point)
    picture = QImage(100 * ratio, 100 * ratio, QImage.Format.Format_RGB32)
    picture.setDevicePixelRatio(ratio)
    picture.fill(0xFFFFFFFF)
    painter = QPainter(picture)
    painter.scale(*unit)
    item.paint(painter, None)
    painter.end()
    pixels = np.frombuffer(picture.constBits(), np.uint32).reshape(100 * ratio, 100 * ratio)
    rows, columns = np.nonzero(pixels & 0xFF < 128)
    assert np.ptp(rows) + 1 == pytest.approx(5 * ratio, abs=1)
    assert np.ptp(columns) + 1 == pytest.approx(5 * ratio, abs=1)
    assert rows.mean() == pytest.approx(50 * ratio - 0.5, abs=1)
    assert columns.mean() == pytest.approx(50 * ratio - 0.5, abs=1)
