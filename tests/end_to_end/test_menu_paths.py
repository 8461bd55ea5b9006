"""Every menu entry that a text names is in the menus, under that name."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        ROOT / "README.md",
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "resources").glob("*/*.md"),
        *(ROOT / "resources" / "help").glob("*.json"),
    ]
)
PROGRAMS = sorted(
    path
    for path in (ROOT / "resources" / "scenarios").glob("*.json")
    if not path.name.endswith(".lesson.json")
)
ENTRY = re.compile(
    r"\*((?:File|Edit|View|Debug|Break|Experiment|Lessons|Help)(?: > (?:[^*>\\]|\\.)+)+)"
)


def plain(text):
    return re.sub(r"[&…\\]", "", text).split("\t")[0].strip()


def entries(menu, above=()):
    """Yield the path of each entry of a menu and of its submenus."""
    menu.aboutToShow.emit()
    for action in menu.actions():
        path = (*above, plain(action.text()))
        yield path
        if action.menu() is not None:
            yield from entries(action.menu(), path)


def paths(window):
    return {
        path
        for action in window.menuBar().actions()
        for path in entries(action.menu(), (plain(action.text()),))
    }


def texts_of(document):
    """Yield every text in a JSON document."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict | list):
        for part in document.values() if isinstance(document, dict) else document:
            yield from texts_of(part)


def named_in(*files):
    """Return the path of every entry that files name, by the file's name and the words there."""
    named = {}
    for file in files:
        text = file.read_text("utf-8")
        parts = texts_of(json.loads(text)) if file.suffix == ".json" else [text]
        for entry in ENTRY.findall("\n".join(parts)):
            named[file.name, entry] = tuple(plain(part) for part in entry.split(" > "))
    return named


NAMED_BY_LESSONS = {
    program.stem: named
    for program in PROGRAMS
    if (named := named_in(program, program.with_suffix(".lesson.json")))
}


def missing(named, window):
    known = paths(window)
    return [where for where, path in named.items() if path not in known]


def test_every_menu_entry_that_a_page_names_exists(driver):
    driver.open_scenario("16_frozen_and_moving")
    named = named_in(*PAGES)
    assert len(named) > 10
    assert not missing(named, driver.window)


@pytest.mark.parametrize("program", NAMED_BY_LESSONS)
def test_every_menu_entry_that_a_lesson_names_exists_with_its_program(driver, program):
    driver.open_scenario(program)
    assert not missing(NAMED_BY_LESSONS[program], driver.window)


def test_lessons_name_menu_entries():
    assert sum(map(len, NAMED_BY_LESSONS.values())) > 10
