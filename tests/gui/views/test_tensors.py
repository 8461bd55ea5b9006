"""The tensors dock: one card a tensor."""

from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QHelpEvent, QImage, QPainter
from PySide6.QtWidgets import QApplication, QToolTip

from gradstep.history.summary import summarise, unrecorded
from gradstep.program.micro_step import MicroStep
from gradstep.program.operation import Backward, Freeze, Step, ZeroGrad
from gradstep_gui.theme import LIGHT, apply
from gradstep_gui.views.tensors import TensorsView, delegate
from gradstep_gui.views.tensors.cards import CardLine, card_of, line_count, rows_of
from gradstep_gui.views.tensors.delegate import _write_key
from gradstep_gui.views.tensors.pictures import Pictures
from gradstep_gui.widgets.fonts import small_font
from tests.gui.factory import (
    Event,
    RememberingController,
    layered,
    optimizer,
    parameter,
    snapshot,
)

ADAM = {"step": 3.0, "exp_avg": [0.8, 0.008], "exp_avg_sq": [0.064, 6.4e-06]}


def one(record, event=None, **fields):
    """Return the card of the only tensor of a moment."""
    fields.setdefault("optimizers", {"optimizer": optimizer(record.name)})
    return card_of(record, snapshot(record, event=event, **fields))


def texts(card):
    return [" ".join(filter(None, (line.label, line.key, line.text))) for line in card.lines]


def marks(card):
    return [line.mark for line in card.lines]


def test_a_card_has_data_gradient_and_what_the_optimizer_stores():
    card = one(parameter("x", [3.7, 0.01003], [7.6, -0.07046], buffers={"optimizer": ADAM}))
    assert texts(card) == [
        "data [3.7, 0.01003]",
        "grad [7.6, -0.07046]",
        "state step 3",
        "exp_avg [0.8, 0.008]",
        "exp_avg_sq [0.064, 6.4e-06]",
    ]
    assert (card.name, card.note) == ("x", "(2,)")


def test_none_is_not_zero():
    none, zero = one(parameter("x", [1.0])), one(parameter("x", [1.0], [0.0]))
    assert (none.lines[1].text, none.lines[1].tone) == ("None", "none")
    assert (zero.lines[1].text, zero.lines[1].tone) == ("[0]", "")
    assert texts(zero)[2] == "state nothing stored"


def test_a_large_tensor_has_its_norm_and_a_picture():
    card = one(parameter("w", np.ones((4, 4)), np.zeros((4, 4))))
    assert texts(card)[:2] == ["data norm 4", "grad norm 0"]
    assert card.lines[0].record.shape == (4, 4)
    assert card.note == "4 × 4"


def test_non_finite_elements_are_an_error_and_counted():
    line = one(parameter("w", [np.nan, np.inf, *[1.0] * 14])).lines[0]
    assert (line.text, line.tone) == ("1 NaN, 1 Inf, norm 3.742", "error")


def test_values_that_a_recording_lacks_are_said_to_be_missing():
    record = parameter("w", [1.0])
    lost = type(record)(
        "w", unrecorded((1,), "float32"), None, 0, requires_grad=True, held_by=("optimizer",)
    )
    assert one(lost).lines[0].text == "not recorded here"


@pytest.mark.parametrize(
    ("operation", "writes", "expected"),
    [
        (Backward(), ("x.grad", "loss.graph"), ["", "backward", "", "", ""]),
        (ZeroGrad(), ("x.grad",), ["", "zero_grad", "", "", ""]),
        (
            Step(),
            ("x", "optimizer/x/step", "optimizer/x/exp_avg", "optimizer/x/exp_avg_sq"),
            ["step", "", "step", "step", "step"],
        ),
        (Freeze("x"), ("x",), ["", "", "", "", ""]),
    ],
)
def test_what_the_last_event_changed_is_marked(operation, writes, expected):
    record = parameter("x", [1.0, 2.0], [1.0, 1.0], buffers={"optimizer": ADAM})
    assert marks(one(record, Event(4, 0, operation, writes=writes))) == expected


def test_inside_an_operation_what_the_last_micro_step_wrote_is_marked():
    record = parameter("x", [1.0, 2.0], [1.0, 1.0], buffers={"optimizer": ADAM})
    event = Event(3, 0, Backward(), writes=("x.grad",))
    writes = ("x", *(f"optimizer/x/{key}" for key in ADAM))

    def inside(title, kind="term", writes=writes):
        step = MicroStep(kind, title, writes=writes)
        return marks(one(record, event, inside=Step(), micro_step=step))

    assert inside("exp_avg") == ["", "", "", "step", ""]
    assert inside("param") == ["step", "", "", "", ""]
    assert inside("denominator") == [""] * 5
    accumulate = MicroStep("accumulate", "x.grad", writes=("x.grad",))
    assert marks(one(record, event, inside=Backward(), micro_step=accumulate)) == [
        "", "backward", "", "", "",
    ]  # fmt: skip


