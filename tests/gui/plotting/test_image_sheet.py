"""ImageSheet: images with captions, in rows; wrong ones have a red frame."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage

from gradstep_gui.plotting.image_sheet import ImageSheet, SheetImages
from gradstep_gui.theme import LIGHT


def images(count, *, right=None, in_batch=None, shape=(8, 8)):
    ramp = np.linspace(0, 16, int(np.prod(shape))).reshape(shape)
    return SheetImages(
        np.stack([ramp] * count),
        tuple(str(number) for number in range(count)),
        tuple(right or [True] * count),
        tuple(in_batch or [False] * count),
    )


@pytest.fixture
def sheet(qtbot):
    sheet = ImageSheet()
    qtbot.addWidget(sheet)
    sheet.resize(400, 200)
    sheet.show()
    return sheet


def painted(sheet):
    picture = QImage(sheet.viewport().size(), QImage.Format.Format_RGB32)
    sheet.viewport().render(picture)
    return picture


def colors_in(picture, rect):
    rect = rect.intersected(picture.rect())
    return {
        picture.pixelColor(x, y).name()
        for x in range(rect.left(), rect.right())
        for y in range(rect.top(), rect.bottom())
    }


def test_wrong_images_have_a_red_frame_and_those_of_the_batch_a_corner(sheet):
    sheet.draw(images(3, right=[True, False, None], in_batch=[False, False, True]))
    picture = painted(sheet)
    found = [colors_in(picture, sheet.cell(index)) for index in range(3)]
    assert [QColor(LIGHT.error).name() in colors for colors in found] == [False, True, False]
    assert [QColor(LIGHT.accent).name() in colors for colors in found] == [False, False, True]


def test_an_image_is_bright_where_its_numbers_are_high(sheet):
    sheet.draw(images(1))
    picture, cell = painted(sheet), sheet.cell(0)
    colors = [QColor(name).lightness() for name in colors_in(picture, cell)]
    assert (min(colors), max(colors)) == (0, 255)


def test_images_in_colour_keep_their_channels(sheet):
    red = np.zeros((1, 4, 4, 3))
    red[..., 0] = 1.0
    sheet.draw(SheetImages(red, ("r",), (True,), (False,)))
    assert "#ff0000" in colors_in(painted(sheet), sheet.cell(0))


def test_more_images_than_fit_can_be_scrolled_to_with_the_keys(sheet, qtbot):
    sheet.draw(images(200))
    assert sheet.verticalScrollBar().maximum() > 0
    qtbot.keyClick(sheet, Qt.Key.Key_Right)
    qtbot.keyClick(sheet, Qt.Key.Key_Right)
    assert sheet.current == 1
    qtbot.keyClick(sheet, Qt.Key.Key_End)
    assert sheet.current == 199
    assert sheet.viewport().rect().contains(sheet.cell(199).center())
    qtbot.keyClick(sheet, Qt.Key.Key_Up)
    assert sheet.current < 199
    qtbot.keyClick(sheet, Qt.Key.Key_Home)
    assert sheet.current == 0
    assert sheet.viewport().rect().contains(sheet.cell(0).center())


def test_the_mouse_points_at_the_image_below_it(sheet, qtbot):
    sheet.draw(images(5))
    qtbot.mouseMove(sheet.viewport(), sheet.cell(0).center())
    qtbot.mouseMove(sheet.viewport(), sheet.cell(2).center())
    qtbot.waitUntil(lambda: sheet.current == 2, timeout=60_000)


def test_numbers_that_are_not_finite_can_be_drawn(sheet):
    sheet.draw(SheetImages(np.full((1, 8, 8), np.nan), ("NaN",), (False,), (False,)))
    assert "#000000" in colors_in(painted(sheet), sheet.cell(0))
