"""Every dialog without a mouse: names, roles, letters without clashes, the way of the Tab key."""

from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget

from gradstep.program.operation import Step
from gradstep_gui.views.breakpoints.view import ConditionHelpDialog
from gradstep_gui.widgets.dialogs.program_dialog import ProgramDialog, Snippet
from gradstep_gui.widgets.dialogs.recovery_dialog import RecordingRow, RecoveryDialog
from gradstep_gui.widgets.dialogs.remedy_dialog import RemedyChoice, RemedyDialog
from gradstep_gui.widgets.dialogs.resume_dialog import ResumeDialog
from gradstep_gui.widgets.dialogs.script_run_dialog import ScriptRunDialog
from gradstep_gui.widgets.dialogs.text_dialogs import CrashDialog, ScriptDialog
from gradstep_gui.widgets.dialogs.value_dialog import ValueDialog
from gradstep_gui.widgets.dialogs.what_if_dialog import WhatIfDialog
from gradstep_gui.widgets.dialogs.what_if_pages import Choices

MOST = 60
CHOICES = Choices(
    12,
    lambda index: f"Event {index}",
    lambda first, last, _kind: tuple(range(first, last + 1)),
    ("Step",),
    [("Step", Step())],
    {"optimizer.lr": "0.1"},
    {},
)


def filled_recovery():
    dialog = RecoveryDialog()
    dialog.show_recordings([RecordingRow(Path("1-a.gradstep"), "Iris", 1.7e9, 40_960)])
    return dialog


DIALOGS = {
    "crash": lambda: CrashDialog("a report"),
    "edits": lambda: WhatIfDialog(3, CHOICES),
    "export": lambda: ScriptDialog("Export", "As a script.", "import torch\n"),
    "language": ConditionHelpDialog,
    "program": lambda: ProgramDialog(
        "A program.",
        "{}",
        [Snippet("", "Iris", "{}")],
        [Snippet("Layer", "ReLU", "{}")],
        lambda *_: None,
    ),
    "recovery": filled_recovery,
    "remedy": lambda: RemedyDialog(
        [RemedyChoice("with a change", "Tried.", "It is replayed.", "+ a line", "&Replay")]
    ),
    "resume": lambda: ResumeDialog(12, lambda index: f"Event {index}"),
    "script": lambda: ScriptRunDialog(Path("/home/ada/train.py"), "python3", is_trusted=False),
    "value": lambda: ValueDialog("Clip Grad Norm", "&Maximum norm:", "1", lambda _: ""),
}


@pytest.fixture(params=DIALOGS)
def dialog(request, qtbot):
    dialog = DIALOGS[request.param]()
    qtbot.addWidget(dialog)
    with qtbot.waitActive(dialog):
        dialog.show()
        dialog.activateWindow()
    return dialog


def takes_the_focus(widget):
    shown = widget.isVisible() and widget.isEnabled() and widget.focusProxy() is None
    return shown and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


def test_the_tab_key_cycles_through_every_focusable_widget(dialog):
    expected = {each for each in dialog.findChildren(QWidget) if takes_the_focus(each)}
    reached = set()
    for _ in range(MOST):
        QTest.keyClick(QApplication.focusWidget() or dialog, Qt.Key.Key_Tab)
        reached.add(QApplication.focusWidget())
    assert reached == expected


def test_whatever_takes_the_focus_has_a_name_and_a_role(dialog):
    for widget in filter(takes_the_focus, dialog.findChildren(QWidget)):
        reported = QAccessible.queryAccessibleInterface(widget)
        assert reported.text(QAccessible.Text.Name), widget
        assert reported.role() not in {QAccessible.Role.NoRole, QAccessible.Role.Client}, widget


def test_no_letter_is_that_of_two(dialog):
    words = [
        each.text()
        for each in (*dialog.findChildren(QAbstractButton), *dialog.findChildren(QLabel))
        if each.isVisible() and (isinstance(each, QAbstractButton) or each.buddy() is not None)
    ]
    letters = Counter(QKeySequence.mnemonic(word).toString() for word in words)
    assert [letter for letter, count in letters.items() if letter and count > 1] == []
