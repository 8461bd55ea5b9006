"""A text is dressed as one change, whatever its length."""

import pytest

from gradstep_gui.widgets.text.lesson_view import LessonView

PAGE = "# Title\n\n" + "\n\n".join(
    f"## Part {n}\n\nPress **Forward**, `x` and `y`." for n in range(9)
)


@pytest.fixture
def view(qtbot):
    view = LessonView({"Forward": "forward"})
    qtbot.addWidget(view)
    view.show_lesson(PAGE)
    return view


def test_another_theme_lays_the_text_out_once(view):
    changes = []
    view.document().contentsChange.connect(lambda *change: changes.append(change))
    view._apply_theme()
    assert len(changes) == 1
    assert view.toPlainText().count("Press Forward") == 9
