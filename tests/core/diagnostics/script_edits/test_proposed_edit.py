"""The remedy of a finding on a script, as a change of the script's own lines."""

from __future__ import annotations

from gradstep.diagnostics.script_edits.named import Named
from gradstep.diagnostics.script_edits.proposed_edit import proposed_edit
from tests.core.diagnostics.script_edits.loop_edits import LOOP, OPTIMIZER, changed, without


def test_an_edit_is_a_unified_diff():
    edit = proposed_edit(
        "grad-accumulated", OPTIMIZER, ["a.py:4", "a.py:3", "a.py:4"], {"a.py": without("zero")}
    )
    assert edit.splitlines() == [
        "--- a.py",
        "+++ a.py",
        "@@ -2,2 +2,3 @@",
        "     loss = criterion(model(x), y)",
        "+    optimizer.zero_grad()",
        "     loss.backward()",
    ]


def test_events_without_lines_and_other_findings_have_no_edit():
    assert proposed_edit("grad-accumulated", OPTIMIZER, ["", "a.py:3"], {"a.py": LOOP}) == ""
    assert proposed_edit("grad-accumulated", OPTIMIZER, [], {"a.py": LOOP}) == ""
    assert proposed_edit("grad-accumulated", Named(), ["a.py:2", "b.py:3"], {"a.py": LOOP}) == ""
    assert changed("non-finite", LOOP, 4) == []