def test_the_note_says_what_no_step_will_move():
    x = parameter("x", [1.0, 2.0], held_by=())
    assert one(x).note == "⚠ no optimizer"
    assert one(x).is_warning
    assert one(x, optimizers={}).note == "(2,)"
    frozen = parameter("x", [1.0, 2.0], requires_grad=False)
    assert one(frozen).note == "(2,), frozen"
    mean = parameter("bn.mean", [1.0, 2.0], requires_grad=False, held_by=(), is_buffer=True)
    assert (one(mean).note, len(one(mean).lines)) == ("(2,), buffer", 1)
    both = {"a": optimizer("x", name="a"), "b": optimizer("x", name="b")}
    held = parameter("x", [1.0], held_by=("a", "b"), buffers={"a": ADAM, "b": {"m": [1.0]}})
    assert one(held, optimizers=both).note == "(1,), a, b"
    assert texts(one(held, optimizers=both))[2:] == [
        "state a: step 3",
        "a: exp_avg [0.8, 0.008]",
        "a: exp_avg_sq [0.064, 6.4e-06]",
        "b: m [1]",
    ]


@pytest.mark.parametrize(
    "record",
    [
        parameter("x", [1.0]),
        parameter("x", [1.0], [1.0], buffers={"optimizer": ADAM}),
        parameter("x", [1.0], held_by=()),
        parameter("x", [1.0], held_by=(), is_buffer=True),
        parameter("x", [1.0], held_by=("a", "b"), buffers={"a": ADAM, "b": {"m": [1.0]}}),
    ],
)
def test_the_number_of_lines_is_known_before_a_card_is_made(record):
    assert line_count(record) == len(one(record).lines)


def test_tensors_are_grouped_by_module():
    moment = layered(2, 3, 1)
    free = parameter("temperature", [1.0])
    moment = snapshot(*moment.parameters.values(), free, modules=moment.modules)
    rows = rows_of(moment)
    assert [row.tensor or f"[{row.heading.name}]" for row in rows] == [
        "[model.0]", "model.0.weight", "model.0.bias",
        "[model.1]", "model.1.weight", "model.1.bias",
        "[Outside of modules]", "temperature",
    ]  # fmt: skip
    assert [row.tensor or f"[{row.heading.name}]" for row in rows_of(moment, "1 BIAS")] == [
        "[model.1]", "model.1.bias",
    ]  # fmt: skip


def test_a_picture_is_made_once_for_a_version_of_a_tensor():
    pictures, record = (
        Pictures(),
        summarise(np.random.default_rng(0).normal(size=(9, 5)), whole=True),
    )
    first = pictures.of("w", record, 64, 16)
    assert pictures.of("w", record, 64, 16) is first
    assert pictures.of("w", summarise(np.eye(9), whole=True), 64, 16) is not first
    assert pictures.of("w", summarise(np.eye(9), whole=False), 64, 16) is None


def test_pictures_that_were_not_used_for_long_are_dropped():
    pictures, record = Pictures(), summarise(np.eye(3), whole=True)
    first = pictures.of("w", record, 64, 16)
    for place in range(300):
        pictures.of(f"w{place}", record, 64, 16)
    assert pictures.of("w", record, 64, 16) is not first


# -- in the dock ---------------------------------------------------------------------------------


@pytest.fixture
def controller():
    return RememberingController(layered(2, 3, 1, grads=True, momentum=True))


@pytest.fixture
def view(qtbot, qapp, controller):
    apply(qapp, "light")
    made = TensorsView(controller)
    qtbot.addWidget(made)
    made.resize(320, 500)
    with qtbot.waitExposed(made):
        made.show()
    return made


def click(view, qtbot, tensor, button=Qt.MouseButton.LeftButton):
    place = view.list.visualRect(view.model.index_of(tensor)).center()
    qtbot.mouseClick(view.list.viewport(), button, pos=place)


def test_a_click_selects_the_tensor_everywhere(view, controller, qtbot):
    click(view, qtbot, "model.0.bias")
    assert controller.selected == "model.0.bias"
    controller.select("model.1.weight")
    assert view.selected == "model.1.weight"


