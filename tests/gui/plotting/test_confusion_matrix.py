"""ConfusionMatrix: counts by true and predicted class, to point at."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage

from gradstep_gui.plotting.confusion_matrix import ConfusionMatrix, Counts
from gradstep_gui.theme import LIGHT


@pytest.fixture
def matrix(qtbot):
    matrix = ConfusionMatrix()
    qtbot.addWidget(matrix)
    matrix.resize(400, 300)
    matrix.show()
    matrix.draw(Counts(("cat", "dog"), np.array([[9, 1], [0, 5]]), np.array([[2, 0], [0, 1]])))
    return matrix


def corner(matrix, index):
    picture = QImage(matrix.size(), QImage.Format.Format_RGB32)
    matrix.render(picture)
    return picture.pixelColor(matrix.cell(index).topLeft())


def test_right_and_wrong_cells_have_the_colour_of_their_share(matrix):
    right, wrong, none = (corner(matrix, index) for index in (3, 1, 2))
    assert right == QColor(LIGHT.kind("step").strong)
    assert wrong.red() > wrong.green()
    assert none == QColor(LIGHT.alternate)


def test_the_arrow_keys_point_at_cells_and_stop_at_the_edge(matrix, qtbot):
    found = []
    matrix.pointed.connect(found.append)
    for key in ["Right", "Right", "Right", "Down", "Left", "Left", "Up"]:
        qtbot.keyClick(matrix, getattr(Qt.Key, f"Key_{key}"))
    qtbot.keyClick(matrix, Qt.Key.Key_Escape)
    assert found == [0, 1, 3, 2, 0, -1]


def test_the_mouse_points_at_the_cell_below_it(matrix, qtbot):
    qtbot.mouseMove(matrix, matrix.cell(0).center())
    qtbot.mouseMove(matrix, matrix.cell(3).center())
    qtbot.waitUntil(lambda: matrix.current == 3, timeout=60_000)


def test_many_classes_in_a_small_window_can_be_drawn(matrix):
    count = 40
    matrix.draw(Counts(tuple(map(str, range(count))), np.eye(count, dtype=int) * 1000))
    assert matrix.current == -1
    assert corner(matrix, 0) == QColor(LIGHT.kind("step").strong)
