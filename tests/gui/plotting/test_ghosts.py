"""Curves of branches that are not current."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from PySide6.QtCore import Qt

from gradstep_gui.plotting.ghosts import Ghosts
from gradstep_gui.plotting.style import style_of
from gradstep_gui.theme import LIGHT


def ghost(name, length, *columns):
    points = np.arange(float(length))
    return SimpleNamespace(name=name, curves=dict.fromkeys(columns, (points, 2 * points)))


def test_each_branch_has_a_dash_and_a_colour_of_its_own():
    ghosts = Ghosts()
    ghosts.take({1: ghost("one", 3, "loss/loss"), 4: ghost("four", 5, "loss/loss", "norm/x")})
    own = style_of(0, LIGHT)
    entries = ghosts.entries("loss/loss", own, LIGHT)
    assert [(key, name) for key, name, _, _ in entries] == [
        ("loss/loss@1", "one"),
        ("loss/loss@4", "four"),
    ]
    styles = [style for _, _, style, _ in entries]
    assert [style.dashes for style in styles] == [Qt.PenStyle.DashLine, Qt.PenStyle.DotLine]
    assert len({own.color, *(style.color for style in styles)}) == 3
    assert ghosts.last_iteration == 4.0
    assert [name for _, name, _, _ in ghosts.entries("norm/x", own, LIGHT)] == ["four"]


def test_beside_other_losses_a_ghost_has_the_colour_of_its_own():
    ghosts = Ghosts()
    ghosts.take({1: ghost("one", 3, "loss/a")})
    ((_, _, style, curve),) = ghosts.entries("loss/a", style_of(1, LIGHT), LIGHT, same_color=True)
    assert (style.color, style.is_ghost) == (style_of(1, LIGHT).color, True)
    assert curve.y.tolist() == [0.0, 2.0, 4.0]


def test_a_path_needs_both_columns():
    ghosts = Ghosts()
    ghosts.take({1: ghost("one", 3, "x", "y"), 2: ghost("two", 3, "x")})
    assert [(len(x), len(y)) for x, y in ghosts.pairs("x", "y")] == [(3, 3)]
    ghosts.take({})
    assert (len(ghosts), ghosts.last_iteration) == (0, 0.0)