def test_the_keyboard_moves_from_card_to_card_over_headings(view, controller, qtbot):
    controller.select("model.0.bias")
    qtbot.keyClick(view.list, Qt.Key.Key_Down)
    assert controller.selected == "model.1.weight"


def test_screen_readers_hear_a_card(view, controller):
    event = Event(3, 0, Backward(), writes=("x.grad",))
    controller.show(snapshot(parameter("x", [1.0, 2.0], [100.0, 100.0]), event=event))
    index = view.model.index_of("x")
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == (
        "x, (2,). data [1, 2]. grad [100, 100], just changed by Backward. state nothing stored"
    )


def test_only_the_cards_in_sight_are_painted_and_requested(qtbot, monkeypatch):
    many = [parameter(f"w{place}", [1.0] * 16, keep=False) for place in range(3000)]
    controller = RememberingController(snapshot(*many, optimizers={"o": optimizer()}))
    view = TensorsView(controller)
    painted = set()
    card = view.model.card
    monkeypatch.setattr(view.model, "card", lambda name: painted.add(name) or card(name))
    qtbot.addWidget(view)
    view.resize(320, 500)
    with qtbot.waitExposed(view):
        view.show()
    view.grab()
    assert view.model.rowCount() == 3000
    assert 0 < len(painted) < 20
    assert {"w0", "w0.grad"} <= controller.wanted["tensors"]
    assert len(controller.wanted["tensors"]) < 40
    view.list.scrollToBottom()
    qtbot.waitUntil(lambda: "w2999" in controller.wanted["tensors"], timeout=5000)
    assert "w0" not in controller.wanted["tensors"]


def test_values_of_huge_tensors_are_not_requested(qtbot):
    huge = parameter("w", np.zeros((2000, 1001), np.float32), keep=False)
    controller = RememberingController(snapshot(huge, parameter("b", [1.0], keep=False)))
    view = TensorsView(controller)
    qtbot.addWidget(view)
    view.resize(320, 500)
    view.show()
    assert controller.wanted["tensors"] == {"b", "b.grad"}


def test_a_filter_appears_with_many_tensors(view, controller, qtbot):
    assert view.filter.isHidden()
    controller.show(layered(*range(2, 8)))
    assert view.filter.isVisible()
    view.filter.setText("3.bias")
    assert view.model.rowCount() == 2
    view.filter.setText("nowhere")
    assert view.place.sentence == "No tensor has “nowhere” in its name."
    view.filter.clear()
    assert view.place.shows_content


def test_a_program_without_tensors_says_so(view, controller):
    controller.show(snapshot())
    assert view.place.sentence == "This program has no tensors."


def test_the_menu_of_a_line_is_that_of_its_value(view, controller, qtbot):
    asked = []
    view.value_menu_requested.connect(lambda *args: asked.append(args[:2]))
    rect = view.list.visualRect(view.model.index_of("model.0.bias"))
    step = rect.height() // 5
    for y in (rect.top() + 4, rect.top() + 2 * step, rect.bottom() - step):
        view.list.customContextMenuRequested.emit(QPoint(rect.left() + 20, y))
    assert asked == [
        ("model.0.bias", ()),
        ("model.0.bias", ()),
        ("optimizer/model.0.bias/momentum_buffer", ()),
    ]


