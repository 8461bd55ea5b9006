"""Legend: names and values in two rows at most, and which curve the pointer is on."""

import pytest

from gradstep_gui.plotting.legend import Legend, LegendEntry
from gradstep_gui.plotting.style import style_of
from gradstep_gui.theme import LIGHT


def entries(count):
    return tuple(
        LegendEntry(f"norm/{n}", f"|layer.{n}.weight|", style_of(n, LIGHT)) for n in range(count)
    )


@pytest.fixture
def legend(qtbot):
    legend = Legend()
    qtbot.addWidget(legend)
    legend.resize(400, 40)
    with qtbot.waitExposed(legend):
        legend.show()
    return legend


def test_a_few_names_fit_in_one_row(legend):
    legend.set_entries(entries(1))
    one_row = legend.sizeHint().height()
    legend.set_entries(entries(4))
    assert legend.sizeHint().height() == 2 * one_row


def test_names_that_do_not_fit_in_two_rows_are_counted_and_listed_in_a_tooltip(legend):
    legend.set_entries(entries(30))
    assert 0 < legend._hidden < 30
    assert legend.toolTip().splitlines()[29] == "|layer.29.weight|"
    assert "|layer.29.weight|" in legend.accessibleDescription()


def test_where_there_is_height_for_one_row_there_is_one_and_the_rest_is_counted(legend):
    legend.set_entries(entries(6))
    legend.resize(400, legend.sizeHint().height() // 2)
    assert {place.rect.top() for place in legend._places} == {0}
    assert len(legend._places) + legend._hidden == 6


def test_a_long_name_leaves_room_for_the_count_of_the_rest(legend):
    legend.set_entries(entries(6))
    legend.set_values({"norm/0": "0.092778"})
    legend.resize(180, 20)
    more = legend.fontMetrics().horizontalAdvance("+5 more")
    assert len(legend._places) == 1  # the first one
    assert legend._places[0].rect.right() < legend.width() - more


def test_values_do_not_move_the_names(legend):
    legend.set_entries(entries(3))
    before = [place.rect for place in legend._places]
    legend.set_values({"norm/0": "0.125", "norm/1": "3"})
    assert [place.rect for place in legend._places] == before
    assert [entry.value for entry in legend.entries] == ["0.125", "3", ""]


def test_the_curve_under_the_pointer_is_reported(qtbot, legend):
    legend.set_entries(entries(3))
    with qtbot.waitSignal(legend.hovered, timeout=60_000) as hovered:
        qtbot.mouseMove(legend, legend._places[1].rect.center())
    assert hovered.args == ["norm/1"]


def test_marks_are_set_and_taken_away(legend):
    legend.set_entries(entries(2))
    legend.set_marks(frozenset({"norm/1"}), "step")
    assert [entry.mark for entry in legend.entries] == ["", "step"]
    legend.set_marks(frozenset(), "")
    assert [entry.mark for entry in legend.entries] == ["", ""]


@pytest.mark.parametrize("width", range(160, 300, 20))
def test_every_value_has_its_name(legend, width):
    legend.set_entries(entries(6))
    legend.set_values({f"norm/{n}": "0.12345" for n in range(6)})
    legend.resize(width, 40)
    assert len(legend._places) + legend._hidden == 6
    assert legend.sizeHint().height() <= 40
    assert [place.label for place in legend._places if len(place.label) < 4] == []
