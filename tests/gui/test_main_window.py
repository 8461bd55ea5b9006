"""The window: what it shows, and that its buttons reach the Debugger."""

import dataclasses
import gc
import threading
import weakref
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QColor, QDragEnterEvent, QDropEvent, QPalette
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QTabBar, QWidget

from gradstep.errors import SessionError
from gradstep.program.operation import Forward
from gradstep_gui.action_ids import ViewId
from gradstep_gui.actions import ACTIONS
from gradstep_gui.controller import Controller
from gradstep_gui.main_window import Core, MainWindow
from gradstep_gui.messages import Messages
from gradstep_gui.settings import RECENT, SMOOTHING, Settings
from gradstep_gui.theme import DARK, LIGHT
from gradstep_gui.widgets.buttons import ActionButton
from gradstep_gui.widgets.dialogs import questions as dialogs
from gradstep_gui.widgets.scenario_list import Card
from gradstep_gui.widgets.text.typesetter import Typesetter
from gradstep_gui.widgets.welcome import Welcome
from gradstep_gui.window.docks import DOCKS
from tests.gui.triggering import TIMEOUT_S, trigger

CARDS = (
    Card("A parabola", "Minimise x squared.", Path("parabola.json")),
    Card("A line", "Fit a line.", Path("line.json")),
)


@pytest.fixture
def settings(tmp_path):
    return Settings(tmp_path / "settings.ini")


@pytest.fixture
def window(make_window, open_fake, settings):
    return make_window(open_fake, CARDS)


@pytest.fixture
def opened(window):
    window.controller.open(Path("parabola.json"))
    assert window.controller.wait_idle(TIMEOUT_S)
    return window


def button(window, name):
    return next(
        b for b in window.findChildren(ActionButton) if b.defaultAction().objectName() == name
    )


def test_at_first_the_lessons_have_the_focus_and_first_steps_are_a_button_away(window, qtbot):
    listed = window.findChild(Welcome).lessons
    window.activateWindow()
    qtbot.waitUntil(listed.items.hasFocus)
    assert listed.current_card.id == "01_who_does_what"
    button = next(b for b in window.findChildren(QPushButton) if "Steps" in b.text())
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.help.shown.isVisible()
    window.help.shown.close()


def test_the_welcome_page_asks_for_a_script_of_ones_own(window, qtbot, monkeypatch, tmp_path):
    wanted, script = [], tmp_path / "train.py"
    monkeypatch.setattr(dialogs, "ask_own_script_path", lambda *_: script)
    window.documents.script_requested.disconnect()
    window.documents.script_requested.connect(wanted.append)
    button = next(b for b in window.findChildren(QPushButton) if "S&cript" in b.text())
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert wanted == [script]


def test_before_anything_is_open_only_the_welcome_page_is_shown(window):
    assert not window.is_open
    assert window.windowTitle() == "GradStep"
    assert not any(dock.isVisible() for dock in window.docks.values())
    assert not window.findChild(QAction, "debug.forward").isEnabled()
    assert window.status_line.text("work") == "No program"


def test_every_action_of_the_registry_is_in_the_window_under_its_id(window):
    for action in ACTIONS:
        assert window.findChild(QAction, action.id) is not None


def test_opening_shows_the_docks_and_the_title(opened):
    assert opened.is_open
    assert opened.windowTitle() == "parabola.json[*] — GradStep"
    of_scripts = {dock.id for dock in DOCKS if dock.of_scripts}
    hidden = {name for name, dock in opened.docks.items() if not dock.isVisible()}
    assert hidden == {*of_scripts, "ranks", "tensors"}  # there is one process; Learn has tensors
    assert not opened.docks["ranks"].toggleViewAction().isVisible()
    tabs = [bar for bar in opened.findChildren(QTabBar) if bar.parent() is opened]
    shown = sorted(
        [bar.tabText(at) for at in range(bar.count())] for bar in tabs if bar.isVisible()
    )
    assert shown == [
        ["Event Log", "Findings", "Inside", "Breakpoints", "Watches", "Branches", "Compare"],
        ["Optimizer Inspector", "Explain"],
        ["Program", "Lesson", "Parameters"],
    ]
    assert opened.status_line.text("event") == "Event 0 of 0"
    assert opened.status_line.text("loss") == "Loss None"


def test_the_four_buttons_train(opened):
    for name in ("debug.zero_grad", "debug.forward", "debug.backward", "debug.step"):
        trigger(opened, name)
    assert opened.controller.snapshot.parameters["x"].value.mean == 4.0
    assert opened.status_line.text("event") == "Event 4 of 4"
    assert opened.status_line.text("iteration") == "Iteration 1"
    assert opened.status_line.text("loss") == "Loss 25"
    assert opened.isWindowModified()


