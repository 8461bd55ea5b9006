"""Every menu entry that a text names is in the menus, under that name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "resources").glob("*/*.md")])
ENTRY = re.compile(r"\*((?:File|Edit|View|Debug|Break|Experiment|Help)(?: > [^*>\\]+)+)")


def plain(text):
    return re.sub("[&…]", "", text).split("\t")[0].strip()


def entries(menu, above=()):
    """Yield the path of each entry of a menu and of its submenus."""
    menu.aboutToShow.emit()
    for action in menu.actions():
        path = (*above, plain(action.text()))
        yield path
        if action.menu() is not None:
            yield from entries(action.menu(), path)


@pytest.fixture
def paths(driver):
    driver.open_scenario("16_frozen_and_moving")
    bar = driver.window.menuBar()
    return {
        path for action in bar.actions() for path in entries(action.menu(), (plain(action.text()),))
    }


def test_every_menu_entry_that_a_text_names_exists(paths):
    named = {
        (page.name, entry): tuple(plain(part) for part in entry.split(" > ") if part.strip())
        for page in PAGES
        for entry in ENTRY.findall(page.read_text("utf-8"))
    }
    assert len(named) > 10
    missing = [where for where, path in named.items() if path not in paths]
    assert not missing, missing
