"""In which shape a changed script compares a target."""

from __future__ import annotations

import pytest

from gradstep.diagnostics.script_edits.named import Named
from tests.core.diagnostics.script_edits.loop_edits import changed


@pytest.mark.parametrize(
    ("line", "expanded", "expected"),
    [
        ("criterion(pred, y)", "[8, 1]", "criterion(pred, y.reshape(-1, 1))"),
        ("criterion(pred, y, reduction='sum')", "[8]", "criterion(pred, y.squeeze(1), redu"),
        ("((y - pred) ** 2).mean()", "[8, 1]", "((y.reshape(-1, 1) - pred) ** 2).mean()"),
        ("criterion(model(x), y)", "[8, 1]", "criterion(model(x), y.reshape(-1, 1))"),
        ("criterion(pred, y)", "[1, 8]", None),
        ("criterion(pred, z)", "[8, 1]", "criterion(pred, z.reshape(-1, 1))"),
        ("(pred - z).square().mean()", "[8, 1]", None),
        ("criterion(pred, y) + criterion(pred, w)", "[8, 1]", None),
        ("criterion(pred, y[:8])", "[8, 1]", None),
        ("criterion(pred, y.float())", "[8, 1]", None),
    ],
)
def test_a_target_gets_the_shape_of_the_output_it_is_compared_with(line, expanded, expected):
    code = f"for x, y in data:\n    z = y.float()\n    pred = model(x)\n    loss = {line}\n"
    named = Named(loss="loss", expanded=f"from {expanded} to [8, 8]")
    added = [one for one in changed("broadcast-loss", code, 3, named=named) if one[0] == "+"]
    assert len(added) == (expected is not None)
    assert all(one.startswith(f"+    loss = {expected}") for one in added)
