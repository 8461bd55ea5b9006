"""The epoch that a sampler is given."""

from __future__ import annotations

import pytest

from gradstep.diagnostics.script_edits.named import Named
from tests.core.diagnostics.script_edits.loop_edits import changed

CODE = """for epoch in range(9):
    for x, y in loader:
        optimizer.step()
"""
GIVEN = ["+    loader.sampler.set_epoch(epoch)"]


@pytest.mark.parametrize(
    ("code", "line", "added"),
    [
        (CODE, 3, GIVEN),
        (CODE.replace("loader", "tqdm(enumerate(loader))"), 3, GIVEN),
        (CODE.replace("range", "trange"), 3, GIVEN),
        (CODE.replace("range(9)", "phases"), 3, []),
        (CODE.replace("epoch in", "epoch, rate in"), 3, []),
        (CODE.replace("loader", "others"), 3, []),
        ("def train(epoch):\n    for x in loader:\n        optimizer.step()\n", 3, []),
        ("for epoch in range(9):\n    while x:\n        optimizer.step()\n", 3, []),
    ],
)
def test_a_sampler_is_given_the_epoch_before_the_loop_over_its_batches(code, line, added):
    assert changed("sampler-epoch-not-set", code, line, named=Named(loader="loader")) == added
