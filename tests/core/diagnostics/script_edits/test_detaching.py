"""Where a changed script detaches tensors."""

from __future__ import annotations

import pytest

from gradstep.diagnostics.script_edits.named import Named
from tests.core.diagnostics.script_edits.loop_edits import LOOP, changed


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("total += loss  # Größe", "total += loss.detach()  # Größe"),
        ("self.total += loss", "self.total += loss.detach()"),
        ("total = total + loss", None),
        ("total += loss.item()", None),
        ("total += loss; count += 1", None),
    ],
)
def test_a_running_total_adds_the_number_alone(line, expected):
    code = f"{LOOP}    {line}\n"
    edit = changed("total-keeps-graphs", code, 4, named=Named(total="total", loss="loss"))
    assert edit == ([] if expected is None else [f"-    {line}", f"+    {expected}"])
    assert (
        changed(
            "total-keeps-graphs", code + f"    {line}\n", 4, named=Named(total="total", loss="loss")
        )
        == []
    )


CARRIED = """for x in data:
    out, hidden = model(x, hidden)
    criterion(out).backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("names", "code", "expected"),
    [
        (["hidden"], CARRIED, "+    hidden = hidden.detach()"),
        (
            ["hidden[0]", "hidden[1]"],
            CARRIED,
            "+    hidden = tuple(state.detach() for state in hidden)",
        ),
        (["hidden", "out"], CARRIED, "+    hidden, out = hidden.detach(), out.detach()"),
        (["model.h"], CARRIED, "+    model.h = model.h.detach()"),
        (["hidden"], CARRIED.replace("hidden = ", "other = "), None),
        (["hidden"], CARRIED.replace("criterion(out)", "hidden"), None),
        (["other.h"], CARRIED, None),
        (['hidden["a"]'], CARRIED, None),
        (["hidden"], "out, hidden = model(x, hidden)\n\nout.backward()\n", None),
        (
            ["hidden"],
            CARRIED.replace("criterion(out).backward()", "criterion(out).backward(inputs=w)"),
            "+    hidden = hidden.detach()",
        ),
        (
            ["hidden"],
            CARRIED.replace("backward()", "backward(retain_graph=True)") + "    b.backward()\n",
            "+    hidden = hidden.detach()",
        ),
    ],
)
def test_what_an_iteration_hands_on_is_detached_after_its_backward(names, code, expected):
    lines = changed("graph-carried", code, 3, named=Named(carried=tuple(names)))
    assert lines == ([] if expected is None else [expected])


def test_a_graph_that_nothing_goes_back_through_again_is_not_kept():
    code = CARRIED.replace("backward()", "backward(retain_graph=True)")
    lines = changed("graph-carried", code, 3, named=Named(carried=("hidden",)))
    assert [line[1:].strip() for line in lines] == [
        "criterion(out).backward(retain_graph=True)",
        "criterion(out).backward()",
        "hidden = hidden.detach()",
    ]
