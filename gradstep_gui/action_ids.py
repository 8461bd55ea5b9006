"""The ids of Actions and views."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["ActionId", "LayoutId", "ViewId", "dock_toggle_id"]


class ActionId(StrEnum):
    """Names an Action, in the registry and as the objectName of its QAction; stable for ever."""

    NEW = "file.new"
    OPEN = "file.open"
    RECOVER = "file.recover"
    NEW_PROGRAM = "file.new_own"
    EDIT_PROGRAM = "file.edit"
    EDIT_BROKEN_DOCUMENT = "file.mend"
    SAVE = "file.save"
    SAVE_AS = "file.save_as"
    CANCEL_SAVE = "file.cancel_save"
    EXPORT_SCRIPT = "file.export_script"
    EXPORT_TEST = "file.export_test"
    RECORD_SCRIPT = "file.record_script"
    DEBUG_AGAIN = "file.debug_again"
    STOP_RECORDING = "file.stop_recording"
    OPEN_RECORDED = "file.open_recorded"
    QUIT = "file.quit"

    ZERO_GRAD = "debug.zero_grad"
    FORWARD = "debug.forward"
    BACKWARD = "debug.backward"
    STEP = "debug.step"
    INTO_ZERO_GRAD = "debug.into_zero_grad"
    INTO_FORWARD = "debug.into_forward"
    INTO_BACKWARD = "debug.into_backward"
    INTO_STEP = "debug.into_step"
    HOLD_BATCH = "debug.hold_batch"
    RETAIN_GRAPH = "debug.retain_graph"
    WRITE_ZEROS = "debug.zeros"
    STEP_OVER = "debug.step_over"
    STEP_INTO = "debug.step_into"
    STEP_OUT = "debug.step_out"
    STEP_BACK = "debug.back"
    SKIP = "debug.skip"
    ITERATE = "debug.iterate"
    ITERATE_MANY = "debug.iterate_many"
    RUN_UNTIL_ITERATION = "debug.run_until_iteration"
    RUN = "debug.run"
    RUN_BACK = "debug.run_back"
    PAUSE = "debug.pause"
    GO_TO_START = "debug.start"
    GO_TO_END = "debug.end"
    PREVIOUS_FINDING = "debug.previous_finding"
    NEXT_FINDING = "debug.next_finding"
    MEMORY_LIMIT = "debug.memory"

    WATCH_TENSOR = "tensor.watch"
    WATCH_GRAD = "tensor.watch_grad"
    BREAK_ON_TENSOR = "tensor.break"
    BREAK_ON_GRAD = "tensor.break_grad"
    WHO_CHANGED_TENSOR = "tensor.who_changed"
    WHO_CHANGED_GRAD = "tensor.who_changed_grad"

    NEW_BREAKPOINT = "debug.new_breakpoint"
    NEW_WATCH = "debug.new_watch"
    WHAT_IF = "debug.what_if"
    RESUME_CHECK = "debug.resume_check"
    OVERLAY = "plots.overlay"
    RUN_SEEDS = "plots.run_seeds"
    REMOVE_OVERLAYS = "plots.remove_overlays"
    RESTORE_BRANCH = "debug.restore_branch"

    COMMAND_PALETTE = "view.command_palette"
    SHOW_EXPLAIN = "view.explain"
    SHOW_MESSAGES = "view.messages"
    SHOW_PLOTS = "view.plots"
    SHOW_GRAPH = "view.graph"
    SHOW_FINDINGS = "view.findings"
    SHOW_DATA = "view.data"
    SHOW_LANDSCAPE = "view.landscape"
    LAYOUT_LEARN = "view.layout_learn"
    LAYOUT_DEBUG = "view.layout_debug"
    LAYOUT_PRESENT = "view.layout_present"
    RESTORE_LAYOUT = "view.restore_layout"
    ZOOM_IN = "view.zoom_in"
    ZOOM_OUT = "view.zoom_out"
    ZOOM_RESET = "view.zoom_reset"
    FULL_SCREEN = "view.full_screen"
    THEME_SYSTEM = "view.theme_system"
    THEME_LIGHT = "view.theme_light"
    THEME_DARK = "view.theme_dark"
    LANGUAGE_SYSTEM = "view.language_system"
    LANGUAGE_ENGLISH = "view.language_english"
    LANGUAGE_GERMAN = "view.language_german"

    ALL_LESSONS = "lessons.all"
    NEXT_LESSON = "lessons.next"
    RESTART_LESSON = "lessons.restart"
    OPEN_LESSON = "lessons.open"
    WRITE_LESSON = "lessons.write"
    EXPORT_LESSON = "lessons.export"

    FIRST_STEPS = "help.first_steps"
    QUESTIONS = "help.questions"
    KEYBOARD_SHORTCUTS = "help.shortcuts"
    PROGRAM_REFERENCE = "help.programs"
    OWN_SCRIPTS = "help.own_scripts"
    ABOUT = "help.about"


class ViewId(StrEnum):
    """Names a view: a dock, or a tab of the centre; stable, as layouts and `--dock` use it."""

    LESSON = "lesson"
    PROGRAM = "program"
    TENSORS = "tensors"
    PARAMETERS = "parameters"
    OPTIMIZER = "optimizer"
    EXPLAIN = "explain"
    VARIABLES = "variables"
    EVENT_LOG = "event_log"
    OUTPUT = "output"
    FINDINGS = "findings"
    INSIDE = "inside"
    BREAKPOINTS = "breakpoints"
    WATCHES = "watches"
    BRANCHES = "branches"
    COMPARE = "compare"
    RANKS = "ranks"

    PLOTS = "plots"
    GRAPH = "graph"
    LANDSCAPE = "landscape"
    DATA = "data"


class LayoutId(StrEnum):
    """Names a layout of docks and tabs; stable, as settings and `--layout` use it."""

    LEARN = "learn"
    DEBUG = "debug"
    PRESENT = "present"


def dock_toggle_id(dock: str) -> str:
    """Return the objectName of the QAction that shows and hides a dock.

    Example:
        >>> dock_toggle_id("findings")
        'view.dock.findings'
    """
    return f"view.dock.{dock}"
