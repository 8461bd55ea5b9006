"""A training loop, and the changes that are proposed for it."""

from __future__ import annotations

from gradstep.diagnostics.script_edits.named import Named
from gradstep.diagnostics.script_edits.proposed_edit import proposed_edit
from tests.patched import patched

LOOP = """for x, y in data:
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
"""


OPTIMIZER = Named(optimizers=("optimizer",))


def changed(finding, code, *numbers, named=OPTIMIZER):
    """Return the lines that a proposed edit removes and adds."""
    places = [f"train.py:{number}" for number in numbers]
    edit = proposed_edit(finding, named, places, {"train.py": code})
    return [line for line in edit.splitlines()[2:] if line[0] in "+-"]


def edited(finding, code, *numbers):
    """Return the script with the proposed edit."""
    places = [f"train.py:{number}" for number in numbers]
    return patched(code, proposed_edit(finding, OPTIMIZER, places, {"train.py": code}))


def without(text):
    return "".join(line for line in LOOP.splitlines(keepends=True) if text not in line)
