"""CurveChooser: a tree with ticks, a filter, and a field for elements of large tensors."""

import pytest

from gradstep_gui.plotting.chooser import CurveChooser

OFFERED = (
    "loss/loss",
    "output/model",
    "output/model.0",
    "norm/model.0.weight",
    "element/model.0.weight[0,0]",
    "norm/model.0.bias",
)
SHAPES = {"model.0.weight": (2, 3), "model.0.bias": (2,)}


@pytest.fixture
def chooser(qtbot):
    chooser = CurveChooser()
    qtbot.addWidget(chooser)
    chooser.offer(OFFERED, SHAPES, ["loss/loss"])
    return chooser


def test_chosen_curves_are_checked(chooser):
    assert chooser.chosen == ("loss/loss",)
    chooser.set_chosen(["norm/model.0.bias"])
    assert chooser.chosen == ("norm/model.0.bias",)


def test_a_tick_emits_the_whole_selection(qtbot, chooser):
    with qtbot.waitSignal(chooser.chosen_changed) as changed:
        chooser.tick("norm/model.0.bias", chosen=True)
    assert changed.args == [["loss/loss", "norm/model.0.bias"]]


def test_changes_by_program_emit_no_signal(qtbot, chooser):
    with qtbot.assertNotEmitted(chooser.chosen_changed):
        chooser.offer(OFFERED, SHAPES, ["norm/model.0.bias"])
        chooser.set_chosen(["loss/loss"])
        chooser.set_styles({})


def test_the_filter_leaves_the_tensors_whose_names_have_every_word(qtbot, chooser):
    qtbot.keyClicks(chooser._filter, "0 WEI")
    hidden = {title: group.isHidden() for title, group in chooser._groups.items()}
    assert hidden == {"": True, "/outputs": True, "model.0.weight": False, "model.0.bias": True}
    chooser._filter.clear()
    assert not any(group.isHidden() for group in chooser._groups.values())


def test_a_typed_element_joins_its_tensor_once(chooser):
    for _ in range(2):
        chooser.type_element("model.0.weight[1, 2]")
    assert chooser.chosen == ("loss/loss", "element/model.0.weight[1,2]")
    assert chooser._groups["model.0.weight"].childCount() == 3
    assert chooser.complaint == ""


def test_an_error_is_cleared_with_the_next_element(chooser):
    chooser.type_element("model.0.weight[2, 0]")
    assert "2 × 3" in chooser.complaint
    chooser.type_element("model.0.weight[0, 0]")
    assert chooser.complaint == ""


def test_outputs_of_layers_are_a_group_that_opens_with_a_chosen_one(chooser):
    group = chooser._groups["/outputs"]
    assert group.text(0) == "Layer Outputs"
    assert [group.child(at).text(0) for at in range(group.childCount())] == ["model", "model.0"]
    assert not group.isExpanded()
    chooser.offer(OFFERED, {**SHAPES, "x": ()}, ["output/model.0"])
    assert chooser._groups["/outputs"].isExpanded()


def test_an_output_is_chosen_by_typing_its_address(chooser):
    chooser.type_element("model.0.output")
    assert chooser.chosen == ("loss/loss", "output/model.0")
    assert chooser._groups["/outputs"].isExpanded()
    assert chooser.complaint == ""


@pytest.mark.parametrize(
    ("typed", "column"),
    [
        ("weights[0] [1]", "element/weights[0][1]"),
        ("weights[1]", "element/weights[1][]"),
        ("net (2).bias[ 0 ]", "element/net (2).bias[0]"),
        ("models[0].output", "output/models[0]"),
    ],
)
def test_an_element_of_what_a_script_holds_in_a_list_is_chosen_by_typing(chooser, typed, column):
    offered = ("norm/weights[0]", "norm/weights[1]", "norm/net (2).bias", "output/models[0]")
    chooser.offer(offered, {"weights[0]": (2,), "weights[1]": (), "net (2).bias": (1,)}, [])
    chooser.type_element(typed)
    assert (chooser.complaint, chooser.chosen) == ("", (column,))


def test_an_unknown_layer_is_rejected_by_name(chooser):
    chooser.type_element("model.9.output")
    assert chooser.complaint.startswith("There is no layer 'model.9'")
    assert chooser.chosen == ("loss/loss",)


def test_where_no_layers_are_offered_a_typed_one_is_rejected_as_such(chooser):
    chooser.offer([OFFERED[0], *OFFERED[3:]], SHAPES, ["loss/loss"])
    chooser.type_element("model.0.output")
    assert chooser.complaint.startswith("There are no layers whose outputs can be recorded")
    assert chooser.chosen == ("loss/loss",)


def test_the_filter_leaves_the_layers_whose_names_have_every_word(qtbot, chooser):
    group = chooser._groups["/outputs"]

    def hidden():
        return [group.isHidden(), *(group.child(at).isHidden() for at in range(2))]

    qtbot.keyClicks(chooser._filter, "model.0")
    assert hidden() == [False, True, False]
    chooser._filter.setText("outputs")
    assert hidden() == [False, False, False]
    chooser._filter.setText("bias")
    assert hidden() == [True, True, True]
    chooser._filter.clear()
    assert hidden() == [False, False, False]


def test_a_longer_list_of_the_same_program_is_open_and_scrolled_as_before(qtbot, chooser):
    chooser.resize(220, 150)
    with qtbot.waitExposed(chooser):
        chooser.show()
    chooser._groups["model.0.bias"].setExpanded(False)
    bar = chooser._tree.verticalScrollBar()
    end = bar.maximum()
    bar.setValue(end)
    more = (*OFFERED[:-1], "element/model.0.weight[1,2]", OFFERED[-1])
    chooser.offer(more, SHAPES, ["loss/loss"])
    assert bar.value() == end > 0
    opened = {key: group.isExpanded() for key, group in chooser._groups.items()}
    assert opened == {"": True, "/outputs": False, "model.0.weight": True, "model.0.bias": False}
    chooser.offer(more, {**SHAPES, "x": ()}, ["loss/loss"])
    assert chooser._groups["model.0.bias"].isExpanded()
    assert bar.value() == 0
