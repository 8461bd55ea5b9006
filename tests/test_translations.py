"""scripts/translations.py finds every marked text, in the context in which Qt looks it up."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_spec = spec_from_file_location("translations", ROOT / "scripts" / "translations.py")
translations = module_from_spec(_spec)
_spec.loader.exec_module(translations)

SOURCE = """
WORDS = {"a": QT_TRANSLATE_NOOP("Table", "in a table")}

class View(QWidget):
    def __init__(self, window):
        tr = self.tr
        self.setText(tr("short name"))
        self.setToolTip(self.tr("in two "
                                "parts"))
        self.count = self.tr("%n rows", "", 3)
        window.say(window.tr("the window's"))
        self.setTitle(self.tr(WORDS["a"]))

def _tr(text):
    return QCoreApplication.translate("Helper", text)

def words():
    return _tr("by a helper"), QCoreApplication.translate("Given", "with its context")
"""


def test_texts_are_found_in_classes_tables_and_helpers(tmp_path):
    (tmp_path / "view.py").write_text(SOURCE)
    assert translations.extract(tmp_path) == {
        ("Given", "with its context"): False,
        ("Helper", "by a helper"): False,
        ("MainWindow", "the window's"): False,
        ("Table", "in a table"): False,
        ("View", "%n rows"): True,
        ("View", "in two parts"): False,
        ("View", "short name"): False,
    }


def test_a_text_whose_context_depends_on_an_object_is_an_error(tmp_path):
    (tmp_path / "view.py").write_text('def f(box):\n    return box.tr("what?")\n')
    with pytest.raises(SystemExit, match=r"view.py:2: the context of 'what\?' depends"):
        translations.extract(tmp_path)


def test_what_is_written_is_read_again_and_new_texts_are_unfinished(tmp_path):
    texts = {("A", "<one> & two"): False, ("A", "new"): False, ("B", "%n rows"): True}
    known = {("A", "<one> & two"): ("<eins> & zwei",), ("B", "%n rows"): ("%n Zeile", "%n Zeilen")}
    path = tmp_path / "x_de.ts"
    path.write_text(translations.render("de", texts, {**known, ("A", "old"): ("alt",)}), "utf-8")
    assert translations.read(path) == known
    assert path.read_text("utf-8").count('type="unfinished"') == 1
    assert "old" not in path.read_text("utf-8")
