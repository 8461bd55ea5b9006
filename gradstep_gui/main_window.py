"""The window: places menus, toolbar, docks and bars, and nothing else."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QMainWindow,
    QMenu,
    QMessageBox,
    QStackedWidget,
    QToolBar,
)

from gradstep_gui import theme
from gradstep_gui.action import Action, Desk, Menu
from gradstep_gui.actions import ACTIONS
from gradstep_gui.documents import Documents
from gradstep_gui.resources import application_icon, icon
from gradstep_gui.settings import GEOMETRY, LAYOUT, THEME, VERSION
from gradstep_gui.status_line import StatusLine
from gradstep_gui.targets import Targets
from gradstep_gui.toolbar import DebugToolbar
from gradstep_gui.widgets import dialogs
from gradstep_gui.widgets.command_palette import CommandPalette
from gradstep_gui.widgets.message_bar import MessageBar
from gradstep_gui.widgets.welcome import Welcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
    from PySide6.QtWidgets import QWidget

    from gradstep_gui.controller import Controller
    from gradstep_gui.delivery import Document, State
    from gradstep_gui.messages import Messages
    from gradstep_gui.settings import Settings
    from gradstep_gui.theme import Choice
    from gradstep_gui.widgets.scenario_list import Card
