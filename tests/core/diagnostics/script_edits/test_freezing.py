"""Which line of a script freezes a module."""

from __future__ import annotations

import pytest

from gradstep.diagnostics.script_edits.freezing import freezing_line

LOOP = "for p in net.parameters():\n    p.requires_grad = False\n"


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (LOOP, "train.py:2"),
        ("if epoch == 5:\n    net.requires_grad_(False)\n", "train.py:2"),
        (LOOP.replace("net", "self.net"), "train.py:2"),
        (LOOP.replace("p in net.p", "name, p in net.named_p"), "train.py:2"),
        (LOOP.replace("net", "other"), ""),
        (LOOP.replace("False", "is_trained"), ""),
        (LOOP + LOOP.replace("False", "True"), ""),
        (LOOP + LOOP, ""),
        ("", ""),
    ],
)
def test_the_one_line_that_freezes_a_module_is_found(code, line):
    assert freezing_line({"train.py": code}, "net") == line
