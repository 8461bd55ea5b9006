"""THE registry of Actions: menus, toolbar, shortcuts and command palette are built from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep_gui.action import QT_TRANSLATE_NOOP, Action, Menu

if TYPE_CHECKING:
    from gradstep_gui.delivery import State

__all__ = ["ACTIONS"]


def _paused(state: State) -> bool:
    return state.work == "paused"


def _running(state: State) -> bool:
    return state.work == "running"


def _at_rest(state: State) -> bool:
    return state.work in {"empty", "paused"}


def _left_over(state: State) -> bool:
    return _at_rest(state) and state.left_over


def _loop(state: State) -> bool:
    return _paused(state) and state.has_loop


def _data(state: State) -> bool:
    return _paused(state) and state.has_data


def _past(state: State) -> bool:
    return _paused(state) and state.can_go_back


def _future(state: State) -> bool:
    return _paused(state) and state.can_go_forward


def _inside(state: State) -> bool:
    return _paused(state) and state.is_inside


ACTIONS: tuple[Action, ...] = (
    Action(
        id="file.new",
        title=QT_TRANSLATE_NOOP("Action", "&New…"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Choose one of the programs that ship with GradStep."),
        menu=Menu.FILE,
        run=lambda d: d.documents.ask_new(),
        shortcut="Ctrl+N",
        icon="new",
        group="open",
        enabled_when=_at_rest,
    ),
    Action(
        id="file.open",
        title=QT_TRANSLATE_NOOP("Action", "&Open…"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Open a program (.json) or a session (.gradstep)."),
        menu=Menu.FILE,
        run=lambda d: d.documents.ask_open(),
        shortcut="Ctrl+O",
        icon="open",
        group="open",
        enabled_when=_at_rest,
    ),
    Action(
        id="file.recover",
        title=QT_TRANSLATE_NOOP("Action", "Open the Re&covered Session"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Open what was recorded when GradStep last ended without closing."
        ),
        menu=Menu.FILE,
        run=lambda d: d.documents.recover(),
        enabled_when=_left_over,
        group="open",
    ),
    Action(
        id="file.save",
        title=QT_TRANSLATE_NOOP("Action", "&Save"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Save everything, with the whole history, as a session."
        ),
        menu=Menu.FILE,
        run=lambda d: d.documents.save(),
        shortcut="Ctrl+S",
        icon="save",
        group="save",
        enabled_when=_paused,
    ),
    Action(
        id="file.save_as",
        title=QT_TRANSLATE_NOOP("Action", "Save &As…"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Save everything as a session under another name."),
        menu=Menu.FILE,
        run=lambda d: d.documents.ask_save_as(),
        shortcut="Ctrl+Shift+S",
        group="save",
        enabled_when=_paused,
    ),
    Action(
        id="file.quit",
        title=QT_TRANSLATE_NOOP("Action", "&Quit"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Close the window."),
        menu=Menu.FILE,
        run=lambda d: d.window.quit(),
        shortcut="Ctrl+Q",
        group="quit",
    ),
    Action(
        id="debug.zero_grad",
        title=QT_TRANSLATE_NOOP("Action", "&Zero Grad"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Clear .grad of every parameter that the optimizer holds.\n"
            "Reads nothing. Writes .grad (to None). Leaves data and optimizer state alone.",
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.apply(d.targets.zero_grad()),
        shortcut="Ctrl+1",
        icon="zero_grad",
        kind="zero_grad",
        group="operation",
        enabled_when=_paused,
    ),
    Action(
        id="debug.forward",
        title=QT_TRANSLATE_NOOP("Action", "&Forward"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Compute the loss on the next batch.\n"
            "Reads the batch and the parameters. Writes the loss and a new graph.\n"
            "Leaves .grad alone.",
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.apply(d.targets.forward()),
        shortcut="Ctrl+2",
        icon="forward",
        kind="forward",
        group="operation",
        enabled_when=_paused,
    ),
    Action(
        id="debug.backward",
        title=QT_TRANSLATE_NOOP("Action", "&Backward"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Backpropagate from the loss.\n"
            "Reads the graph and frees it. Adds to .grad. Leaves data alone.",
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.apply(d.targets.backward()),
        shortcut="Ctrl+3",
        icon="backward",
        kind="backward",
        group="operation",
        enabled_when=_paused,
    ),
    Action(
        id="debug.step",
        title=QT_TRANSLATE_NOOP("Action", "&Step"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Let the optimizer update its parameters.\n"
            "Reads .grad and the optimizer state. Writes data and the optimizer state.\n"
            "Leaves .grad alone.",
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.apply(d.targets.step()),
        shortcut="Ctrl+4",
        icon="step",
        kind="step",
        group="operation",
        enabled_when=_paused,
    ),
    Action(
        id="debug.hold_batch",
        title=QT_TRANSLATE_NOOP("Action", "&Hold Batch"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Let Forward use the batch it last saw, instead of the next one."
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.targets.choose_hold(not d.targets.hold),
        shortcut="Ctrl+H",
        icon="hold",
        group="hold",
        enabled_when=_data,
        checked=lambda d: d.targets.hold,
    ),
    Action(
        id="debug.next",
        title=QT_TRANSLATE_NOOP("Action", "&Next Operation"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Apply the operation that comes next in the program's own loop."
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.apply_next(),
        shortcut="F10",
        icon="next",
        group="walk",
        enabled_when=_loop,
    ),
    Action(
        id="debug.back",
        title=QT_TRANSLATE_NOOP("Action", "Step Bac&k"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Go one event back, or inside an operation one micro-step. Nothing is lost."
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.back(),
        shortcut="Shift+F10",
        icon="back",
        group="walk",
        enabled_when=_past,
    ),
    Action(
        id="debug.step_into",
        title=QT_TRANSLATE_NOOP("Action", "Step &Into"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Go inside the loop's next operation, and there to the next micro-step."
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.step_into(),
        shortcut="F11",
        icon="step_into",
        group="inside",
        enabled_when=_loop,
    ),
    Action(
        id="debug.step_over",
        title=QT_TRANSLATE_NOOP("Action", "Step &Over"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Go to the next micro-step that does not lie in the present one."
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.step_over(),
        shortcut="Ctrl+F11",
        icon="step_over",
        group="inside",
        enabled_when=_inside,
    ),
    Action(
        id="debug.step_out",
        title=QT_TRANSLATE_NOOP("Action", "Step O&ut"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Finish the operation that was entered."),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.step_out(),
        shortcut="Shift+F11",
        icon="step_out",
        group="inside",
        enabled_when=_inside,
    ),
    Action(
        id="debug.iterate",
        title=QT_TRANSLATE_NOOP("Action", "One Iter&ation"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Complete the iteration that has begun, or do one whole one."
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.iterate(1),
        shortcut="F8",
        icon="iterate",
        group="walk",
        enabled_when=_loop,
    ),
    Action(
        id="debug.iterate_many",
        title=QT_TRANSLATE_NOOP("Action", "Run Se&veral Iterations…"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Run a number of iterations, then pause."),
        menu=Menu.DEBUG,
        run=lambda d: d.window.ask_iterations(),
        shortcut="Ctrl+F5",
        group="run",
        enabled_when=_loop,
    ),
    Action(
        id="debug.run",
        title=QT_TRANSLATE_NOOP("Action", "&Run"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Run the program's loop until Pause."),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.run(),
        shortcut="F5",
        icon="run",
        group="run",
        enabled_when=_loop,
    ),
    Action(
        id="debug.pause",
        title=QT_TRANSLATE_NOOP("Action", "&Pause"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Pause after the operation that is being done."),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.pause(),
        shortcut="Shift+F5",
        icon="pause",
        group="run",
        enabled_when=_running,
    ),
    Action(
        id="debug.start",
        title=QT_TRANSLATE_NOOP("Action", "Go to the S&tart"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Go to the moment before the first event."),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.seek(0),
        shortcut="Ctrl+Home",
        icon="start",
        group="travel",
        enabled_when=_past,
    ),
    Action(
        id="debug.end",
        title=QT_TRANSLATE_NOOP("Action", "Go to the &End"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Go to the latest event."),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.seek(d.controller.events_count()),
        shortcut="Ctrl+End",
        icon="end",
        group="travel",
        enabled_when=_future,
    ),
    Action(
        id="view.command_palette",
        title=QT_TRANSLATE_NOOP("Action", "&Command Palette…"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Find any action by its name."),
        menu=Menu.VIEW,
        run=lambda d: d.window.show_palette(),
        shortcut="Ctrl+Shift+P",
        icon="search",
        group="find",
    ),
    Action(
        id="view.messages",
        title=QT_TRANSLATE_NOOP("Action", "&Messages…"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Show what has been said so far."),
        menu=Menu.VIEW,
        run=lambda d: d.window.show_messages(),
        icon="history",
        group="find",
    ),
    Action(
        id="view.restore_layout",
        title=QT_TRANSLATE_NOOP("Action", "&Restore Default Layout"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Put every dock where it was at first."),
        menu=Menu.VIEW,
        run=lambda d: d.window.restore_layout(),
        icon="layout",
        group="layout",
    ),
    Action(
        id="view.theme_system",
        title=QT_TRANSLATE_NOOP("Action", "Theme of the &System"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Light or dark, as the desktop has it."),
        menu=Menu.VIEW,
        run=lambda d: d.window.choose_theme("system"),
        group="theme",
        checked=lambda d: d.window.theme_choice == "system",
    ),
    Action(
        id="view.theme_light",
        title=QT_TRANSLATE_NOOP("Action", "&Light Theme"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Dark words on a light ground."),
        menu=Menu.VIEW,
        run=lambda d: d.window.choose_theme("light"),
        group="theme",
        checked=lambda d: d.window.theme_choice == "light",
    ),
    Action(
        id="view.theme_dark",
        title=QT_TRANSLATE_NOOP("Action", "&Dark Theme"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Light words on a dark ground."),
        menu=Menu.VIEW,
        run=lambda d: d.window.choose_theme("dark"),
        group="theme",
        checked=lambda d: d.window.theme_choice == "dark",
    ),
    Action(
        id="help.about",
        title=QT_TRANSLATE_NOOP("Action", "&About GradStep"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Say what this program is, and its version."),
        menu=Menu.HELP,
        run=lambda d: d.window.show_about(),
        group="about",
    ),
)
"""Every Action, in the order of the menus."""
