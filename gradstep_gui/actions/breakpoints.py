"""Breakpoints, watches, and who changed a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep_gui.action import Action, Menu
from gradstep_gui.action_ids import ActionId, ViewId
from gradstep_gui.actions.enabled_when import past, paused
from gradstep_gui.translation import QT_TRANSLATE_NOOP

if TYPE_CHECKING:
    from gradstep_gui.action import ActionContext

__all__ = ["BREAKPOINTS", "TENSOR_ACTIONS"]


def _watch(context: ActionContext, address: str) -> None:
    if context.controller.selected:
        context.controller.breakpoints.watch_place(address.format(context.controller.selected))
        context.window.show_view(ViewId.WATCHES)


def _break(context: ActionContext, address: str) -> None:
    if context.controller.selected:
        context.controller.breakpoints.break_on_change(address.format(context.controller.selected))
        context.window.show_view(ViewId.BREAKPOINTS)


def _who(context: ActionContext, address: str) -> None:
    if context.controller.selected:
        context.controller.breakpoints.who_changed(address.format(context.controller.selected))


def _new_breakpoint(context: ActionContext) -> None:
    context.window.show_view(ViewId.BREAKPOINTS)
    context.controller.breakpoints.breakpoint_requested.emit()


def _new_watch(context: ActionContext) -> None:
    context.window.show_view(ViewId.WATCHES)
    context.controller.breakpoints.watch_requested.emit()


TENSOR_ACTIONS: tuple[Action, ...] = (
    Action(
        id=ActionId.WATCH_TENSOR,
        title=QT_TRANSLATE_NOOP("Action", "&Watch {tensor}"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Watch the values of the selected tensor."),
        menu=Menu.BREAK,
        run=lambda d: _watch(d, "{0}"),
        group="watch",
        enabled_when=paused,
    ),
    Action(
        id=ActionId.WATCH_GRAD,
        title=QT_TRANSLATE_NOOP("Action", "Watch {tensor}.&grad"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Watch the gradient of the selected tensor."),
        menu=Menu.BREAK,
        run=lambda d: _watch(d, "{0}.grad"),
        group="watch",
        enabled_when=paused,
    ),
    Action(
        id=ActionId.BREAK_ON_TENSOR,
        title=QT_TRANSLATE_NOOP("Action", "Break When {tensor} &Changes"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Stop a run when the values of the selected tensor change."
        ),
        menu=Menu.BREAK,
        run=lambda d: _break(d, "{0}"),
        group="data",
        enabled_when=paused,
    ),
    Action(
        id=ActionId.BREAK_ON_GRAD,
        title=QT_TRANSLATE_NOOP("Action", "Break When {tensor}.g&rad Changes"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Stop a run when the .grad of the selected tensor changes."
        ),
        menu=Menu.BREAK,
        run=lambda d: _break(d, "{0}.grad"),
        group="data",
        enabled_when=paused,
    ),
    Action(
        id=ActionId.WHO_CHANGED_TENSOR,
        title=QT_TRANSLATE_NOOP("Action", "Wh&o Changed {tensor}?"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Go to the event that last wrote the selected tensor."),
        menu=Menu.BREAK,
        run=lambda d: _who(d, "{0}"),
        group="who",
        enabled_when=past,
    ),
    Action(
        id=ActionId.WHO_CHANGED_GRAD,
        title=QT_TRANSLATE_NOOP("Action", "Who Change&d {tensor}.grad?"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Go to the event that last wrote the .grad of the selected tensor."
        ),
        menu=Menu.BREAK,
        run=lambda d: _who(d, "{0}.grad"),
        group="who",
        enabled_when=past,
    ),
)
"""Actions on the selected tensor; its context menu offers them too."""

BREAKPOINTS: tuple[Action, ...] = (
    Action(
        id=ActionId.NEW_BREAKPOINT,
        title=QT_TRANSLATE_NOOP("Action", "&New Breakpoint"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Add a condition at which runs stop."),
        menu=Menu.BREAK,
        run=_new_breakpoint,
        shortcut="F9",
        group="new",
        enabled_when=paused,
    ),
    Action(
        id=ActionId.NEW_WATCH,
        title=QT_TRANSLATE_NOOP("Action", "New Wa&tch"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Add an expression whose value is shown."),
        menu=Menu.BREAK,
        run=_new_watch,
        shortcut="Shift+F9",
        group="new",
        enabled_when=paused,
    ),
    *TENSOR_ACTIONS,
)