def test_the_tooltip_of_a_line_has_the_statistics(view, monkeypatch):
    shown = []
    monkeypatch.setattr(QToolTip, "showText", lambda _place, text, _view: shown.append(text))
    rect, viewport = view.list.visualRect(view.model.index_of("model.0.bias")), view.list.viewport()
    for y in (rect.top() + 4, rect.top() + 2 * rect.height() // 5):
        place = QPoint(rect.left() + 20, y)
        event = QHelpEvent(QHelpEvent.Type.ToolTip, place, viewport.mapToGlobal(place))
        QApplication.sendEvent(viewport, event)
    assert shown[0] == "model.0.bias  (3,)"
    assert shown[1].startswith("model.0.bias  (3,) float32\nnorm ")


def colours(view, width=40):
    image = view.list.viewport().grab().toImage()
    return {image.pixelColor(x, y).name() for x in range(width) for y in range(image.height())}


def test_a_change_has_the_colour_of_its_operation(view, controller):
    x = parameter("x", [1.0, 2.0], [100.0, 100.0])
    controller.show(snapshot(x, event=Event(3, 0, Backward(), writes=("x.grad",))))
    assert LIGHT.kind("backward").strong in colours(view)
    controller.show(snapshot(x, event=Event(4, 0, Step(), writes=("x",))))
    assert LIGHT.kind("step").strong in colours(view)
    assert LIGHT.kind("backward").strong not in colours(view)


def test_a_larger_font_makes_larger_cards(view, qtbot):
    index = view.model.index_of("model.0.bias")
    before = view.list.visualRect(index).height()
    font = view.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    view.setFont(font)
    qtbot.waitUntil(lambda: view.list.visualRect(index).height() > 1.5 * before, timeout=5000)


def test_a_few_tensors_are_set_in_larger_type_where_it_fits(view, controller):
    few = snapshot(parameter("x", [1.0, 2.0], [100.0, 100.0]))

    def height():
        return view.list.visualRect(view.model.index_of("x")).height()

    controller.show(snapshot(*(parameter(name, [1.0, 2.0]) for name in ("x", *"abcdef"))))
    usual = height()
    controller.show(few)
    assert height() > 1.05 * usual
    long = [1.23456e-10, 1.23456e-10, -1.23456e-10, 1.23456e-10]
    controller.show(snapshot(parameter("x", long, long)))
    assert height() == usual
    controller.show(few)
    assert height() == usual  # it does not change with every value
    view.resize(640, 500)
    assert height() > 1.05 * usual


def test_values_that_do_not_fit_give_way_to_a_picture_and_the_norm(view, controller):
    long = [1.23456e-10] * 8
    controller.show(snapshot(parameter("x", long, long), optimizers={"o": optimizer("x")}))
    line = view.model.card("x").lines[0]
    assert line.text.startswith("[1.235e-10, 1.235e-10")
    assert line.norm == "norm 3.492e-10"
    blue = {colour for colour in colours(view, 200) if colour.startswith("#2")}
    assert blue  # of the heat map


def test_a_new_state_makes_room_for_itself(view, controller):
    controller.show(snapshot(parameter("x", [1.0])))
    before = view.list.visualRect(view.model.index_of("x")).height()
    controller.show(snapshot(parameter("x", [1.0], buffers={"optimizer": ADAM})))
    assert view.list.visualRect(view.model.index_of("x")).height() > before


@pytest.mark.parametrize(
    ("room", "whole", "size"), [(400, True, 1.0), (186, True, 0.9), (150, False, 0.9)]
)
def test_the_name_of_a_state_shrinks_before_its_value_is_cut(qapp, room, whole, size):
    font = QFont(qapp.font())
    font.setPixelSize(12)
    sizes = SimpleNamespace(font=font, small=small_font(font), pad=6, gap=3)
    line = CardLine("state", "norm 0.3645", key="momentum_buffer", norm="norm 0.3645")
    canvas = QImage(500, 20, QImage.Format.Format_RGB32)
    painter = QPainter(canvas)
    taken = _write_key(painter, LIGHT, sizes, QRect(0, 0, room, 20), line)
    drawn = painter.font()
    painter.end()
    assert drawn.pixelSize() == round(12 * size)
    metrics = QFontMetrics(drawn)
    name = metrics.horizontalAdvance("momentum_buffer")
    assert (taken >= name) is whole
    if whole:
        assert taken + QFontMetrics(font).horizontalAdvance("norm 0.3645") <= room


def test_the_name_of_a_tensor_is_cut_only_once_its_note_has_given_way(
    view, controller, monkeypatch
):
    written = []
    real = delegate._write

    def write(painter, font, room, text, *rest):
        written.append(
            (text, QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideMiddle, room.width()))
        )
        return real(painter, font, room, text, *rest)

    monkeypatch.setattr(delegate, "_write", write)
    name, holders = "the_encoder.0.weight", ["the_optimizer_of_the_encoder", "another_one"]
    optimizers = {each: optimizer(name) for each in holders}
    controller.show(snapshot(parameter(name, [1.0], held_by=tuple(holders)), optimizers=optimizers))
    view.resize(360, 400)
    view.grab()
    shown = dict(written)
    assert shown[name] == name
    assert "…" in shown[f"(1,), {', '.join(holders)}"]


def test_a_card_is_made_once_for_a_moment(view, controller):
    controller.show(snapshot(parameter("x", [1.0, 2.0])))
    first = view.model.card("x")
    assert view.model.card("x") is first
    controller.show(snapshot(parameter("x", [7.0, 8.0])))
    assert view.model.card("x").lines[0].text == "[7, 8]"
    controller.show(snapshot(parameter("y", [7.0, 8.0])))
    assert view.model.card("x") is None
