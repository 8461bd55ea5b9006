"""What the window shows: command palette, views, layout and theme."""

from __future__ import annotations

from gradstep_gui.action import Action, Menu
from gradstep_gui.action_ids import ActionId, LayoutId, ViewId
from gradstep_gui.actions.enabled_when import opened
from gradstep_gui.translation import QT_TRANSLATE_NOOP

__all__ = ["VIEW"]

VIEW: tuple[Action, ...] = (
    Action(
        id=ActionId.COMMAND_PALETTE,
        title=QT_TRANSLATE_NOOP("Action", "&Command Palette…"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Find any action by name."),
        menu=Menu.VIEW,
        run=lambda d: d.window.show_palette(),
        shortcut="Ctrl+Shift+P",
        icon="search",
        group="find",
    ),
    Action(
        id=ActionId.SHOW_EXPLAIN,
        title=QT_TRANSLATE_NOOP("Action", "&Explain"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Explain why the selected tensor has changed or not, what its gradient consists of,"
            "\nand which optimizer holds it.",
        ),
        menu=Menu.VIEW,
        run=lambda d: d.window.show_view(ViewId.EXPLAIN),
        shortcut="Ctrl+E",
        group="find",
        enabled_when=opened,
    ),
    Action(
        id=ActionId.SHOW_MESSAGES,
        title=QT_TRANSLATE_NOOP("Action", "&Messages…"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Show all messages so far."),
        menu=Menu.VIEW,
        run=lambda d: d.window.show_messages(),
        icon="history",
        group="find",
    ),
    Action(
        id=ActionId.SHOW_PLOTS,
        title=QT_TRANSLATE_NOOP("Action", "Show &Plots"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Show the curves of losses, gradients and parameters."),
        menu=Menu.VIEW,
        run=lambda d: d.window.show_view(ViewId.PLOTS),
        shortcut="Alt+1",
        group="centre",
        enabled_when=opened,
    ),
    Action(
        id=ActionId.SHOW_GRAPH,
        title=QT_TRANSLATE_NOOP("Action", "Show Computation &Graph"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Show the recorded graph of a loss."),
        menu=Menu.VIEW,
        run=lambda d: d.window.show_view(ViewId.GRAPH),
        shortcut="Alt+2",
        group="centre",
        enabled_when=opened,
    ),
    Action(
        id=ActionId.SHOW_FINDINGS,
        title=QT_TRANSLATE_NOOP("Action", "Show &Findings"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Show what is wrong with the loop, and at which events."
        ),
        menu=Menu.VIEW,
        run=lambda d: d.window.show_view(ViewId.FINDINGS),
        shortcut="Alt+3",
        group="centre",
        enabled_when=opened,
    ),
    Action(
        id=ActionId.SHOW_DATA,
        title=QT_TRANSLATE_NOOP("Action", "S&how Data and Fit"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Show the data, and what the model predicts for them."),
        menu=Menu.VIEW,
        run=lambda d: d.window.show_view(ViewId.DATA),
        shortcut="Alt+5",
        group="centre",
        enabled_when=opened,
    ),
    Action(
        id=ActionId.SHOW_LANDSCAPE,
        title=QT_TRANSLATE_NOOP("Action", "Sho&w Landscape"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Show the loss over two directions of the parameters, and the runs in it."
        ),
        menu=Menu.VIEW,
        run=lambda d: d.window.show_view(ViewId.LANDSCAPE),
        shortcut="Alt+6",
        group="centre",
        enabled_when=opened,
    ),
    Action(
        id=ActionId.LAYOUT_LEARN,
        title=QT_TRANSLATE_NOOP("Action", "Le&arn Layout"),
        tooltip=QT_TRANSLATE_NOOP("Action", "The lesson, the script, the tensors and one plot."),
        menu=Menu.VIEW,
        run=lambda d: d.window.choose_layout(LayoutId.LEARN),
        label=QT_TRANSLATE_NOOP("Action", "Learn"),
        icon="learn",
        shortcut="Ctrl+Alt+1",
        group="layout",
        checked=lambda d: d.window.layout_choice is LayoutId.LEARN,
    ),
    Action(
        id=ActionId.LAYOUT_DEBUG,
        title=QT_TRANSLATE_NOOP("Action", "De&bug Layout"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Every dock: for finding a mistake in a training loop."
        ),
        menu=Menu.VIEW,
        run=lambda d: d.window.choose_layout(LayoutId.DEBUG),
        label=QT_TRANSLATE_NOOP("Action", "Debug"),
        icon="debug",
        shortcut="Ctrl+Alt+2",
        group="layout",
        checked=lambda d: d.window.layout_choice is LayoutId.DEBUG,
    ),
    Action(
        id=ActionId.LAYOUT_PRESENT,
        title=QT_TRANSLATE_NOOP("Action", "Prese&nt Layout"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Learn in large type, with the pressed keys shown: for a class."
        ),
        menu=Menu.VIEW,
        run=lambda d: d.window.choose_layout(LayoutId.PRESENT),
        label=QT_TRANSLATE_NOOP("Action", "Present"),
        icon="present",
        shortcut="Ctrl+Alt+3",
        group="layout",
        checked=lambda d: d.window.layout_choice is LayoutId.PRESENT,
    ),
    Action(
        id=ActionId.RESTORE_LAYOUT,
        title=QT_TRANSLATE_NOOP("Action", "&Restore Layout"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Put every dock of the layout back in its default place."
        ),
        menu=Menu.VIEW,
        run=lambda d: d.window.restore_layout(),
        icon="layout",
        group="layout",
    ),
    Action(
        id=ActionId.ZOOM_IN,
        title=QT_TRANSLATE_NOOP("Action", "Zoom In"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Make all text larger."),
        menu=Menu.VIEW,
        run=lambda d: d.window.zoom(1),
        shortcut="Ctrl++",
        second_shortcut="Ctrl+=",
        group="zoom",
    ),
    Action(
        id=ActionId.ZOOM_OUT,
        title=QT_TRANSLATE_NOOP("Action", "Zoom Out"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Make all text smaller."),
        menu=Menu.VIEW,
        run=lambda d: d.window.zoom(-1),
        shortcut="Ctrl+-",
        group="zoom",
    ),
    Action(
        id=ActionId.ZOOM_RESET,
        title=QT_TRANSLATE_NOOP("Action", "Reset Zoom"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Give all text the size that the desktop prefers."),
        menu=Menu.VIEW,
        run=lambda d: d.window.zoom(0),
        shortcut="Ctrl+0",
        group="zoom",
    ),
    Action(
        id=ActionId.FULL_SCREEN,
        title=QT_TRANSLATE_NOOP("Action", "F&ull Screen"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Fill the whole screen, or return to a window."),
        menu=Menu.VIEW,
        run=lambda d: d.window.toggle_full_screen(),
        shortcut="Ctrl+F11",
        group="zoom",
        checked=lambda d: d.window.is_full_screen,
    ),
    Action(
        id=ActionId.THEME_SYSTEM,
        title=QT_TRANSLATE_NOOP("Action", "&System Theme"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Light or dark, like the desktop."),
        menu=Menu.VIEW,
        run=lambda d: d.window.choose_theme("system"),
        group="theme",
        checked=lambda d: d.window.theme_choice == "system",
    ),
    Action(
        id=ActionId.THEME_LIGHT,
        title=QT_TRANSLATE_NOOP("Action", "&Light Theme"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Dark text on a light background."),
        menu=Menu.VIEW,
        run=lambda d: d.window.choose_theme("light"),
        group="theme",
        checked=lambda d: d.window.theme_choice == "light",
    ),
    Action(
        id=ActionId.THEME_DARK,
        title=QT_TRANSLATE_NOOP("Action", "&Dark Theme"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Light text on a dark background."),
        menu=Menu.VIEW,
        run=lambda d: d.window.choose_theme("dark"),
        group="theme",
        checked=lambda d: d.window.theme_choice == "dark",
    ),
)
