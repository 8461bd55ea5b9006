"""Which text is a script, in which lines its statements stand, and how one is called."""

from __future__ import annotations

import pytest

from tests.core.diagnostics.script_edits.loop_edits import LOOP, changed, edited, without


@pytest.mark.parametrize(
    ("finding", "method", "cited"),
    [
        ("grad-accumulated", "zero_grad", (5, 4, 5)),
        ("step-missing", "step", (4, 4, 2)),
    ],
)
def test_a_method_that_is_only_named_is_called(finding, method, cited):
    code = LOOP.replace(f".{method}()", f".{method}")
    assert edited(finding, code, *cited) == LOOP
    shared = code.replace(f"    optimizer.{method}\n", f"    optimizer.{method}; n = 1\n")
    assert f"optimizer.{method}()" not in shared
    assert changed(finding, shared, *cited) != []


@pytest.mark.parametrize(
    "code", ["for x in data:\n  optimizer.step(\n", "\0", "(" * 100_000, "a = 1\n" * 10]
)
def test_a_text_that_is_no_script_has_no_edit(code):
    assert changed("grad-accumulated", code, 2, 1, 2) == []


def test_line_ends_and_form_feeds_do_not_shift_lines():
    code = without("zero_grad").replace("\n", "\r\n").replace("for", "# \f\r\nfor")
    assert changed("grad-accumulated", code, 5, 4, 5) == ["+    optimizer.zero_grad()"]
