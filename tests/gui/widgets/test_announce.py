"""What a screen reader is told, when one listens."""

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget

from gradstep_gui.widgets.announce import announce

Politeness = QAccessible.AnnouncementPoliteness


@pytest.fixture
def said(monkeypatch):
    told = []
    keep = lambda event: told.append((event.message(), event.politeness()))  # noqa: E731 - a stand-in
    monkeypatch.setattr(QAccessible, "updateAccessibility", keep)
    return told


@pytest.fixture
def widget(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    return widget


def test_whoever_listens_is_told_and_interrupted_by_what_is_urgent(said, widget, monkeypatch):
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    announce(widget, "Event 3")
    announce(widget, "")
    announce(widget, "Could not save", urgent=True)
    assert said == [("Event 3", Politeness.Polite), ("Could not save", Politeness.Assertive)]


def test_nothing_is_told_while_nobody_listens(said, widget, monkeypatch):
    monkeypatch.setattr(QAccessible, "isActive", lambda: False)
    announce(widget, "Event 3")
    assert said == []
