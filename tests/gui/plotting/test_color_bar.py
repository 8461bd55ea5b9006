"""ColorBar: the levels of a surface, readable and for screen readers."""

from gradstep_gui.plotting.color_bar import ColorBar


def test_it_is_wide_enough_for_its_levels_and_tells_them(qtbot):
    bar = ColorBar()
    qtbot.addWidget(bar)
    narrow = bar.sizeHint().width()
    bar.show_bands(("#000000", "#777777", "#ffffff"), (0.001, 20_000.0), "loss")
    assert bar.texts == ("0.001", "20000")
    assert bar.accessibleDescription() == "loss, 0.001, 20000"
    assert bar.sizeHint().width() > narrow
    assert bar.minimumSizeHint().width() == bar.sizeHint().width()


def test_its_bands_are_painted_from_below(qtbot):
    bar = ColorBar()
    qtbot.addWidget(bar)
    bar.show_bands(("#102030", "#a0b0c0"), (1.0,), "loss")
    bar.resize(bar.sizeHint().width(), 200)
    image = bar.grab().toImage()
    assert image.pixelColor(10, 160).name() == "#102030"
    assert image.pixelColor(10, 60).name() == "#a0b0c0"
