"""Breakpoints at lines follow their lines through an edit of the file."""

import pytest

from gradstep_gui.worker.moved_lines import moved_line

BEFORE = {"train.py": "zero()\nforward()\nbackward()\nstep()", "data.py": "load()"}
AFTER = {"train.py": "import this\nzero()\nbackward()\n\nstep()", "other.py": ""}


@pytest.mark.parametrize(
    ("line", "moved"),
    [
        ("train.py:1", "train.py:2"),
        ("train.py:2", "train.py:2"),  # it was removed
        ("train.py:3", "train.py:3"),
        ("train.py:4", "train.py:5"),
        ("data.py:1", "data.py:1"),  # not seen again yet
        ("", ""),
        ("forward", "forward"),
    ],
)
def test_a_line_is_found_again_after_an_edit(line, moved):
    assert moved_line(line, BEFORE, AFTER) == moved
