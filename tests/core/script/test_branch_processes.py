"""A copy of a script's process has to do again what the tape says."""

from __future__ import annotations

import pytest
from msgspec import structs

from gradstep.errors import DivergedError
from gradstep.program.operation import Forward, Step
from gradstep.script.branch_processes import _Replay
from gradstep.script.tape import ScriptRun, Tape, TapeRow

FORWARD = TapeRow(Forward("loss", at="a.py:1"), ("w",), ("loss",), loss=1.5, graph=0)
STEP = TapeRow(Step(at="a.py:2"), ("w", "w.grad"), ("w",), loss=1.5)


def is_again(row, **changes):
    """Return whether a row is taken for the same Event with other values of some fields."""
    tape = Tape(ScriptRun("a.py"))
    replay = _Replay([row], tape)
    tape.rows.append(structs.replace(row, **changes))
    try:
        replay.check()
    except DivergedError:
        return False
    return True


@pytest.mark.parametrize(
    "changes", [{}, {"loss": None}, {"graph": 1}, {"graph": 1, "reads": ("w", "v")}]
)
def test_less_may_be_known_of_a_forward_where_the_script_was_not_held(changes):
    assert is_again(FORWARD, **changes)


@pytest.mark.parametrize(
    ("row", "changes"),
    [
        (FORWARD, {"loss": 1.25}),
        (FORWARD, {"reads": ("w", "v")}),
        (FORWARD, {"writes": ("other",)}),
        (FORWARD, {"iteration": 1}),
        (STEP, {"loss": None}),
        (STEP, {"reads": ("w",)}),
        (STEP, {"graph": 1}),
        (STEP, {"options": {"optimizer": [{"lr": 0.1}]}}),
    ],
)
def test_anything_else_is_another_event(row, changes):
    assert not is_again(row, **changes)
