"""What dialogs are opened on: a controller of a real program, and a parent."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget

from tests.core.debugger.conftest import NETWORK


@pytest.fixture
def controller(opened):
    """The controller of a network after six iterations."""
    return opened(NETWORK, 6)


@pytest.fixture
def parent(qtbot):
    """A widget to open dialogs over."""
    widget = QWidget()
    qtbot.addWidget(widget)
    return widget
