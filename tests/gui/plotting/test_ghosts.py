"""Curves of branches that are not current."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from PySide6.QtCore import Qt

from gradstep_gui.plotting.ghosts import MOST_CURVES, Ghosts
from gradstep_gui.plotting.style import branch_color
from gradstep_gui.theme import LIGHT


def ghost(name, length, *columns):
    points = np.arange(float(length))
    return SimpleNamespace(name=name, curves=dict.fromkeys(columns, (points, 2 * points)))


def test_a_branch_has_a_colour_and_each_of_its_curves_dashes():
    ghosts = Ghosts()
    ghosts.take({1: ghost("one", 3, "norm/w"), 4: ghost("four", 5, "norm/w", "norm/x")})
    entries = ghosts.entries(["norm/w", "norm/x"], LIGHT)
    assert [(key, name) for key, name, _, _ in entries] == [
        ("norm/w@1", "one"),
        ("norm/w@4", "four"),
        ("norm/x@4", "four"),
    ]
    styles = [style for _, _, style, _ in entries]
    dash, dot = Qt.PenStyle.DashLine, Qt.PenStyle.DotLine
    assert [style.dashes for style in styles] == [dash, dash, dot]
    assert [style.color for style in styles] == [
        branch_color(branch, LIGHT) for branch in (1, 4, 4)
    ]
    assert all(style.is_ghost for style in styles)
    assert LIGHT.curves[0] not in {branch_color(branch, LIGHT) for branch in range(-9, 20)}
    assert ghosts.last_iteration == 4.0
    assert [name for _, name, _, _ in ghosts.entries(["norm/x"], LIGHT)] == ["four"]


def test_of_very_many_curves_those_of_the_latest_branches_are_drawn():
    ghosts = Ghosts()
    columns = [f"norm/{number}" for number in range(MOST_CURVES // 2)]
    ghosts.take({branch: ghost(str(branch), 2, *columns) for branch in range(5)}, unread=7)
    assert {name for _, name, _, _ in ghosts.entries(columns, LIGHT)} == {"3", "4"}
    assert (ghosts.left_out(columns), ghosts.left_out(columns[:3]), ghosts.unread) == (3, 0, 7)
    many = [f"norm/{number}" for number in range(MOST_CURVES + 1)]
    assert ghosts.entries(many, LIGHT) == []
    assert ghosts.left_out(many) == 5
    assert ghosts.left_out(["loss/loss"]) == 0


def test_a_path_needs_both_columns():
    ghosts = Ghosts()
    ghosts.take({1: ghost("one", 3, "x", "y"), 2: ghost("two", 3, "x")})
    assert [(branch, len(x), len(y)) for branch, x, y in ghosts.pairs("x", "y")] == [(1, 3, 3)]
    ghosts.take({})
    assert (len(ghosts), ghosts.last_iteration) == (0, 0.0)