def test_the_operation_that_comes_next_is_marked(opened):
    assert button(opened, "debug.zero_grad").marked_next
    trigger(opened, "debug.zero_grad")
    assert not button(opened, "debug.zero_grad").marked_next
    assert button(opened, "debug.forward").marked_next
    assert opened.status_line.text("next") == "Next: Forward loss"


def test_explain_comes_before_the_dock_that_it_shares_its_place_with(opened, qtbot):
    explain = opened.docks["explain"].widget()
    assert not explain.is_seen
    opened.actions_by_id["view.explain"].trigger()
    qtbot.waitUntil(lambda: explain.is_seen)
    assert opened.controller.wait_idle(TIMEOUT_S)
    assert explain.change.sentence.accessibleDescription() == "x is as it is."


def test_a_question_that_a_view_wants_answered_brings_the_dock_to_the_front(opened, qtbot):
    explain = opened.docks["explain"].widget()
    opened.controller.explain_requests.raise_for("x")
    qtbot.waitUntil(lambda: explain.is_seen)
    assert opened.controller.selected == "x"


def test_the_menu_of_a_tensor_explains_it_first(opened):
    opened.controller.select("x")
    words = [action.text() for action in opened.place_menu.of_tensor().actions()]
    assert words[:3] == ["x", "", "&Explain"]


def test_f10_applies_the_next_operation(opened):
    trigger(opened, "debug.step_over")
    trigger(opened, "debug.step_over")
    kinds = [type(e.operation).__name__ for e in opened.controller.debugger.events]
    assert kinds == ["ZeroGrad", "Forward"]


def test_going_back_is_possible_only_when_there_is_a_past(opened):
    assert not opened.findChild(QAction, "debug.back").isEnabled()
    trigger(opened, "debug.forward")
    trigger(opened, "debug.back")
    assert opened.controller.snapshot.event_index == 0
    trigger(opened, "debug.end")
    assert opened.controller.snapshot.event_index == 1


def test_the_run_button_becomes_pause_and_the_operations_wait(opened, qtbot):
    run = button(opened, "debug.run")
    qtbot.mouseClick(run, Qt.MouseButton.LeftButton)
    assert run.defaultAction().objectName() == "debug.pause"
    assert not opened.findChild(QAction, "debug.step").isEnabled()
    assert opened.status_line.text("work") == "Running"
    qtbot.waitUntil(lambda: opened.controller.snapshot.iteration > 3, timeout=60_000)
    qtbot.mouseClick(run, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: run.defaultAction().objectName() == "debug.run", timeout=60_000)
    assert opened.findChild(QAction, "debug.step").isEnabled()


def test_f5_runs_and_pressed_again_while_running_pauses(opened, qtbot):
    qtbot.keyClick(opened, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: opened.controller.snapshot.iteration > 3, timeout=60_000)
    assert opened.controller.state.work == "running"
    qtbot.keyClick(opened, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: opened.controller.state.work == "paused", timeout=60_000)


def test_holding_f5_down_does_not_run_and_pause_again_and_again(opened):
    assert not opened.actions_by_id["debug.run"].autoRepeat()
    assert not opened.actions_by_id["debug.pause"].autoRepeat()
    assert opened.actions_by_id["debug.step_over"].autoRepeat()


def test_a_failed_operation_is_reported_with_its_remedy_until_the_next_one(opened):
    trigger(opened, "debug.backward")
    assert opened.message_bar.isVisible()
    assert opened.message_bar.message.remedy == "press Forward first"
    trigger(opened, "debug.forward")
    assert not opened.message_bar.isVisible()


def test_an_invalid_file_keeps_the_open_program_and_the_message_names_the_field(opened):
    trigger(opened, "debug.forward")
    opened.controller.open(Path("bad.json"))
    opened.controller.wait_idle(TIMEOUT_S)
    assert "$.optimizers.optimizer.lr" in opened.message_bar.message.text
    assert opened.windowTitle() == "parabola.json[*] — GradStep"
    assert opened.controller.events_count() == 1


def test_pickers_appear_only_when_there_is_a_choice(opened):
    assert [box for box in opened.toolbar.findChildren(QComboBox) if box.isVisible()] == []


def test_the_smoothing_of_the_losses_is_remembered(window, settings, make_window, open_fake):
    window.plots.toolbar.smoothing.setValue(0.75)
    assert settings.get(SMOOTHING) == 0.75
    assert make_window(open_fake).plots.toolbar.smoothing.value() == 0.75


