"""Experiments: what-if, the resume check, and restoring a branch."""

from __future__ import annotations

from gradstep_gui.action import Action, Menu
from gradstep_gui.action_ids import ActionId
from gradstep_gui.actions.enabled_when import has_loop, overlaid, paused, recorded, removed
from gradstep_gui.actions.obstacles import no_document, no_replay, no_resume
from gradstep_gui.translation import QT_TRANSLATE_NOOP

__all__ = ["BRANCHES"]

BRANCHES: tuple[Action, ...] = (
    Action(
        id=ActionId.WHAT_IF,
        title=QT_TRANSLATE_NOOP("Action", "&What If…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Replay the following events on a new branch, with operations skipped, inserted or\n"
            "moved, or values changed. The current branch stays as it is.",
        ),
        menu=Menu.EXPERIMENT,
        run=lambda d: d.window.ask_what_if(),
        shortcut="Ctrl+I",
        group="ask",
        enabled_when=recorded,
        obstacle=no_replay,
    ),
    Action(
        id=ActionId.RESUME_CHECK,
        title=QT_TRANSLATE_NOOP("Action", "&Resume Check…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Check whether the run can be interrupted and resumed from a checkpoint,\n"
            "and what a checkpoint of the weights alone would lose.",
        ),
        menu=Menu.EXPERIMENT,
        run=lambda d: d.window.ask_resume_check(),
        group="ask",
        enabled_when=recorded,
        obstacle=no_resume,
    ),
    Action(
        id=ActionId.RUN_SEEDS,
        title=QT_TRANSLATE_NOOP("Action", "Run with Other &Seeds"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Run the program with four other seeds, for as many iterations as are complete,\n"
            "and draw their losses behind those of this run.",
        ),
        menu=Menu.EXPERIMENT,
        run=lambda d: d.controller.branches.run_seeds(),
        group="overlay",
        enabled_when=has_loop,
        obstacle=no_document,
    ),
    Action(
        id=ActionId.OVERLAY,
        title=QT_TRANSLATE_NOOP("Action", "&Overlay Sessions…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Draw the losses of other sessions behind those of this run."
        ),
        menu=Menu.EXPERIMENT,
        run=lambda d: d.window.ask_overlays(),
        group="overlay",
        enabled_when=paused,
    ),
    Action(
        id=ActionId.REMOVE_OVERLAYS,
        title=QT_TRANSLATE_NOOP("Action", "R&emove Overlays"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Remove the losses of other seeds and sessions from the plots."
        ),
        menu=Menu.EXPERIMENT,
        run=lambda d: d.controller.branches.clear_overlays(),
        group="overlay",
        enabled_when=overlaid,
    ),
    Action(
        id=ActionId.RESTORE_BRANCH,
        title=QT_TRANSLATE_NOOP("Action", "Restore Removed &Branch"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Restore the branch that was removed last, with all its events.\n"
            "Removed branches are kept until the program is closed.",
        ),
        menu=Menu.EXPERIMENT,
        run=lambda d: d.controller.branches.restore(),
        group="branch",
        enabled_when=removed,
    ),
)
