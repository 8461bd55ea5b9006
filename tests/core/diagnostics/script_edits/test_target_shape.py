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
        ("criterion(pred, y[:8])", "[8, 1]", "criterion(pred, y[:8].reshape(-1, 1))"),
        ("criterion(pred, y.float())", "[8, 1]", "criterion(pred, y.float().reshape(-1, 1))"),
        (
            "criterion(model(s[i:i + 8]), y[i:i + 8])",
            "[8]",
            "criterion(model(s[i:i + 8]), y[i:i + 8].squeeze(1))",
        ),
        (
            "criterion(model(x), batch['größe'])",
            "[8]",
            "criterion(model(x), batch['größe'].squeeze(1))",
        ),
        ("criterion(pred, r + 0.9 * y)", "[8, 1]", "criterion(pred, (r + 0.9 * y).reshape(-1, 1))"),
        (
            "criterion(pred, r + 0.9 * (1 - y))",
            "[8, 1]",
            "criterion(pred, (r + 0.9 * (1 - y)).reshape(-1, 1))",
        ),
        (
            "(r + 0.9 * y - pred).abs().mean()",
            "[8, 1]",
            "((r + 0.9 * y).reshape(-1, 1) - pred).abs().mean()",
        ),
        ("(y - model(x)).abs().mean()", "[8]", "(y.squeeze(1) - model(x)).abs().mean()"),
        ("((pred - mean) / std - y).square().mean()", "[8, 1]", None),
        (
            "-(y * torch.log(pred) + (1 - y) * torch.log(1 - pred)).mean()",
            "[8, 1]",
            "-(y.reshape(-1, 1) * torch.log(pred) + (1 - y.reshape(-1, 1)) * torch.log(1 - pred))",
        ),
        (
            "(-y[:8] * pred.log() - (1.0 - y[:8]) * (1 - pred).log()).sum()",
            "[8]",
            "(-y[:8].squeeze(1) * pred.log() - (1.0 - y[:8].squeeze(1)) * (1 - pred).log()).sum()",
        ),
        (
            "(y * pred + (1 - y) * (1 - pred)).log().mean()",
            "[8, 1]",
            "(y.reshape(-1, 1) * pred + (1 - y.reshape(-1, 1)) * (1 - pred)).log().mean()",
        ),
        ("-(y * pred.log()).mean()", "[8, 1]", None),
        ("(y * w + (1 - w) * (1 - y)).log().mean()", "[8, 1]", None),
        ("criterion(y.float(), pred)", "[8, 1]", None),
        ("criterion(y[:8], model(x))", "[8, 1]", None),
        ("criterion(pred, model(y))", "[8, 1]", None),
        ("criterion(pred, r + model(y))", "[8, 1]", None),
        ("criterion(pred, torch.cat(y))", "[8, 1]", None),
    ],
)
def test_a_target_gets_the_shape_of_the_output_it_is_compared_with(line, expanded, expected):
    code = f"for x, y in data:\n    z = y.float()\n    pred = model(x)\n    loss = {line}\n"
    named = Named(loss="loss", expanded=f"from {expanded} to [8, 8]")
    added = [one for one in changed("broadcast-loss", code, 3, named=named) if one[0] == "+"]
    assert len(added) == (expected is not None)
    assert all(one.startswith(f"+    loss = {expected}") for one in added)


def test_labels_of_a_likelihood_are_changed_in_each_of_its_lines():
    code = """for x, y in data:
    p = torch.sigmoid(model(x))
    likelihood = (
        y * torch.log(p)
        + (1 - y) * torch.log(1 - p)
    )
    loss = -likelihood.mean()
"""
    named = Named(loss="loss", expanded="from [8, 1] to [8, 8]")
    assert changed("broadcast-loss", code, 2, named=named) == [
        "-        y * torch.log(p)",
        "-        + (1 - y) * torch.log(1 - p)",
        "+        y.reshape(-1, 1) * torch.log(p)",
        "+        + (1 - y.reshape(-1, 1)) * torch.log(1 - p)",
    ]