def test_recent_files_are_remembered(opened, settings, tmp_path):
    file = tmp_path / "run.gradstep"
    opened.controller.save(file)
    opened.controller.wait_idle(TIMEOUT_S)
    assert settings.get(RECENT)[0] == file
    assert opened.documents.recent == (file,)


def drop(window, *urls):
    """Drag URLs onto the window and drop them; return whether the window took them."""
    data = QMimeData()
    data.setUrls(list(urls))
    actions, button, key = (
        Qt.DropAction.CopyAction,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    entered = QDragEnterEvent(QPoint(5, 5), actions, data, button, key)
    entered.ignore()
    window.dragEnterEvent(entered)
    dropped = QDropEvent(QPointF(5, 5), actions, data, button, key)
    dropped.ignore()
    window.dropEvent(dropped)
    assert entered.isAccepted() == dropped.isAccepted()
    return dropped.isAccepted()


def test_a_dropped_file_is_opened(opened, tmp_path):
    assert drop(opened, QUrl.fromLocalFile(str(tmp_path / "dropped.json")))
    opened.controller.wait_idle(TIMEOUT_S)
    assert opened.controller.document.name == "dropped"


@pytest.mark.parametrize("urls", [(), (QUrl("https://example.org/program.json"),)])
def test_a_drop_without_a_local_file_is_ignored(opened, urls):
    assert not drop(opened, *urls)
    opened.controller.wait_idle(TIMEOUT_S)
    assert opened.controller.document.name == "parabola"


@pytest.mark.parametrize(("answer", "name"), [("discard", "line"), ("cancel", "parabola")])
def test_unsaved_events_are_guarded(opened, monkeypatch, answer, name):
    trigger(opened, "debug.forward")
    monkeypatch.setattr(
        dialogs, "ask_about_changes", lambda _parent, _name, answered, **_: answered(answer)
    )
    opened.documents.open_card(CARDS[1])
    opened.controller.wait_idle(TIMEOUT_S)
    assert opened.controller.document.name == name


def test_saving_first_saves_and_then_continues(opened, monkeypatch, tmp_path, open_fake):
    trigger(opened, "debug.forward")
    file = tmp_path / "kept.gradstep"
    monkeypatch.setattr(
        dialogs, "ask_about_changes", lambda _parent, _name, answered, **_: answered("save")
    )
    monkeypatch.setattr(dialogs, "ask_save_path", lambda _parent, _proposed: file)
    opened.documents.open_card(CARDS[1])
    assert opened.controller.wait_idle(TIMEOUT_S)
    assert opened.controller.wait_idle(TIMEOUT_S)
    assert open_fake.opened[0].saved_to == [file]
    assert opened.controller.document.name == "line"


@pytest.mark.parametrize(
    ("name", "proposed"),
    [("train.py", "train.gradstep"), ("a.ipynb", "a.gradstep"), ("net 0.5", "net 0.5.gradstep")],
)
def test_a_session_is_proposed_the_name_of_its_script(opened, monkeypatch, name, proposed):
    document = dataclasses.replace(opened.controller.document, path=None, name=name)
    monkeypatch.setattr(type(opened.controller), "document", document)
    asked = []
    monkeypatch.setattr(dialogs, "ask_save_path", lambda _parent, path: asked.append(path.name))
    opened.documents.ask_save_as()
    assert asked == [proposed]


def test_the_files_of_other_ranks_are_not_replaced_unasked(
    opened, monkeypatch, tmp_path, open_fake
):
    trigger(opened, "debug.forward")
    file, other = tmp_path / "run.gradstep", tmp_path / "run.rank1.gradstep"
    monkeypatch.setattr(dialogs, "ask_save_path", lambda _parent, _proposed: file)
    ranks = [SimpleNamespace(number=number) for number in range(2)]
    monkeypatch.setattr(opened.controller.ranks, "records", ranks)
    other.touch()
    asked = []
    monkeypatch.setattr(dialogs, "ask_to_replace", lambda *words: asked.append(words))
    opened.documents.save()
    assert opened.controller.wait_idle(TIMEOUT_S)
    ((_, paths, replace),) = asked
    assert (paths, open_fake.opened[0].saved_to) == ([other], [])
    replace()
    assert opened.controller.wait_idle(TIMEOUT_S)
    assert open_fake.opened[0].saved_to == [file]


def test_a_save_that_failed_leaves_nothing_for_the_next_one_to_do(
    opened, monkeypatch, tmp_path, open_fake
):
    trigger(opened, "debug.forward")
    engine, file = open_fake.opened[0], tmp_path / "kept.gradstep"
    save = engine.save

    def full(path):
        raise SessionError(f"{path.name} cannot be written: the disk is full")

    monkeypatch.setattr(engine, "save", full)
    monkeypatch.setattr(
        dialogs, "ask_about_changes", lambda _parent, _name, answered, **_: answered("save")
    )
    monkeypatch.setattr(dialogs, "ask_save_path", lambda _parent, _proposed: file)
    opened.documents.open_card(CARDS[1])
    assert opened.controller.wait_idle(TIMEOUT_S)
    monkeypatch.setattr(engine, "save", save)
    opened.documents.save()
    assert opened.controller.wait_idle(TIMEOUT_S)
    assert engine.saved_to == [file]
    assert opened.controller.document.name == "parabola"


def test_closing_with_unsaved_events_asks_and_can_be_cancelled(opened, monkeypatch, qtbot):
    trigger(opened, "debug.forward")
    monkeypatch.setattr(
        dialogs, "ask_about_changes", lambda _parent, _name, answered, **_: answered("cancel")
    )
    assert not opened.close()
    assert opened.isVisible()
    monkeypatch.setattr(
        dialogs, "ask_about_changes", lambda _parent, _name, answered, **_: answered("discard")
    )
    opened.close()
    qtbot.waitUntil(lambda: not opened.isVisible(), timeout=60_000)


def test_closing_during_a_save_asks_nothing_and_waits_for_its_end(
    opened, open_fake, monkeypatch, tmp_path, qtbot
):
    trigger(opened, "debug.forward")
    engine, gate, file = open_fake.opened[0], threading.Event(), tmp_path / "kept.gradstep"
    save = engine.save
    monkeypatch.setattr(engine, "save", lambda path: gate.wait(TIMEOUT_S) and save(path))
    monkeypatch.setattr(dialogs, "ask_about_changes", lambda *_, **__: pytest.fail("it was asked"))
    opened.controller.save(file)
    assert not opened.close()
    assert opened.isVisible()
    gate.set()
    qtbot.waitUntil(lambda: not opened.isVisible(), timeout=60_000)
    assert engine.saved_to == [file]


def test_showing_and_hiding_a_message_leaves_the_docks_unchanged(opened):
    before = {name: dock.geometry() for name, dock in opened.docks.items()}
    trigger(opened, "debug.backward")
    assert opened.message_bar.isVisible()
    assert {name: dock.geometry() for name, dock in opened.docks.items()} == before
    opened.message_bar.dismiss()
    assert {name: dock.geometry() for name, dock in opened.docks.items()} == before


def test_the_default_layout_of_a_tall_window_parts_docks_that_were_tabs(opened):
    upper, lower = opened.docks["program"], opened.docks["parameters"]
    assert lower in opened.tabifiedDockWidgets(upper)
    opened.resize(1600, 1200)
    opened.actions_by_id["view.restore_layout"].trigger()
    assert opened.tabifiedDockWidgets(upper) == [opened.docks["lesson"]]
    assert upper.isVisible()
    assert lower.isVisible()
    assert upper.geometry().bottom() < lower.geometry().top()
    opened.resize(1280, 800)
    opened.actions_by_id["view.restore_layout"].trigger()
    assert lower in opened.tabifiedDockWidgets(upper)


def test_the_command_palette_finds_and_does(opened, qtbot):
    opened.commands.show_palette()
    palette = opened.commands.palette
    qtbot.keyClicks(palette.focusWidget(), "forw")
    assert palette.titles[0] == "Forward"
    qtbot.keyClick(palette.focusWidget(), Qt.Key.Key_Return)
    opened.controller.wait_idle(TIMEOUT_S)
    assert opened.controller.snapshot.loss == 25.0


def test_the_command_palette_brings_each_dock_to_the_front_once(opened, qtbot):
    opened.commands.show_palette()
    palette = opened.commands.palette
    titles = [title for title in palette.titles if "Explain" in title or "Watches" in title]
    assert titles == ["Explain", "Show Watches"]
    qtbot.keyClicks(palette.focusWidget(), "show watches")
    qtbot.keyClick(palette.focusWidget(), Qt.Key.Key_Return)
    assert opened.docks["watches"].widget().isVisible()


def test_the_command_palette_can_be_used_again_and_again(opened, qtbot):
    for words in ("show watches", "show findings", "show watches"):
        trigger(opened, "view.command_palette")
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.collect()  # the palette before is gone, and must take nothing with it
        palette = opened.commands.palette
        qtbot.keyClicks(palette.focusWidget(), words)
        assert palette.titles[0].lower() == words
        qtbot.keyClick(palette.focusWidget(), Qt.Key.Key_Return)
        listed = {action.objectName() for action in opened.findChildren(QAction)}
        assert {"plots.export_png", "plots.export_svg", "plots.export_csv"} <= listed


def test_a_failure_message_is_dismissed_on_step_into(opened, monkeypatch):
    trigger(opened, "debug.backward")
    assert opened.message_bar.isVisible()
    failed = opened.controller.snapshot
    inside = dataclasses.replace(failed, inside=Forward())
    opened.controller.snapshot_changed.emit(inside)
    assert not opened.message_bar.isVisible()


def test_all_buttons_and_docks_have_accessible_names(opened):
    for widget in (*opened.toolbar.findChildren(ActionButton), *opened.docks.values()):
        assert widget.accessibleName()


def test_the_layout_is_remembered_and_can_be_reset(opened, make_window, open_fake):
    dock = next(iter(opened.docks.values()))
    opened.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
    opened.close()
    again = make_window(open_fake, CARDS)
    again.controller.open(Path("line.json"))
    again.controller.wait_idle(TIMEOUT_S)
    name = dock.objectName()
    restored = again.findChild(QWidget, name)
    assert again.dockWidgetArea(restored) == Qt.DockWidgetArea.BottomDockWidgetArea
    again.commands.restore_layout()
    assert again.dockWidgetArea(restored) == Qt.DockWidgetArea.LeftDockWidgetArea


def test_all_formulas_share_one_typesetter(window):
    assert len(window.findChildren(Typesetter)) == 1


def test_the_offer_to_restore_a_branch_is_removed_once_it_is_restored(opened):
    opened.messages.notice("removed", action="debug.restore_branch", offer="&Restore")
    assert opened.message_bar.message is not None
    opened.controller.state_changed.emit(dataclasses.replace(opened.controller.state))
    assert opened.message_bar.message is None
    opened.controller.branches.removed.emit("one")
    assert opened.message_bar.message.text == "Branch “one” was removed"
    still = dataclasses.replace(opened.controller.state, has_removed_branch=True)
    opened.controller.state_changed.emit(still)
    assert opened.message_bar.message is not None


def test_every_tab_takes_the_colours_of_another_theme(opened, qtbot):
    def unlike(text):
        seen = [each for each in opened.findChildren(QTabBar) if each.isVisible()]
        return len(seen) < 4 or [each for each in seen if text not in each.styleSheet()]

    for choice, colors in (("dark", DARK), ("light", LIGHT)):
        opened.commands.choose_theme(choice)
        qtbot.waitUntil(lambda text=colors.text: not unlike(text), timeout=60_000)


def test_everything_takes_the_colours_of_another_theme_also_once_other_tabs_were_in_front(opened):
    opened.show()
    for name in (ViewId.GRAPH, ViewId.PLOTS, ViewId.EXPLAIN, ViewId.FINDINGS):
        opened.show_view(name)
    for choice, colors in (("dark", DARK), ("light", LIGHT)):
        opened.commands.choose_theme(choice)
        QCoreApplication.processEvents()
        text = QColor(colors.text)
        kept = [
            part
            for part in opened.findChildren(QWidget)
            if part.isVisible()
            and not part.testAttribute(Qt.WidgetAttribute.WA_SetPalette)
            and not isinstance(part, QTabBar)  # its style sheet has its colours
            and part.palette().color(QPalette.ColorGroup.Active, QPalette.ColorRole.Text) != text
        ]
        assert kept == []


def test_the_welcome_page_takes_no_room_once_it_is_left(opened):
    page = opened.findChild(Welcome)
    assert page.minimumSizeHint().width() > 300
    assert opened.centralWidget().minimumSizeHint().width() == (
        opened.centre.minimumSizeHint().width()
    )


def test_the_welcome_page_grows_with_the_text_and_names_its_choice_of_a_layout(window):
    page = window.findChild(Welcome)
    assert "Layout:" in [label.text() for label in page.findChildren(QLabel)]
    window.resize(2000, 900)
    window.show()
    before = page.lessons.width()
    for _ in range(5):
        window.actions_by_id["view.zoom_in"].trigger()
    QCoreApplication.processEvents()
    assert page.lessons.width() > 1.5 * before


def test_a_closed_window_leaves_nothing_behind(qapp, open_fake, settings):
    messages = Messages()
    window = MainWindow(settings, messages, lambda: Core(Controller(messages, open_fake), CARDS))
    window.complete()
    window.controller.open(Path("parabola.json"))
    assert window.controller.wait_idle(TIMEOUT_S)
    gone = [weakref.ref(each) for each in (window, window.controller, window.plots)]
    window.discard()
    window.deleteLater()
    del window
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    assert [each() for each in gone] == [None, None, None]
