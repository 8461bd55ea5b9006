"""Where a changed script makes optimizers and schedulers."""

from __future__ import annotations

import pytest

from gradstep.diagnostics.script_edits.named import Named
from gradstep.diagnostics.script_edits.optimizers import late_assignment
from tests.core.diagnostics.script_edits.loop_edits import changed

REMADE = """for epoch in range(3):
    for x, y in data:
        optimizer = Adam(model.parameters(), lr=lr)
        criterion(model(x), y).backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("old", "new", "indent"),
    [
        ("x, y", "x, y", ""),
        ("    for x", "    model = Net()\n    for x", "    "),
        ("    for x", "    model.head = Head()\n    for x", "    "),
        ("        optimizer =", "        lr = 0.1\n        optimizer =", None),
        ("for epoch", "optimizer = None\nfor epoch", None),
        ("= Adam(model.parameters(), lr=lr)", "= first", None),
        ("        optimizer =", "        if x:\n          optimizer =", None),
    ],
)
def test_an_optimizer_is_made_before_the_loops_that_set_nothing_that_it_needs(old, new, indent):
    code = REMADE.replace(old, new, 1)
    step = next(n for n, line in enumerate(code.splitlines(), 1) if ".step(" in line)
    made = "optimizer = Adam(model.parameters(), lr=lr)"
    expected = [] if indent is None else [f"+{indent}{made}", f"-        {made}"]
    assert changed("optimizer-rebuilt", code, step) == expected


SCHEDULED = """opt = SGD(model.parameters(), lr=0.1)
sched = StepLR(opt, 10)
opt = Adam(model.parameters())
for x in data:
    opt.step()
    sched.step()
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (SCHEDULED, ["+opt = Adam(model.parameters())", "-opt = Adam(model.parameters())"]),
        (
            SCHEDULED.replace("opt = SGD", "old = SGD").replace("(opt, ", "(old, "),
            [],  # it is not made yet
        ),
        (
            "old = SGD(params)\nopt = SGD(params)\nsched = StepLR(old, 10)\nopt.step()\n",
            ["-sched = StepLR(old, 10)", "+sched = StepLR(opt, 10)"],
        ),
        (SCHEDULED.replace("sched = ", "one, sched = 1, "), []),
        (SCHEDULED.replace("opt = Adam", "other = Adam"), []),
        (SCHEDULED.replace("sched = StepLR(opt, 10)", "sched = StepLR(opt,\n10)"), []),
    ],
)
def test_a_scheduler_is_made_for_the_optimizer_that_steps(code, expected):
    named = Named(scheduler="sched", optimizer="opt")
    step = next(at for at, line in enumerate(code.splitlines(), 1) if "opt.step()" in line)
    assert changed("scheduler-of-idle-optimizer", code, step, named=named) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("model.parameters(), lr=0.1", "[*model.parameters(), *criterion.parameters()], lr=0.1"),
        ("params=model.parameters()", "params=[*model.parameters(), *criterion.parameters()]"),
        ("list(model.parameters())", "[*list(model.parameters()), *criterion.parameters()]"),
        ("chain(a.parameters())", "[*chain(a.parameters()), *criterion.parameters()]"),
        ("[*a.parameters(),]", "[*a.parameters(), *criterion.parameters()]"),
        (
            '[{"params": model.parameters()}], lr=0.1',
            '[{"params": model.parameters()}, {"params": criterion.parameters()}], lr=0.1',
        ),
        ("groups, lr=0.1", None),  # of parameters, or of groups
        ("groups_of(model)", None),
        ("[\n*a.parameters()]", None),
    ],
)
def test_an_optimizer_is_given_the_parameters_of_a_module_as_well(given, expected):
    code = f"criterion = Loss()\nopt = SGD({given})\nopt.step()\n"
    named = Named(modules=("criterion",), optimizer="opt")
    lines = [f"-opt = SGD({given})", f"+opt = SGD({expected})"] if expected else []
    assert changed("parameters-left-out", code, code.count("\n"), named=named) == lines


@pytest.mark.parametrize(
    ("code", "added"),
    [
        (
            "self.loss = Loss()\nself.opt = SGD(self.net.parameters())\nself.opt.step()",
            "+self.opt = SGD([*self.net.parameters(), *self.loss.parameters()])",
        ),
        ("self.opt = SGD(net.parameters())\nself.loss = Loss()\nself.opt.step()", None),
        ("def fit(loss):\n  opt = SGD(net.parameters())\n  opt.step()\nloss = Loss()", None),
        ("loss = Loss()\nopt = SGD(a.parameters())\nopt = SGD(b.parameters())", None),
        ("loss = Loss()\nopt = first\nopt.step()", None),
    ],
)
def test_only_a_module_that_was_made_before_is_passed_to_the_one_optimizer(code, added):
    named = Named(modules=("trainer.loss" if "self" in code else "loss",), optimizer="opt")
    lines = changed("parameters-left-out", code, 3, named=named)
    assert [line for line in lines if line.startswith("+")] == ([added] if added else [])


def test_a_part_of_a_module_is_passed_by_its_path():
    code = "net = Net()\nopt = SGD(net.decoder.parameters())\nopt.step()\n"
    named = Named(modules=("net.encoder",), optimizer="opt")
    assert changed("parameters-left-out", code, 3, named=named)[-1] == (
        "+opt = SGD([*net.decoder.parameters(), *net.encoder.parameters()])"
    )
    code = code.replace("net.decoder", "net")  # it was given all that there were
    assert changed("parameters-left-out", code, 3, named=named) == []


REPLACED = """opt = SGD(net.parameters())
net.head = Linear(8, 2)
for x, y in data:
    f(x, y).backward()
    opt.step()
"""
FOLDS = """opt = SGD(
    net.parameters(),
)
for fold in folds:
    net = Net()
    f(net, fold).backward()
    opt.step()
"""


@pytest.mark.parametrize("finding", ["optimizer-stale", "parameters-left-out"])
def test_an_optimizer_is_made_after_the_layers_that_it_is_to_hold(finding):
    named = Named(unheld=("net.head.weight", "net.head.bias"), optimizer="opt")
    lines = changed(finding, REPLACED, 4, 5, named=named)
    assert lines == ["+net.head = Linear(8, 2)", "-net.head = Linear(8, 2)"]  # around it
    code = REPLACED.replace("net.head =", "schedule = StepLR(opt, 3)\nnet.head =")
    assert changed(finding, code, 5, 6, named=named) == []
    code = REPLACED.replace("net.head =", "net.body =")
    assert changed(finding, code, 4, 5, named=named) == []


def test_an_optimizer_is_made_after_the_model_of_each_fold():
    named = Named(unheld=("net.0.weight (2)",), optimizer="opt")
    assert changed("optimizer-stale", FOLDS, 6, 7, named=named) == [
        *("-opt = SGD(", "-    net.parameters(),", "-)"),
        *("+    opt = SGD(", "+        net.parameters(),", "+    )"),
    ]
    code = FOLDS.replace("    net = Net()", "    if fold:\n        net = Net()")
    assert changed("optimizer-stale", code, 7, 8, named=named) == []


def test_what_is_assigned_after_an_optimizer_is_found_by_its_path():
    files = {"train.py": REPLACED.replace("net.head", "net[2]")}
    assert late_assignment(files, "opt", ["net.2.weight"]) == ("net[2]", "train.py:2")
    assert late_assignment(files, "opt", ["net.2.weight", "net.0.weight"]) is None
    assert late_assignment(files, "other", ["net.2.weight"]) is None
