"""The window in another language: complete, with every placeholder, and without English in it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialogButtonBox,
    QDockWidget,
    QGroupBox,
    QLabel,
    QLineEdit,
    QMenu,
    QTabBar,
    QWidget,
)

from gradstep.program.gallery import scenarios
from gradstep_gui import app
from gradstep_gui.action_ids import ActionId
from gradstep_gui.actions import ACTIONS
from gradstep_gui.language import LANGUAGES, install_language, language_of
from gradstep_gui.settings import LANGUAGE, Settings

ROOT = Path(__file__).parents[2]
_spec = spec_from_file_location("translations", ROOT / "scripts" / "translations.py")
translations = module_from_spec(_spec)
_spec.loader.exec_module(translations)

TEXTS = translations.extract()
FILES = sorted(translations.FOLDER.glob("*.ts"))
PLACEHOLDER = re.compile(r"\{\w*\}|%[nvm]")
TAG = re.compile(r"</?\w+>|\*\*")
MNEMONIC = re.compile(r"&(?!&)(\w)")

SHOWS_TEXT = {
    *("addAction", "addButton", "addItem", "addMenu", "addRow", "addTab", "drawText", "notice"),
    *("QAction", "QCheckBox", "QDockWidget", "QGroupBox", "QLabel", "QMenu", "QPushButton"),
    *("QRadioButton", "setAccessibleDescription", "setAccessibleName", "setHeaderLabels"),
    *("setInformativeText", "setLabelText", "setPlaceholderText", "setPrefix", "setStatusTip"),
    *("setSuffix", "setTabText", "setTabToolTip", "setText", "setTitle", "setToolTip", "warning"),
    *("setWhatsThis", "setWindowTitle", "getOpenFileName", "getSaveFileName"),
}
"""What is called to show a text."""

NOT_TRANSLATED = {
    *("GradStep", "[*] — GradStep", " (Ctrl+Return)"),
    *("elements", "principal", "random"),  # the names of icons
    *("err", "could not typeset %r: %s"),  # read by programs
}
WORD = re.compile(r"[A-Za-z]{3,}")


@pytest.fixture
def german(qapp, tmp_path):
    """The window in German, with a program, in the Debug layout."""
    settings = Settings(tmp_path / "settings.ini")
    settings.set(LANGUAGE, "de")
    _, window = app.build(["gradstep", str(scenarios()[0].path)], settings)
    window.controller.wait_idle(60)
    window.show()
    yield window
    window.discard()
    install_language(qapp, "en")


def test_every_language_has_its_file():
    assert [file.stem for file in FILES] == [f"gradstep_{one}" for one in LANGUAGES if one != "en"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_text_is_translated_and_no_translation_is_left_over(file):
    known = translations.read(file)
    assert [text for text in TEXTS if text not in known] == []
    assert [text for text in known if text not in TEXTS] == []
    assert [text for text, forms in known.items() if not all(forms)] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_translation_has_the_placeholders_and_marks_of_its_text(file):
    wrong = []
    for (_, source), forms in translations.read(file).items():
        for form in forms:
            same = all(
                Counter(found.findall(source)) == Counter(found.findall(form))
                for found in (PLACEHOLDER, TAG)
            )
            same &= bool(MNEMONIC.search(source)) == bool(MNEMONIC.search(form))
            same &= source.count("\n") == form.count("\n")
            same &= (source[:1] == " ", source[-1:] == " ") == (form[:1] == " ", form[-1:] == " ")
            if not same:
                wrong.append((source, form))
    assert wrong == []


def test_the_packed_files_are_up_to_date():
    words = [sys.executable, ROOT / "scripts" / "translations.py", "--check"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_text_is_shown_that_is_not_marked_for_translation():
    found = []
    for path in sorted((ROOT / "gradstep_gui").rglob("*.py")):
        if "command_line" in path.parts or path.name == "cli.py":
            continue  # the terminal speaks English
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Call) and name_of(call) in SHOWS_TEXT:
                given = [*call.args, *(word.value for word in call.keywords)]
                for text in (text for one in given for text in literals(one)):
                    if WORD.search(re.sub(r"<[^>]*>?", "", text)) and text not in NOT_TRANSLATED:
                        found.append(f"{path.name}:{call.lineno}: {text!r}")
    assert found == []


def name_of(call):
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def literals(node):
    """Return the texts in an expression that are not given to a function."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.Call):
        on = node.func.value if isinstance(node.func, ast.Attribute) else None
        return literals(on) if name_of(node) == "format" and on is not None else []
    if isinstance(node, ast.JoinedStr | ast.BinOp | ast.IfExp | ast.List | ast.Tuple):
        return [text for child in ast.iter_child_nodes(node) for text in literals(child)]
    return []


