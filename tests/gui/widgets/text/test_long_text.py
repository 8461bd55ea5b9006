"""Words that wrap, or end in an ellipsis, where they have no room."""

from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gradstep_gui.widgets.text.long_text import (
    ElidedLabel,
    WrappedLabel,
    elided_name,
    text_lines,
)


def test_the_full_text_is_shown_on_hover_and_does_not_widen_the_label(qtbot):
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.setText("a long sentence " * 20)
    label.resize(60, 20)
    label.show()
    assert label.toolTip() == label.text()
    assert label.minimumSizeHint().width() == 0
    assert label.width() == 60


def test_a_text_gets_as_many_lines_as_it_needs_and_the_last_one_ends_in_an_ellipsis(qapp):
    font = qapp.font()
    text = "one two three four five six"
    width = QFontMetrics(font).horizontalAdvance("one two three") + 2
    assert text_lines("one two", font, width, 2) == ["one two"]
    assert text_lines("one two three four", font, width, 2) == ["one two three", "four"]
    assert text_lines(text, font, width, 3) == ["one two three", "four five six"]
    assert text_lines(text + " seven", font, width, 1)[0].endswith("…")
    first, second = text_lines(text + " seven", font, width, 2)
    assert (first, second[:4], second[-1]) == ("one two three", "four", "…")


def test_a_wrapped_label_is_as_high_as_its_text_needs(qtbot):
    holder = QWidget()
    qtbot.addWidget(holder)
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    label = WrappedLabel("Answer first, then see: undo what you did, or skip the question.", holder)
    column.addWidget(label)
    column.addStretch(1)
    holder.resize(1000, 400)
    holder.show()
    line = label.fontMetrics().lineSpacing()
    assert label.height() < 2 * line
    holder.resize(130, 400)
    qtbot.waitUntil(lambda: label.height() == label.heightForWidth(130), timeout=60_000)
    assert label.height() > 3 * line


def test_an_elided_name_keeps_the_number_of_its_layer(qapp):
    metrics = QFontMetrics(qapp.font())
    name = "my_model.residual_blocks.17.pre_activation_normalization.weight"

    def shown(model, room):
        return elided_name(model, metrics, metrics.horizontalAdvance(room))

    assert shown(name, name) == name
    assert shown(name, f"…{name[9:]}") == f"…{name[9:]}"
    short = shown(name, "…17.pre_activation.weight")
    assert (short[:6], short[-3:]) == ("…17.pr", "ght")
    assert "17" not in shown(name, "…17")
    assert shown("my_models[3].a_name.weight", "…my_models[3].a_n").startswith("my_m")
    assert shown("main.models[3].a_name.weight", "…models[3].a_name.weight")[:10] == "…models[3]"


def test_a_name_without_a_number_is_elided_in_its_middle(qapp):
    metrics = QFontMetrics(qapp.font())
    name = "my_model.embedding_projection.weight"
    shown = elided_name(name, metrics, metrics.horizontalAdvance("my_model.weight.weight"))
    assert shown.startswith("my_m")
    assert shown.endswith("ight")
