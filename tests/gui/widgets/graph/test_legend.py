"""The legend of the graph: entries that do not fit are omitted."""

from gradstep_gui.widgets.graph.legend import GraphLegend


def ink_at_the_right(legend, width):
    legend.resize(width, legend.sizeHint().height())
    image = legend.grab().toImage()
    ground = image.pixelColor(1, 1)
    columns = [
        x
        for x in range(image.width())
        if any(image.pixelColor(x, y) != ground for y in range(image.height()))
    ]
    return max(columns)


def test_no_word_is_cut_off(qtbot):
    legend = GraphLegend()
    qtbot.addWidget(legend)
    whole = ink_at_the_right(legend, 900)
    assert whole < 560
    assert ink_at_the_right(legend, whole - 10) < whole - 40
