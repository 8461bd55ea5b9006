"""Navigation: stepping through the loop and its Operations, running, and going back in time."""

from __future__ import annotations

from gradstep_gui.action import Action, Menu
from gradstep_gui.action_ids import ActionId
from gradstep_gui.actions.enabled_when import (
    finding_after,
    finding_before,
    future,
    has_loop,
    has_next,
    inside,
    past,
    stoppable,
)
from gradstep_gui.actions.obstacles import at_the_end, not_into, not_skipped
from gradstep_gui.translation import QT_TRANSLATE_NOOP

__all__ = ["NAVIGATION"]

NAVIGATION: tuple[Action, ...] = (
    Action(
        id=ActionId.STEP_OVER,
        title=QT_TRANSLATE_NOOP("Action", "&Over the Next Operation"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Apply the next operation.\n"
            "Inside an operation, finish the current micro-step and everything in it.",
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.step_over(d.targets.choice().applied_to),
        label=QT_TRANSLATE_NOOP("Action", "Over"),
        shortcut="F10",
        icon="step_over",
        group="walk",
        enabled_when=has_next,
        obstacle=at_the_end,
    ),
    Action(
        id=ActionId.STEP_INTO,
        title=QT_TRANSLATE_NOOP("Action", "&Into the Next Operation"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Enter the next operation; inside one, go to the next micro-step.\n"
            "In the past, this enters the recorded operation.",
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.step_into(d.targets.choice().applied_to),
        label=QT_TRANSLATE_NOOP("Action", "Into"),
        shortcut="F11",
        icon="step_into",
        group="walk",
        enabled_when=has_next,
        obstacle=not_into,
    ),
    Action(
        id=ActionId.STEP_OUT,
        title=QT_TRANSLATE_NOOP("Action", "O&ut of the Operation"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Finish the module or parameter that encloses this micro-step;\n"
            "outside of one, finish the operation.",
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.step_out(),
        label=QT_TRANSLATE_NOOP("Action", "Out"),
        shortcut="Shift+F11",
        icon="step_out",
        group="walk",
        enabled_when=inside,
    ),
    Action(
        id=ActionId.STEP_BACK,
        title=QT_TRANSLATE_NOOP("Action", "Bac&k One Event"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Go back one event, or one micro-step inside an operation. Nothing is lost."
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.back(),
        label=QT_TRANSLATE_NOOP("Action", "Back"),
        shortcut="Shift+F10",
        icon="back",
        group="walk",
        enabled_when=past,
    ),
    Action(
        id=ActionId.SKIP,
        title=QT_TRANSLATE_NOOP("Action", "Skip the Next Operation"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Leave out the next operation, and go on to the one after it."
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.skip_next(),
        group="walk",
        enabled_when=has_loop,
        obstacle=not_skipped,
    ),
    Action(
        id=ActionId.ITERATE,
        title=QT_TRANSLATE_NOOP("Action", "One Iter&ation"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Finish the current iteration, or run a whole one."),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.iterate(1),
        shortcut="F8",
        icon="iterate",
        group="walk",
        enabled_when=has_loop,
        obstacle=at_the_end,
    ),
    Action(
        id=ActionId.ITERATE_MANY,
        title=QT_TRANSLATE_NOOP("Action", "Run Severa&l Iterations…"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Run a number of iterations, then pause."),
        menu=Menu.DEBUG,
        run=lambda d: d.window.ask_iterations(),
        shortcut="Ctrl+F5",
        group="run",
        enabled_when=has_loop,
        obstacle=at_the_end,
    ),
    Action(
        id=ActionId.RUN_UNTIL_ITERATION,
        title=QT_TRANSLATE_NOOP("Action", "Run Until It&eration…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Run until an iteration is done, or a breakpoint is hit."
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.window.ask_iteration(),
        shortcut="Ctrl+F8",
        group="run",
        enabled_when=has_loop,
        obstacle=at_the_end,
    ),
    Action(
        id=ActionId.RUN,
        title=QT_TRANSLATE_NOOP("Action", "&Run"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Run the program's loop until a breakpoint; F5 again pauses it."
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.run(),
        shortcut="F5",
        repeats=False,
        icon="run",
        group="run",
        enabled_when=has_loop,
        obstacle=at_the_end,
    ),
    Action(
        id=ActionId.RUN_BACK,
        title=QT_TRANSLATE_NOOP("Action", "Run Ba&ck"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Go back to the last event at which a breakpoint is hit, or to the start."
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.breakpoints.run_back(),
        shortcut="Ctrl+Shift+F5",
        icon="run_back",
        group="run",
        enabled_when=past,
    ),
    Action(
        id=ActionId.PAUSE,
        title=QT_TRANSLATE_NOOP("Action", "&Pause"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Pause after the current operation."),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.pause(),
        shortcut="Shift+F5",
        second_shortcut="F5",
        repeats=False,
        icon="pause",
        group="run",
        enabled_when=stoppable,
    ),
    Action(
        id=ActionId.GO_TO_START,
        title=QT_TRANSLATE_NOOP("Action", "Go to the S&tart"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Go to the moment before the first event."),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.seek(0),
        shortcut="Ctrl+Home",
        icon="start",
        group="time",
        enabled_when=past,
    ),
    Action(
        id=ActionId.GO_TO_END,
        title=QT_TRANSLATE_NOOP("Action", "Go to the En&d"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Go to the latest event."),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.seek(d.controller.events_count()),
        shortcut="Ctrl+End",
        icon="end",
        group="time",
        enabled_when=future,
    ),
    Action(
        id=ActionId.PREVIOUS_FINDING,
        title=QT_TRANSLATE_NOOP("Action", "Pre&vious Finding"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Go back to the last event with a finding."),
        menu=Menu.DEBUG,
        run=lambda d: d.window.go_to_finding(later=False),
        shortcut="Shift+F4",
        group="findings",
        enabled_when=finding_before,
    ),
    Action(
        id=ActionId.NEXT_FINDING,
        title=QT_TRANSLATE_NOOP("Action", "Ne&xt Finding"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Go forward to the next event with a finding."),
        menu=Menu.DEBUG,
        run=lambda d: d.window.go_to_finding(later=True),
        shortcut="F4",
        group="findings",
        enabled_when=finding_after,
    ),
    Action(
        id=ActionId.MEMORY_LIMIT,
        title=QT_TRANSLATE_NOOP("Action", "&Memory Limit…"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Limit the memory of the states kept for going back."),
        menu=Menu.DEBUG,
        run=lambda d: d.window.ask_memory(),
        group="memory",
    ),
)
