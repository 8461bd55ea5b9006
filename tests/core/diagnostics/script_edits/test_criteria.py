"""What a changed script computes last, and which criterion it gives that to."""

from __future__ import annotations

import pytest

from gradstep.diagnostics.script_edits.named import Named
from tests.core.diagnostics.script_edits.loop_edits import changed

TRAINING = """for x, y in data:
    loss = criterion(model(x), y)
    loss.backward()
"""
NET = """class Net(nn.Module):
    def __init__(self):
        self.fc = nn.Linear(4, 3)
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        x = self.fc(x)
{}

model = Net().to(device)
criterion = nn.CrossEntropyLoss()
"""
TWICE = "CrossEntropyLoss Softmax"


def proposed(code, fit=TWICE):
    """Return the lines that the change removes and adds; the Backward is in the last line."""
    last = len(code.splitlines())
    return changed("criterion-mismatch", code, last, named=Named(loss="loss", fit=fit))


@pytest.mark.parametrize(
    ("forward", "expected"),
    [
        ("return F.softmax(x, dim=1)", ["return x"]),
        ("return torch.softmax(x + 1, 1)", ["return (x + 1)"]),
        ("return x.softmax(-1)", ["return x"]),
        ("return nn.Softmax(dim=1)(x)", ["return x"]),
        ("return F.softmax(x, dim=1).squeeze(1)", ["return x.squeeze(1)"]),
        ("probs = F.softmax(x, dim=1)\n        return probs", ["probs = x"]),
        ("return self.fc(x)", []),
        ("return self.other(F.softmax(x, dim=1))", []),
    ],
)
def test_a_softmax_at_the_end_of_forward_is_dropped(forward, expected):
    lines = proposed(NET.format(f"        {forward}\n") + TRAINING)
    assert [line[1:].strip() for line in lines if line[0] == "+"] == expected


def test_a_layer_that_is_called_nowhere_else_is_dropped_with_its_call():
    code = NET.format("        x = self.softmax(x)\n        return x\n") + TRAINING
    dropped = ["-        self.softmax = nn.Softmax(dim=1)", "-        x = self.softmax(x)"]
    assert proposed(code) == dropped
    used = code.replace("        return x\n", "        self.softmax(x)\n        return x\n")
    assert "-        self.softmax = nn.Softmax(dim=1)" not in proposed(used)


@pytest.mark.parametrize(
    ("layers", "expected"),
    [
        ("(nn.Linear(4, 3), nn.Softmax(dim=1))", "+model = nn.Sequential(nn.Linear(4, 3))"),
        ("(\n    nn.Linear(4, 3),\n    nn.Softmax(dim=1),\n)", "-    nn.Softmax(dim=1),"),
        ("(\n    nn.Linear(4, 3),\n    nn.Softmax(dim=1)  # of each row\n)", "-    nn.Softmax(d"),
        ("(\n    nn.Linear(4, 3),\n    nn.Softmax(dim=1))", "+    nn.Linear(4, 3))"),
        ("(nn.Linear(4, 3),  # first\n    nn.Softmax(dim=1))", ""),
        ("(nn.Softmax(dim=1), nn.Linear(4, 3))", ""),
        ("(nn.Softmax(dim=1))", ""),
    ],
)
def test_a_softmax_at_the_end_of_a_sequence_is_dropped(layers, expected):
    code = f"model = nn.Sequential{layers}\ncriterion = nn.CrossEntropyLoss()\n{TRAINING}"
    lines = proposed(code)
    assert bool(lines) == bool(expected)
    assert not lines or lines[-1].startswith(expected)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("loss = F.cross_entropy(F.softmax(z, 1), y)", ["loss = F.cross_entropy(z, y)"]),
        ("loss = nn.CrossEntropyLoss()(z.softmax(1), y)", ["loss = nn.CrossEntropyLoss()(z, y)"]),
        ("p = F.softmax(z, 1)\n    loss = F.cross_entropy(p, y)", ["loss = F.cross_entropy(z, y)"]),
        ("z = F.softmax(z, 1)\n    loss = F.cross_entropy(z, y)", []),
        (
            "p = F.softmax(model(x), 1)\n    loss = F.cross_entropy(p, y)\n    n = p.argmax(1)",
            ["p = model(x)"],
        ),
    ],
)
def test_a_softmax_before_the_criterion_is_dropped(lines, expected):
    found = proposed(f"for x, y in data:\n    {lines}\n    loss.backward()\n")
    assert [line[1:].strip() for line in found if line[0] == "+"] == expected
    assert found


def test_a_softmax_whose_probabilities_are_used_stays():
    lines = "p = F.softmax(model(x), 1)\n    loss = F.cross_entropy(p, y)\n    n = p.sum()\n"
    assert not proposed(f"for x, y in data:\n    {lines}    loss.backward()\n")


def test_a_model_by_another_name_is_the_only_one_of_the_file():
    net = "class Net(nn.Module):\n    def forward(self, x):\n        return F.softmax(x, dim=1)\n\n"
    train = "def train(model, criterion):\n    loss = criterion(model(x), y)\n    loss.backward()\n"
    assert proposed(net + train)[-1] == "+        return x"
    assert not proposed(net + net.replace("Net", "Attention") + train)


def test_a_function_is_a_model_too():
    code = "def model(x):\n    return torch.softmax(x @ w, 1)\n\n" + TRAINING
    assert proposed(code)[-1] == "+    return (x @ w)"


@pytest.mark.parametrize(
    ("fit", "text", "expected"),
    [
        ("NLLLoss Linear", "F.nll_loss(z, y)", "F.cross_entropy(z, y)"),
        ("NLLLoss Linear", "nn.NLLLoss(weight=w)(z, y)", "nn.CrossEntropyLoss(weight=w)(z, y)"),
        ("NLLLoss Linear", "NLLLoss()(z, y)", ""),
        ("BCELoss Linear", "nn.BCELoss()(z, y)", "nn.BCEWithLogitsLoss()(z, y)"),
        ("NLLLoss Softmax", "F.nll_loss(F.softmax(z, 1), y)", "F.nll_loss(F.log_softmax(z, 1), y)"),
        ("NLLLoss Sigmoid", "F.nll_loss(torch.sigmoid(z), y)", ""),
        ("BCELoss ReLU", "nn.BCELoss()(torch.relu(z), y)", ""),
        ("MSELoss ReLU", "nn.MSELoss()(torch.relu(z), y)", "nn.MSELoss()(z, y)"),
    ],
)
def test_a_criterion_that_expects_what_the_last_layer_gives_takes_its_place(fit, text, expected):
    lines = proposed(f"for x, y in data:\n    loss = {text}\n    loss.backward()\n", fit)
    assert lines[1:] == ([f"+    loss = {expected}"] if expected else [])


def test_outputs_that_are_compared_with_a_half_stay_probabilities():
    code = (
        "model = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())\n"
        "criterion = nn.BCEWithLogitsLoss()\n"
        f"right = (model(x) > 0.5).sum()\n{TRAINING}"
    )
    fit = "BCEWithLogitsLoss Sigmoid"
    assert proposed(code, fit)[-1] == "+criterion = nn.BCELoss()"
    assert not proposed(code.replace("Loss()", "Loss(pos_weight=w)"), fit)
    assert not proposed(code.replace("BCEWithLogitsLoss", "BCELoss"), "BCELoss Linear")
    direct = code.replace("criterion(model(x), y)", "criterion(torch.sigmoid(z), y)")
    assert proposed(direct, fit)[-1] == "+    loss = criterion(z, y)"
