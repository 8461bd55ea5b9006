"""What all tests share: no deadlines, and a switch for the garbage collector."""

from __future__ import annotations

import gc

import hypothesis
import pytest

# An example may take any time: on a loaded machine, Hypothesis' 200 ms are soon over. The parent is
# the profile of the place, which on CI makes examples the same in every run.
hypothesis.settings.register_profile(
    "no-deadlines",
    parent=hypothesis.settings.get_profile(hypothesis.settings.get_current_profile_name()),
    deadline=None,
)
hypothesis.settings.load_profile("no-deadlines")


@pytest.fixture
def no_collector():
    """Do not collect reference cycles."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()
