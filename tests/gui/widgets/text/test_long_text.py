"""Words that end in an ellipsis where they have no room."""

from gradstep_gui.widgets.text.long_text import ElidedLabel


def test_the_full_text_is_shown_on_hover_and_does_not_widen_the_label(qtbot):
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.setText("a long sentence " * 20)
    label.resize(60, 20)
    label.show()
    assert label.toolTip() == label.text()
    assert label.minimumSizeHint().width() == 0
    assert label.width() == 60
