"""What the main window is made of, but for what its first picture shows; imported after that."""

from gradstep_gui.dialog_controllers.export import ExportDialogController
from gradstep_gui.dialog_controllers.help import HelpDialogController
from gradstep_gui.dialog_controllers.lessons import LessonDialogController
from gradstep_gui.dialog_controllers.other_value import OtherValueDialogController
from gradstep_gui.dialog_controllers.program_editor import ProgramDialogController
from gradstep_gui.dialog_controllers.recovery import RecoveryDialogController
from gradstep_gui.dialog_controllers.remedy import RemedyDialogController
from gradstep_gui.dialog_controllers.resume_check import ResumeDialogController
from gradstep_gui.dialog_controllers.script_run import ScriptRunDialogController
from gradstep_gui.dialog_controllers.what_if import WhatIfDialogController
from gradstep_gui.documents import Documents, Leftovers
from gradstep_gui.targets import Targets
from gradstep_gui.views.dock_view import DockView
from gradstep_gui.views.event_log import EventLogView
from gradstep_gui.views.landscape.choices import count_of
from gradstep_gui.views.lesson import LessonStepsView
from gradstep_gui.views.output import OutputView
from gradstep_gui.views.parameters import ParametersView
from gradstep_gui.views.program import ProgramView
from gradstep_gui.views.timeline import TimelineView
from gradstep_gui.views.variables import VariablesView
from gradstep_gui.widgets.bars import FlatToolBar, style_tabs
from gradstep_gui.widgets.field_shortcuts import FieldShortcuts
from gradstep_gui.widgets.focus_ring import FocusRings
from gradstep_gui.window.centre import Centre
from gradstep_gui.window.dock_behavior import DockTitles, DockWidths, LessonDock, RanksDock
from gradstep_gui.window.docks import make_docks
from gradstep_gui.window.key_display import KeyDisplay
from gradstep_gui.window.layouts import Layouts
from gradstep_gui.window.lesson_guide import LessonGuide, LessonMenus
from gradstep_gui.window.menus import OtherOperationsMenu, PlaceMenu
from gradstep_gui.window.message_presenter import MessagePresenter
from gradstep_gui.window.script_docks import ScriptDocks
from gradstep_gui.window.sentence_tool_bar import SentenceToolBar
from gradstep_gui.window.status_line import StatusLine
from gradstep_gui.window.tab_order import next_by_tab
from gradstep_gui.window.toolbar import DebugToolbar
from gradstep_gui.window_commands import WindowCommands

__all__ = [
    "Centre",
    "DebugToolbar",
    "DockTitles",
    "DockView",
    "DockWidths",
    "Documents",
    "EventLogView",
    "ExportDialogController",
    "FieldShortcuts",
    "FlatToolBar",
    "FocusRings",
    "HelpDialogController",
    "KeyDisplay",
    "Layouts",
    "Leftovers",
    "LessonDialogController",
    "LessonDock",
    "LessonGuide",
    "LessonMenus",
    "LessonStepsView",
    "MessagePresenter",
    "OtherOperationsMenu",
    "OtherValueDialogController",
    "OutputView",
    "ParametersView",
    "PlaceMenu",
    "ProgramDialogController",
    "ProgramView",
    "RanksDock",
    "RecoveryDialogController",
    "RemedyDialogController",
    "ResumeDialogController",
    "ScriptDocks",
    "ScriptRunDialogController",
    "SentenceToolBar",
    "StatusLine",
    "Targets",
    "TimelineView",
    "VariablesView",
    "WhatIfDialogController",
    "WindowCommands",
    "count_of",
    "make_docks",
    "next_by_tab",
    "style_tabs",
]
