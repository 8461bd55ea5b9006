"""The packages: one version for everything, with its section in the changelog."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_latest_section_of_the_changelog_is_that_of_the_version():
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    sections = re.findall(r"^## \[(.*?)\](?: - (\d{4}-\d\d-\d\d))?$", text, re.MULTILINE)
    assert sections[0] == ("Unreleased", "")
    assert sections[1][0] == PROJECT["version"]
    dates = [date for _, date in sections[1:]]
    assert dates == sorted(dates, reverse=True)
    assert all(dates)


def test_the_version_is_written_in_no_source():
    sources = [
        path
        for folder in ("core", "gradstep_gui")
        for path in (ROOT / folder).rglob("*.py")
        if f'"{PROJECT["version"]}"' in path.read_text("utf-8")
    ]
    assert sources == []
