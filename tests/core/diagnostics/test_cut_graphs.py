"""What of a script's text cuts the graph between its parameters and its loss."""

from __future__ import annotations

import pytest

from gradstep.diagnostics.cut_graphs import lines_of_loss
from gradstep.diagnostics.tables.graph_cuts import CALLS_THAT_CUT

LOOP = """import torch
data = torch.tensor(read())
for x, y in zip(data, load().numpy()):
    print(loss.item())
    out = model(x)
    {}
    loss.backward()
"""


def cut(code):
    """Return the one line that cuts the graph of the loss, and what does it there."""
    line = 1 + next(at for at, text in enumerate(code.splitlines()) if "backward(" in text)
    found = lines_of_loss({"a.py": code}, f"a.py:{line}").cut
    return None if found is None else (int(found.place.removeprefix("a.py:")), found.call)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("loss = f(out, y)", None),
        ("loss = f(out, y).item()", "item()"),
        ("loss = f(out, y).data; loss.requires_grad = True", ".data"),
        ("loss = f(out.detach(), y)", "detach()"),
        ("loss = f(torch.argmax(out, 1), y)", "argmax()"),
        ("loss = torch.tensor(model(x).detach().numpy(), requires_grad=True)", "numpy()"),
        ("loss = torch.tensor([f(o, y) for o in out], requires_grad=True).sum()",
         "torch.tensor(...)"),
        ("loss = f(out.max(1)[1], y)", "max(...)[1]"),
        ("loss = f(torch.max(out, dim=1).indices, y)", "max(...)[1]"),
        ("_, found = torch.max(out, 1); loss = f(found, y)", "max(...)[1]"),
        ("best, found = torch.max(out, 1); loss = f(best, y)", None),
        ("loss = f(out.max(1)[0], y[1])", None),
        ("loss = f(out, torch.tensor(y))", None),  # data
        ("loss = f(out, x.data)", None),
        ("unused = out.item(); loss = f(out, y)", None),
        ("with torch.no_grad(): loss = f(out, y)", "no_grad()"),
    ],
)  # fmt: skip
def test_the_line_that_cuts_the_graph_of_a_loss_is_found(line, expected):
    assert cut(LOOP.format(line)) == (None if expected is None else (6, expected))


def test_of_several_lines_the_one_that_makes_a_leaf_is_named_and_else_none():
    lines = "out = out.detach()\n    kept = out.item()\n    loss = {}"
    assert cut(LOOP.format(lines.format("f(out, kept)"))) is None
    leaf = "torch.tensor(kept, requires_grad=True)"
    assert cut(LOOP.format(lines.format(leaf))) == (8, "torch.tensor(...)")


FUNCTIONS = """class Loss(nn.Module):
    def forward(self, a, b):
        return a - b.detach()

def distance(a, b):
    return (a - b).data

class Trainer:
    def loss_of(self, out):
        self.total = out.item()
        return self.total

    def run(self, batch, criterion):
        out = self.model(batch)
        loss = {}
        self.scaler.scale(loss).backward()
        log(loss.item())

    def __init__(self):
        self.total = 1

crit = Loss()
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("criterion(out)", None),
        ("crit(batch, out)", (3, "detach()")),
        ("distance(out, batch)", (6, ".data")),
        ("self.loss_of(out)", (10, "item()")),
        ("torch.stack([loss for loss in out])", None),
    ],
)
def test_functions_and_modules_of_the_file_are_followed(line, expected):
    assert cut(FUNCTIONS.format(line)) == expected


def test_the_lines_of_a_loss_are_known_where_its_file_is():
    code = LOOP.format("loss = f(out, y)")
    places = lines_of_loss({"a.py": code}, "a.py:7").places
    assert places == {f"a.py:{line}" for line in (5, 6, 7)}
    assert lines_of_loss({}, "a.py:7").places == frozenset()
    assert lines_of_loss({"a.py": code}, "a.py:2").places == frozenset()


def test_the_list_of_what_cuts_a_graph_is_a_clause():
    assert CALLS_THAT_CUT == (
        "item(), torch.tensor(...), .data, detach(), numpy(), argmax(), max(...)[1], or no_grad()"
    )


@pytest.mark.parametrize(
    ("line", "is_in_place"),
    [
        ("out += 1; loss = f(out)", True),
        ("out[0] = 1; loss = f(out)", True),
        ("out.relu_(); loss = f(out)", True),
        ("out = out + 1; loss = f(out)", False),
        ("seen += 1; loss = f(out)", False),
    ],
)
def test_the_line_that_changes_a_tensor_of_a_loss_in_place_is_found(line, is_in_place):
    first, _, second = line.partition("; ")
    code = LOOP.format(f"{first}\n    {second}")
    assert lines_of_loss({"a.py": code}, "a.py:8").in_place == ("a.py:6" if is_in_place else "")
    code = code.replace("out = model(x)", "out = model(x)\n    out *= 2")
    assert lines_of_loss({"a.py": code}, "a.py:9").in_place == ("" if is_in_place else "a.py:6")
