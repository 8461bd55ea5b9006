"""The questions that the window asks, each as one function that returns the answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QInputDialog,
    QLabel,
    QMessageBox,
    QVBoxLayout,
    QWidget,
)

from gradstep_gui.widgets.buttons import remove_button_icons
from gradstep_gui.widgets.scenario_list import Card, ScenarioList

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "Answer",
    "ask_about_changes",
    "ask_card",
    "ask_count",
    "ask_iteration",
    "ask_lesson_path",
    "ask_memory",
    "ask_new_lesson_path",
    "ask_new_path",
    "ask_open_path",
    "ask_own_script_path",
    "ask_program_path",
    "ask_save_path",
    "ask_script_path",
    "ask_session_paths",
    "ask_to_replace",
]

Answer = Literal["save", "discard", "cancel"]
"""The answer to the question about unsaved Events."""

MOST_ITERATIONS = 10_000_000


def _tr(text: str) -> str:
    return QCoreApplication.translate("Dialogs", text)


def ask_open_path(parent: QWidget, folder: Path) -> Path | None:
    """Ask which file to open; None when cancelled."""
    chosen, _filter = QFileDialog.getOpenFileName(
        parent,
        _tr("Open Program or Session"),
        str(folder),
        _tr("GradStep files (*.gradstep *.json);;")
        + _tr("Scripts and notebooks (*.py *.ipynb);;All files (*)"),
    )
    return Path(chosen) if chosen else None


def ask_own_script_path(parent: QWidget, folder: Path) -> Path | None:
    """Ask which script to run; None when cancelled."""
    chosen, _filter = QFileDialog.getOpenFileName(
        parent,
        _tr("Run Script"),
        str(folder),
        _tr("Scripts and notebooks (*.py *.ipynb);;All files (*)"),
    )
    return Path(chosen) if chosen else None


def ask_lesson_path(parent: QWidget, folder: Path) -> Path | None:
    """Ask which lesson to open; None when cancelled."""
    chosen, _filter = QFileDialog.getOpenFileName(
        parent, _tr("Open Lesson"), str(folder), _tr("GradStep lessons (*.lesson.json)")
    )
    return Path(chosen) if chosen else None


def ask_new_lesson_path(parent: QWidget, proposed: Path) -> Path | None:
    """Ask where to save a lesson."""
    return ask_new_path(
        parent, _tr("Save Lesson"), proposed, _tr("GradStep lessons (*.lesson.json)")
    )


def ask_session_paths(parent: QWidget) -> tuple[Path, ...]:
    """Ask for sessions to overlay; none when cancelled."""
    chosen, _filter = QFileDialog.getOpenFileNames(
        parent, _tr("Overlay Sessions"), "", _tr("GradStep sessions (*.gradstep)")
    )
    return tuple(map(Path, chosen))


def ask_save_path(parent: QWidget, proposed: Path) -> Path | None:
    """Ask where to save a session."""
    return ask_new_path(
        parent, _tr("Save Session"), proposed, _tr("GradStep sessions (*.gradstep)")
    )


def ask_program_path(parent: QWidget, proposed: Path) -> Path | None:
    """Ask where to save a program document."""
    return ask_new_path(parent, _tr("Save Program"), proposed, _tr("GradStep programs (*.json)"))


def ask_script_path(parent: QWidget, proposed: Path) -> Path | None:
    """Ask where to export a script."""
    return ask_new_path(parent, _tr("Export Script"), proposed, _tr("Python scripts (*.py)"))


def ask_new_path(parent: QWidget, title: str, proposed: Path, kinds: str) -> Path | None:
    """Ask where to write a file; None when cancelled.

    A name without a suffix gets that of the proposed one, before the dialog asks whether a file
    that is there may be replaced.

    Args:
        parent: The window.
        title: The title of the dialog.
        proposed: The file that is proposed.
        kinds: The file filters, in Qt's syntax.
    """
    dialog = QFileDialog(parent, title, str(proposed.parent), kinds)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(proposed.suffix.removeprefix("."))
    dialog.selectFile(proposed.name)
    accepted = dialog.exec() == QDialog.DialogCode.Accepted
    dialog.deleteLater()
    return Path(dialog.selectedFiles()[0]) if accepted else None


def ask_about_changes(
    parent: QWidget, name: str, answered: Callable[[Answer], object], *, is_running: bool = False
) -> None:
    """Ask what to do with unsaved Events, and call `answered` with the answer.

    It returns at once, so that neither the window's thread nor a test is blocked.

    Args:
        parent: The window.
        name: The name of what is open.
        answered: Is called with the answer.
        is_running: Whether it is a script that still runs, and is stopped by either answer.
    """
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle(_tr("Unsaved Program"))
    box.setText(_tr("“{name}” is not saved.").format(name=name))
    words = _tr("Save it as a session with all its events?")
    if is_running:
        words = _tr("The script still runs, and will be stopped. {0}").format(words)
    box.setInformativeText(words)
    buttons = QMessageBox.StandardButton
    box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
    box.setDefaultButton(buttons.Save)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    answers: dict[int, Answer] = {buttons.Save.value: "save", buttons.Discard.value: "discard"}
    remove_button_icons(box)
    box.finished.connect(lambda result: answered(answers.get(result, "cancel")))
    box.open()


def ask_to_replace(parent: QWidget, paths: Sequence[Path], replace: Callable[[], object]) -> None:
    """Ask whether files that are there may be replaced, and call `replace` if they may.

    It returns at once, as `ask_about_changes` does.
    """
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Warning)
    box.setWindowTitle(_tr("Save Session"))
    box.setText(_tr("Replace the sessions of other ranks?"))
    box.setInformativeText(
        _tr("These files are there already: {names}.").format(
            names=", ".join(path.name for path in paths)
        )
    )
    buttons = QMessageBox.StandardButton
    box.setStandardButtons(buttons.Save | buttons.Cancel)
    box.button(buttons.Save).setText(_tr("&Replace"))
    box.setDefaultButton(buttons.Cancel)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    remove_button_icons(box)
    box.button(buttons.Save).clicked.connect(replace)
    box.open()


def ask_card(parent: QWidget, cards: Sequence[Card]) -> Card | None:
    """Ask which of the included programs to open."""
    dialog = QDialog(parent)
    dialog.setWindowTitle(_tr("New from an Included Program"))
    cards_list = ScenarioList(cards, _tr("Included programs"), dialog)
    cards_list.chosen.connect(dialog.accept)
    buttons = QDialogButtonBox(
        QDialogButtonBox.StandardButton.Open | QDialogButtonBox.StandardButton.Cancel, dialog
    )
    buttons.accepted.connect(dialog.accept)
    buttons.rejected.connect(dialog.reject)
    column = QVBoxLayout(dialog)
    column.setContentsMargins(14, 14, 14, 14)
    column.setSpacing(12)
    column.addWidget(QLabel(_tr("Choose a program. It opens as a new, unsaved program."), dialog))
    column.addWidget(cards_list)
    column.addWidget(buttons)
    remove_button_icons(dialog)
    dialog.resize(620, 560)
    accepted = dialog.exec() == QDialog.DialogCode.Accepted
    dialog.deleteLater()
    return cards_list.current_card if accepted else None


def ask_count(parent: QWidget, proposed: int) -> int | None:
    """Ask for a number of iterations."""
    dialog = _number_dialog(parent)
    dialog.setWindowTitle(_tr("Run Iterations"))
    dialog.setLabelText(_tr("Iterations:"))
    dialog.setOkButtonText(_tr("&Run"))
    return _number_from(dialog, proposed, range(1, MOST_ITERATIONS + 1))


def ask_iteration(parent: QWidget, proposed: int, done: int) -> int | None:
    """Ask for an iteration that is not done yet.

    Args:
        parent: The window.
        proposed: What is proposed.
        done: How many iterations are done.
    """
    dialog = _number_dialog(parent)
    dialog.setWindowTitle(_tr("Run Until Iteration"))
    dialog.setLabelText(_tr("Run until this iteration is done. Done now: {0}").format(f"{done:,}"))
    dialog.setOkButtonText(_tr("&Run"))
    return _number_from(dialog, proposed, range(done + 1, done + MOST_ITERATIONS + 1))


def ask_memory(parent: QWidget, present: int, allowed: range) -> int | None:
    """Ask for the memory limit of checkpoints, in megabytes."""
    dialog = _number_dialog(parent)
    dialog.setWindowTitle(_tr("Memory for Checkpoints"))
    dialog.setLabelText(
        _tr(
            "Checkpoints make going back fast. With less memory, going far back takes\nlonger; "
            "no event is ever lost.\n\nMemory limit in megabytes:"
        )
    )
    dialog.setOkButtonText(_tr("&Set Limit"))
    return _number_from(dialog, present, allowed, step=64)


def _number_dialog(parent: QWidget) -> QInputDialog:
    dialog = QInputDialog(parent)
    dialog.setInputMode(QInputDialog.InputMode.IntInput)  # first, else OK stays disabled
    return dialog


def _number_from(
    dialog: QInputDialog, proposed: int, allowed: range, *, step: int = 1
) -> int | None:
    """Ask for a whole number with a dialog; None when cancelled."""
    dialog.setIntRange(allowed[0], allowed[-1])
    dialog.setIntStep(step)
    dialog.setIntValue(proposed)
    remove_button_icons(dialog)
    dialog.resize(max(360, dialog.sizeHint().width()), dialog.sizeHint().height())
    accepted = dialog.exec() == QDialog.DialogCode.Accepted
    dialog.deleteLater()
    return dialog.intValue() if accepted else None
