"""What tests of the core and of the window share."""

from __future__ import annotations

import gc

import pytest


@pytest.fixture
def no_collector():
    """Do not collect reference cycles."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()
