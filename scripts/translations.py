"""Brings the translations up to date: `make translations`.

    python scripts/translations.py [--check]

Every text that the window marks for translation is looked up in the syntax of its sources: Qt's
`lupdate` goes by the look of a line, and finds neither the texts of tables nor those of functions
outside of classes, which are a quarter of them. Translations that are still used are kept, the
others dropped, and what is new is added as unfinished. Then Qt's `lrelease` packs them.

It ends with status 1, and lists them, while texts are unfinished. `--check` writes nothing, and
also fails when a file is not up to date.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import PySide6

__all__ = ["FOLDER", "Text", "extract", "read", "render"]

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "gradstep_gui"
FOLDER = ROOT / "resources" / "translations"
_MARKS = {"translate", "QT_TRANSLATE_NOOP"}

_OBJECTS = {"window": "MainWindow"}
"""Objects that are asked to translate for others, and their class, which is the context."""

Text = tuple[str, str]
"""A context, and a text in it."""


def extract(folder: Path = SOURCES) -> dict[Text, bool]:
    """Return all texts of the sources, and whether each counts something.

    Raises:
        SystemExit: A text has no context that can be known from its syntax.
    """
    found: dict[Text, bool] = {}
    for path in sorted(folder.rglob("*.py")):
        module = ast.parse(path.read_text("utf-8"))
        _Finder(path, _helpers(module), found).visit(module)
    return dict(sorted(found.items()))


def _helpers(module: ast.Module) -> dict[str, str]:
    """Return the functions that translate their argument in one context, as `_tr` does."""
    found = {}
    for node in module.body:
        if not isinstance(node, ast.FunctionDef) or len(node.args.args) != 1:
            continue
        for call in (each for each in ast.walk(node) if isinstance(each, ast.Call)):
            if _name(call) == "translate" and isinstance(call.args[0], ast.Constant):
                given = call.args[1]
                if isinstance(given, ast.Name) and given.id == node.args.args[0].arg:
                    found[node.name] = str(call.args[0].value)
    return found


class _Finder(ast.NodeVisitor):
    def __init__(self, path: Path, helpers: dict[str, str], found: dict[Text, bool]) -> None:
        self._path = path
        self._helpers = helpers
        self._found = found
        self._classes: list[str] = []

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._classes.append(node.name)
        self.generic_visit(node)
        self._classes.pop()

    def visit_Call(self, node: ast.Call) -> None:
        name = _name(node)
        if name == "tr":
            self._add_own(node)
        elif name in self._helpers:
            self._add(self._helpers[name], node.args[0])
        elif name in _MARKS and len(node.args) > 1 and isinstance(node.args[0], ast.Constant):
            self._add(str(node.args[0].value), node.args[1])
        self.generic_visit(node)

    def _add_own(self, node: ast.Call) -> None:
        # `tr` alone is self.tr, under a shorter name.
        owner = node.func.value if isinstance(node.func, ast.Attribute) else ast.Name("self")
        if not isinstance(node.args[0], ast.Constant):
            return  # it looks a marked text up
        name = owner.id if isinstance(owner, ast.Name) else ""
        context = _OBJECTS.get(name) or (self._classes[-1] if name == "self" else "")
        if not context:
            raise SystemExit(
                f"{self._path}:{node.lineno}: the context of {node.args[0].value!r} depends on an "
                "object; use QCoreApplication.translate"
            )
        self._add(context, node.args[0], counts=len(node.args) > 1)

    def _add(self, context: str, text: ast.expr, *, counts: bool = False) -> None:
        if isinstance(text, ast.Constant) and text.value:
            self._found[context, str(text.value)] = counts


def _name(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def read(path: Path) -> dict[Text, tuple[str, ...]]:
    """Return the finished translations of a file; of a text that counts, one for each number."""
    if not path.exists():
        return {}
    found = {}
    for context in ElementTree.parse(path).getroot().iter("context"):
        for message in context.iter("message"):
            translation = message.find("translation")
            if translation is None or translation.get("type"):
                continue
            forms = [form.text or "" for form in translation.iter("numerusform")]
            key = context.findtext("name", ""), message.findtext("source", "")
            found[key] = tuple(forms or [translation.text or ""])
    return found


def render(language: str, texts: dict[Text, bool], known: dict[Text, tuple[str, ...]]) -> str:
    """Return the file of a language, as Qt Linguist reads it."""
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        "<!DOCTYPE TS>",
        f'<TS version="2.1" language="{language}" sourcelanguage="en">',
    ]
    before = None
    for (context, source), counts in texts.items():
        if context != before:
            lines += ["</context>"] * (before is not None)
            lines += ["<context>", f"    <name>{escape(context)}</name>"]
            before = context
        forms = known.get((context, source), ())
        numerus = ' numerus="yes"' if counts else ""
        lines += [f"    <message{numerus}>", f"        <source>{escape(source)}</source>"]
        unfinished = "" if all(forms) and len(forms) == 1 + counts else ' type="unfinished"'
        if counts:
            inner = "".join(f"<numerusform>{escape(form)}</numerusform>" for form in forms)
        else:
            inner = escape(forms[0]) if forms else ""
        lines += [f"        <translation{unfinished}>{inner}</translation>", "    </message>"]
    return "\n".join([*lines, "</context>", "</TS>", ""])


def _pack(path: Path, out: Path) -> None:
    tool = Path(PySide6.__path__[0]) / ("lrelease.exe" if sys.platform == "win32" else "lrelease")
    words = [tool, "-silent", "-nounfinished", path, "-qm", out]
    subprocess.run([str(word) for word in words], check=True)


def main() -> int:
    """Update or check every language."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    is_check = parser.parse_args().check
    texts, status = extract(), 0
    for path in sorted(FOLDER.glob("*.ts")):
        known = read(path)
        language = path.stem.rpartition("_")[2]
        new = render(language, texts, known)
        missing = [text for text in texts if text not in known]
        if is_check:
            with tempfile.TemporaryDirectory() as folder:
                packed = Path(folder) / "packed.qm"
                _pack(path, packed)
                is_old = path.read_text("utf-8") != new
                is_old |= path.with_suffix(".qm").read_bytes() != packed.read_bytes()
            if is_old:
                sys.stderr.write(f"{path.name} is not up to date: run make translations\n")
            status |= is_old
        else:
            path.write_text(new, encoding="utf-8", newline="\n")
            _pack(path, path.with_suffix(".qm"))
        for context, source in missing:
            sys.stderr.write(f"{path.name}: unfinished in {context}: {source!r}\n")
        sys.stderr.write(f"{path.name}: {len(texts) - len(missing)} of {len(texts)} texts\n")
        status |= bool(missing)
    return int(status)


if __name__ == "__main__":
    raise SystemExit(main())