def shown_texts(window):
    """Return every text that a window shows or would show, with its tooltip."""
    for one in window.findChildren(QWidget):
        yield one.toolTip()
        yield one.accessibleName()
        if isinstance(one, QLabel | QAbstractButton):
            yield one.text()
        elif isinstance(one, QGroupBox | QMenu):
            yield one.title()
        elif isinstance(one, QDockWidget):
            yield one.windowTitle()
        elif isinstance(one, QLineEdit):
            yield one.placeholderText()
        elif isinstance(one, QTabBar):
            for place in range(one.count()):
                yield one.tabText(place)
    for action in window.findChildren(QAction):
        yield action.text()
        yield action.toolTip()


def test_nothing_in_the_german_window_is_english(german):
    known = translations.read(translations.FOLDER / "gradstep_de.ts")
    english = {
        source for (_, source), forms in known.items() if source not in forms and len(source) > 3
    }
    german_texts = {form.replace("&", "") for forms in known.values() for form in forms}
    english -= german_texts | {
        "optimizer",
        "State",
    }  # also a name in the program, a group of lessons
    texts = [text for text in shown_texts(german) if text]
    assert sorted({text for text in texts if text in english}) == []
    assert "&Datei" in texts
    assert "Ö&ffnen…" in texts


def test_a_tooltip_says_what_english_lessons_call_the_button(german, qapp):
    actions = {action.id: action for action in ACTIONS}
    hold = actions[ActionId.HOLD_BATCH]
    assert hold.text().replace("&", "") == "Batch festhalten"
    assert hold.explanation().endswith("\nLektionen nennen es Hold Batch.")
    assert "Lektionen" not in actions[ActionId.FORWARD].explanation()  # it has no other name
    install_language(qapp, "en")
    assert hold.explanation() == hold.tooltip


def test_the_mnemonics_of_each_german_menu_are_different(german):
    menus = [german.menuBar(), *german.menuBar().findChildren(QMenu)]
    twice = {}
    for menu in menus:
        letters = Counter(
            found[1].lower()
            for action in menu.actions()
            if action.isVisible() and (found := MNEMONIC.search(action.text()))
        )
        if repeated := [letter for letter, count in letters.items() if count > 1]:
            title = menu.title() if isinstance(menu, QMenu) else "menu bar"
            twice[title] = repeated
    assert twice == {}


def test_the_buttons_of_qt_speak_the_language_as_well(qapp):
    install_language(qapp, "de")
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    assert box.buttons()[0].text().replace("&", "") == "Abbrechen"
    install_language(qapp, "en")
    assert QCoreApplication.translate("Menu", "&File") == "&File"


def test_a_language_that_is_not_known_is_english():
    assert language_of("system", ["fr-FR", "nl"]) == "en"
    assert language_of("system", ["de_AT", "en"]) == "de"
    assert language_of("de", ["en"]) == "de"


def test_the_choice_is_kept_and_said_to_come_with_the_next_start(qapp, tmp_path):
    settings = Settings(tmp_path / "settings.ini")
    settings.set(LANGUAGE, "en")
    _, window = app.build(["gradstep"], settings)
    try:
        window.actions_by_id["view.language_german"].trigger()
        assert settings.get(LANGUAGE) == "de"
        assert window.messages.history[-1].text == (
            "The language changes when GradStep is started again"
        )
        assert window.actions_by_id["view.language_german"].isChecked()
    finally:
        window.discard()


def test_a_picture_is_drawn_in_a_language(gradstep, tmp_path):
    assert QApplication.instance() is not None
    pictures = {}
    for language in ("en", "de"):
        path = tmp_path / f"{language}.png"
        assert gradstep("--screenshot", path, "--language", language)[0] == 0
        pictures[language] = path.read_bytes()
    install_language(QApplication.instance(), "en")
    assert pictures["en"] != pictures["de"]
