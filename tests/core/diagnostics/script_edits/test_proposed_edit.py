"""The remedy of a finding on a script, as a change of the script's own lines."""

from __future__ import annotations

import pytest

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


def test_gradients_that_add_up_are_cleared_after_the_step():
    code = without("zero_grad")
    assert changed("grad-accumulated", code, 4, 3, 4) == ["+    optimizer.zero_grad()"]


def test_an_edit_is_a_unified_diff():
    edit = proposed_edit(
        "grad-accumulated", OPTIMIZER, ["a.py:4", "a.py:3", "a.py:4"], {"a.py": without("zero")}
    )
    assert edit.splitlines() == [
        "--- a.py",
        "+++ a.py",
        "@@ -4 +4,2 @@",
        "     optimizer.step()",
        "+    optimizer.zero_grad()",
    ]


@pytest.mark.parametrize(
    ("step", "names", "expected"),
    [
        ("self.optimizer.step()", ["self.optimizer"], "self.optimizer.zero_grad()"),
        ("self.optimizer.step()", ["trainer.optimizer"], "self.optimizer.zero_grad()"),
        ("scaler.step(optimizer)", ["optimizer"], "optimizer.zero_grad()"),
        ("print(opt.step(lambda: 1))", ["opt"], "opt.zero_grad()"),
        ("model.step()", ["optimizer"], None),
        ("optimizers[0].step()", ["optimizer"], None),
        ("optimizers[0].step()", ["optimizers[1]"], None),
        ("optimizers[0].step()", ["optimizers[0]"], "optimizers[0].zero_grad()"),
        ("self.opts['g'].step()", ['opts["g"]'], "self.opts['g'].zero_grad()"),
        ("scaler.step(opts['g'])", ['opts["g"]'], "opts['g'].zero_grad()"),
        ("update(optimizer)", ["optimizer"], None),
        ("a.step(), b.step()", ["a", "b"], None),
        ("optimizer.step(); count += 1", ["optimizer"], None),
        ("if ready: optimizer.step()", ["optimizer"], None),
    ],
)
def test_the_optimizer_is_named_as_the_step_names_it(step, names, expected):
    code = without("zero_grad").replace("optimizer.step()", step)
    edit = changed("grad-accumulated", code, 4, 3, 4, named=Named(tuple(names)))
    assert edit == ([] if expected is None else [f"+    {expected}"])


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("for opt in opts:", ["+        opt.zero_grad()"]),
        ("for opt in self.opts:", ["+        opt.zero_grad()"]),
        ("for i, opt in enumerate(opts):", ["+        opt.zero_grad()"]),
        ("for model, opt in zip(models, opts):", ["+        opt.zero_grad()"]),
        ("for opt in opts.values():", ["+        opt.zero_grad()"]),
        ("for name, opt in self.opts.items():", ["+        opt.zero_grad()"]),
        ("for opt in others:", []),
        ("for opt in others.values():", []),
        ("while opt := opts.pop():", []),
    ],
)
def test_the_optimizers_of_a_list_are_named_as_their_loop_names_them(loop, expected):
    code = f"for x in data:\n    {loop}\n        loss(x).backward()\n        opt.step()\n"
    named = Named(("opts[0]", 'opts["g"]'))
    assert changed("grad-accumulated", code, 4, 3, 4, named=named) == expected


def test_a_zero_grad_between_backward_and_step_moves_after_the_step():
    code = without("zero_grad").replace("loss.backward()\n", "loss.backward()\n    o.zero_grad()\n")
    assert edited("grad-discarded", code, 3, 4, 5) == without("zero_grad") + "    o.zero_grad()\n"


def test_a_zero_grad_in_another_block_than_the_step_stays():
    code = without("zero_grad").replace(
        "    optimizer.step()", "    o.zero_grad()\n    if ready:\n        optimizer.step()"
    )
    assert changed("grad-discarded", code, 3, 4, 6) == []


def test_a_missing_step_follows_the_backward():
    assert changed("step-missing", without("step()"), 4, 4, 2) == ["+    optimizer.step()"]


def test_a_missing_step_follows_the_clippings_after_the_backward():
    clipping = "    nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
    code = without("step()") + clipping + "    losses.append(loss.item())\n"
    stepped = without("step()") + clipping + "    optimizer.step()\n"
    assert edited("step-missing", code, 4, 4, 2) == stepped + "    losses.append(loss.item())\n"
    late = "for x in data:\n    f(x).backward()\n    optimizer.zero_grad()\n" + clipping
    assert edited("step-missing", late, 2, 2, 3).splitlines()[2] == "    optimizer.step()"


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


def test_a_zero_grad_that_is_named_between_backward_and_step_is_not_called_there():
    code = without("zero_grad").replace(
        "    optimizer.step()", "    optimizer.zero_grad\n    optimizer.step()"
    )
    assert changed("grad-accumulated", code, 5, 3, 5) == ["+    optimizer.zero_grad()"]


MODES = """def train():
    model.train
    for x, y in data:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()


def validate():
    model.eval()
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MODES, ["-    model.train", "+    model.train()"]),
        (MODES.replace("step()\n", "step()\n        validate()\n"), []),
        (MODES.replace("model.train\n", "other.train\n"), ["+        model.train()"]),
    ],
)
def test_a_training_mode_that_is_only_named_is_called_where_it_holds(text, expected):
    evaluation = text.splitlines().index("    model.eval()") + 1
    cited = (evaluation, 5, 5, 6)
    assert changed("mode-left-eval", text, *cited, named=Named(modules=("model",))) == expected


def test_no_step_is_added_where_a_module_was_cleared_or_in_another_function():
    code = without("step()").replace("optimizer.zero_grad", "model.zero_grad")
    assert changed("step-missing", code, 4, 4, 2) == []
    code = "def clear():\n    optimizer.zero_grad()\n\nclear()\nloss.backward()\n"
    assert changed("step-missing", code, 5, 5, 2) == []


def test_a_clipping_moves_between_backward_and_step():
    clipping = "    clip_grad_norm_(\n        parameters, 1.0\n    )\n"
    right = LOOP.replace("    optimizer.step", clipping + "    optimizer.step")
    assert edited("clip-after-step", LOOP + clipping, 5, 7) == right
    early = LOOP.replace("    loss.backward", clipping + "    loss.backward")
    assert edited("clip-before-backward", early, 4, 7, 8) == right


def test_a_schedule_moves_after_the_loop_that_steps():
    inner = "".join(f"    {line}" for line in LOOP.splitlines(keepends=True))
    code = f"for epoch in range(3):\n    scheduler.step()\n{inner}print(1)\n"
    assert changed("scheduler-first", code, 2, 7) == [
        "-    scheduler.step()",
        "+    scheduler.step()",
    ]
    places = ["a.py:2", "a.py:7"]
    edit = proposed_edit("scheduler-first", OPTIMIZER, places, {"a.py": code})
    assert edit.splitlines()[-4:] == [
        "@@ -7,2 +6,3 @@",
        "         optimizer.step()",
        "+    scheduler.step()",
        " print(1)",
    ]


def test_gradients_are_cleared_to_none_where_zeros_moved_a_parameter():
    code = LOOP.replace("zero_grad()", "zero_grad(set_to_none=False)  # Größe")
    assert changed("moved-without-gradient", code, 2, 5) == [
        "-    optimizer.zero_grad(set_to_none=False)  # Größe",
        "+    optimizer.zero_grad()  # Größe",
    ]
    assert changed("moved-without-gradient", LOOP, 2, 5) == []


def test_a_module_left_in_evaluation_is_put_in_training_mode_before_the_inner_loop():
    assert changed("mode-left-eval", LOOP, 3, 4, 5, named=Named(modules=("model",))) == [
        "+    model.train()"
    ]
    inner = "".join(f"    {line}" for line in LOOP.splitlines(keepends=True))
    code = f"for epoch in range(3):\n{inner}    model.eval()\n"
    edit = changed("mode-left-eval", code, 4, 5, 6, named=Named(modules=("model",)))
    assert edit == ["+    model.train()"]
    assert changed("mode-left-eval", code, 4, 5, 6, named=Named(modules=("net",))) == []


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (LOOP.replace("model(", "models[0]("), "+    models[0].train()"),
        (LOOP.replace("model(", "self.net("), "+    self.net.train()"),
        (LOOP.replace("model(", "self.models[0]("), "+    self.models[0].train()"),
        (LOOP.replace("model(", "models['0']("), None),
    ],
)
def test_a_module_is_put_in_training_mode_as_the_script_spells_it(code, expected):
    name = "net" if "net(" in code else "models[0]"
    edit = changed("mode-left-eval", code, 3, 4, 5, named=Named(modules=(name,)))
    assert edit == ([expected] if expected else [])


@pytest.mark.parametrize("spelled", ["nets['a.b']", 'nets["a.b"]', 'self.nets["a.b"]'])
def test_a_module_of_a_dictionary_is_spelled_as_in_the_script(spelled):
    code = LOOP.replace("model(", f"{spelled}(")
    edit = changed("mode-left-eval", code, 3, 4, 5, named=Named(modules=('nets["a.b"]',)))
    assert edit == [f"+    {spelled}.train()"]


def test_a_module_that_a_loop_goes_over_is_put_in_training_mode_inside_of_it():
    inner = "".join(f"    {line}" for line in LOOP.splitlines(keepends=True))
    code = f"for model in models:\n{inner}    model.eval()\n"
    edit = changed("mode-left-eval", code, 4, 5, 6, named=Named(modules=("models[0]",)))
    assert edit == ["+    model.train()"]
    code = "for step in steps:\n" + inner.replace("for x, y in data", "for model in models")
    edit = changed("mode-left-eval", code, 4, 5, 6, named=Named(modules=("models[1]",)))
    assert edit == ["+        model.train()"]


@pytest.mark.parametrize(
    ("called", "name", "expected"),
    [
        ("model(", "model", "+    model.zero_grad()"),
        ("self.model(", "model", "+    self.model.zero_grad()"),
        ("models[1](", "models[1]", "+    models[1].zero_grad()"),
        ("models[0](", "models[1]", None),
    ],
)
def test_the_gradients_of_a_module_are_cleared_as_the_script_spells_it(called, name, expected):
    code = LOOP.replace("model(", called)
    edit = changed("one-step-of-two", code, 4, 4, 5, named=Named(spared=name))
    assert edit == ([expected] if expected else [])


def test_a_variable_that_only_looks_like_a_place_in_a_list_is_no_item_of_it():
    inner = "".join(f"    {line}" for line in LOOP.splitlines(keepends=True))
    code = "for step in steps:\n" + inner.replace("for x, y in data", "for model in net")
    assert changed("mode-left-eval", code, 4, 5, 6, named=Named(modules=("net_2",))) == []


VALIDATED = """def validate():
    model.eval()
    for x, y in held_out:
        print(model(x))

for epoch in range(3):
    for x, y in data:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    validate()
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (VALIDATED, ["+    model.train()"]),
        (VALIDATED.replace("    validate()", "        validate()"), ["+        model.train()"]),
        (VALIDATED.replace("  validate()", "      model.eval()"), ["+        model.train()"]),
        (VALIDATED.replace("criterion(model", "criterion(other"), []),
    ],
)
def test_a_module_is_put_in_training_mode_where_it_is_trained(code, expected):
    assert changed("mode-left-eval", code, 4, 9, 10, named=Named(modules=("model",))) == expected


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


INNER = """for epoch in range(3):
    optimizer.zero_grad()
    for x, y in data:
        loss = criterion(model(x), y)
        loss.backward()
    optimizer.step()  # Größe
    print(epoch)
"""


def test_a_step_behind_the_loop_of_its_backward_moves_into_it():
    assert edited("backwards-per-step", INNER, 5, 5, 6) == INNER.replace(
        "backward()\n    optimizer.step()  # Größe\n",
        "backward()\n        optimizer.step()  # Größe\n        optimizer.zero_grad()\n",
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    optimizer.step()", "    clip()\n    optimizer.step()"),
        ("optimizer.step()", "scaler.step(optimizer)"),
        ("        loss.backward()", "        if ready:\n          loss.backward()"),
        ("optimizer.step()", "optimizer.step(\n    )"),
    ],
)
def test_a_step_stays_where_it_is_not_sure_what_belongs_to_it(old, new):
    code = INNER.replace(old, new)
    lines = code.splitlines()
    backward = next(n for n, line in enumerate(lines, 1) if "backward" in line)
    step = next(n for n, line in enumerate(lines, 1) if ".step(" in line)
    assert changed("backwards-per-step", code, backward, backward, step) == []


def test_gradients_of_another_loss_are_cleared_before_the_backward():
    code = "for x in data:\n    a.backward()\n    one.step()\n    b.backward()\n    two.step()\n"
    named = Named(uncleared="two")
    edit = changed("gradients-of-two-losses", code, 2, 4, 5, named=named)
    assert edit == ["+    two.zero_grad()"]
    assert changed("gradients-of-two-losses", code, 2, 4, 5) == []
    inner = code.replace("    b.b", "    if x:\n      b.b")
    assert changed("gradients-of-two-losses", inner, 2, 5, 6, named=named) == []


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
        ("criterion(pred, y[:8])", "[8, 1]", None),
        ("criterion(pred, y.float())", "[8, 1]", None),
    ],
)
def test_a_target_gets_the_shape_of_the_output_it_is_compared_with(line, expanded, expected):
    code = f"for x, y in data:\n    z = y.float()\n    pred = model(x)\n    loss = {line}\n"
    named = Named(loss="loss", expanded=f"from {expanded} to [8, 8]")
    added = [one for one in changed("broadcast-loss", code, 3, named=named) if one[0] == "+"]
    assert len(added) == (expected is not None)
    assert all(one.startswith(f"+    loss = {expected}") for one in added)


@pytest.mark.parametrize(
    ("updates", "tensors", "expected"),
    [
        (["w -= lr * w.grad"], ["w"], ["w"]),
        (["w.data -= lr * w.grad", "b.data -= lr * b.grad"], ["w", "b"], ["w", "b"]),
        (["w.data.add_(-lr * w.grad)"], ["w"], ["w"]),
        (["w.sub_(lr * w.grad.data)"], ["w"], ["w"]),
        (["w -= lr * w.grad"], ["w", "b"], []),
        (["w -= lr * w.grad", "print(w.grad)"], ["w"], []),
        (["w -= lr * v"], ["w"], []),
        (["if ready:", "  w -= lr * w.grad", "b -= lr * b.grad"], ["w", "b"], []),
    ],
)
def test_gradients_are_cleared_after_an_update_by_hand(updates, tensors, expected):
    lines = ["for x in data:", "    loss(x).backward()", "    with torch.no_grad():"]
    code = "\n".join([*lines, *(f"        {line}" for line in updates)])
    edit = changed("grad-accumulated", code, 2, named=Named(by_hand=tuple(tensors)))
    assert edit == [f"+        {name}.grad = None" for name in expected]


def test_a_repeated_step_is_removed():
    assert changed("grad-reused", LOOP + "    optimizer.step()\n", 4, 5, 6) == [
        "-    optimizer.step()"
    ]
    assert changed("grad-reused", LOOP, 4, 5, 5) == []


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
    ("name", "attribute", "line", "expected"),
    [
        ("net.a", "requires_grad", "net.a.requires_grad = False", "net.a.requires_grad_(False)"),
        ("net.a", "requires_grad", "self.a.requires_grad = False", "self.a.requires_grad_(False)"),
        ("net.a", "requires_grad", "net.b.requires_grad = False", None),
        ("net.a", "requires_grad", "net.a.requires_grad = x", None),
        ("net.a.weight", "require_grad", "p.require_grad = False", "p.requires_grad_(False)"),
        ("net.a.weight", "require_grad", "p.require_grad = q.require_grad = False", None),
        ("net.a.weight", "require_grad", "p.require_grad = \\\n False", None),
    ],
)
def test_what_was_to_be_frozen_is_frozen(name, attribute, line, expected):
    named = Named(modules=(name,), attribute=attribute)
    lines = changed("freeze-without-effect", f"{line}\nopt.step()\n", 1, named=named)
    assert [one[1:] for one in lines if one[0] == "+"] == ([] if expected is None else [expected])


KEPT = """import torch
for x in data:
    if model(x) < best:
        self.best = model.state_dict()
model.load_state_dict(self.best)
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (KEPT, ["import copy", "        self.best = copy.deepcopy(model.state_dict())"]),
        (f"import copy\n{KEPT}", ["        self.best = copy.deepcopy(model.state_dict())"]),
        (f"import copy as c\n{KEPT}", ["        self.best = c.deepcopy(model.state_dict())"]),
        (
            f"from copy import deepcopy\n{KEPT}",
            ["        self.best = deepcopy(model.state_dict())"],
        ),
        (KEPT.replace("import torch\n", ""), None),
        (KEPT.replace("self.best =", "best ="), None),
        (KEPT + "self.best = model.state_dict()\n", None),
        (KEPT.replace("(self.best)", "(model.state_dict())"), None),
    ],
)
def test_a_state_is_copied_where_it_is_kept(code, expected):
    line = next(n for n, one in enumerate(code.splitlines(), 1) if "load_state_dict" in one)
    lines = changed("state-not-copied", code, line)
    assert [one[1:] for one in lines if one[0] == "+"] == (expected or [])


def test_a_backward_that_is_only_named_is_called():
    code = LOOP.replace("backward()", "backward")
    assert changed("step-without-grad", code, 5) == ["-    loss.backward", "+    loss.backward()"]
    assert changed("step-without-grad", LOOP, 5) == []


EVALUATION = """for epoch in range(9):
    for x in data:
        model(x).backward()
    with torch.no_grad():
        for x in other:
            y = model(x)
    print(y)
"""


@pytest.mark.parametrize(
    ("code", "number", "places"),
    [
        (EVALUATION, 6, (4, 8)),
        (EVALUATION.replace("with torch.no_grad()", "if True"), 6, (4, 8)),
        ("def test():\n    y = model(x)\n    return y\n", 2, (2, 4)),
        ("def test():\n    return model(x)\n", 2, None),
        ("def test():\n    for x in other:\n        yield x\n        model(x)\n", 4, None),
        (EVALUATION.replace("model(x)\n", "net(x)\n"), 6, None),
    ],
)
def test_a_model_is_in_evaluation_mode_around_its_evaluation(code, number, places):
    named = Named(modules=("model",))
    edit = proposed_edit("evaluation-in-training-mode", named, [f"a.py:{number}"], {"a.py": code})
    if places is None:
        assert edit == ""
    else:
        lines = patched(code, edit).splitlines()
        indent = lines[places[0]][: len(lines[places[0]]) - len(lines[places[0]].lstrip())]
        assert lines[places[0] - 1] == f"{indent}model.eval()"
        assert lines[places[1] - 1] == f"{indent}model.train()"


REBOUND = """for x in data:
    loss(x, w).backward()
    with torch.no_grad():
        w = w - lr * w.grad
        b = b + (step)
"""


@pytest.mark.parametrize(
    ("names", "code", "expected"),
    [
        (["w"], REBOUND, ["w -= lr * w.grad"]),
        (["b", "w"], REBOUND, ["w -= lr * w.grad", "b += step"]),
        (["c"], REBOUND, []),
        (["w"], REBOUND.replace("w = w - lr", "w = w - 1 - lr"), []),
        (["w"], REBOUND.replace("w = w - lr * w.grad", "w = w - (\n lr)"), []),
        (["w"], REBOUND + "        w = w - 1\n", []),
        (["w"], f"def f():\n    y.backward()\n{REBOUND}", ["w -= lr * w.grad"]),
    ],
)
def test_a_parameter_is_updated_in_place(names, code, expected):
    lines = changed("parameter-rebound", code, 2, named=Named(by_hand=tuple(names)))
    assert [line[1:].strip() for line in lines if line[0] == "+"] == expected


def test_gradients_are_unscaled_before_they_are_clipped():
    code = LOOP.replace("    optimizer.step()", "    clip(model)\n    self.scaler.step(self.opt)")
    added = ["+    self.scaler.unscale_(self.opt)"]
    assert changed("clip-before-unscale", code, 5, 6) == added
    assert changed("clip-before-unscale", code.replace("step(self.opt)", "step()"), 5, 6) == []


ACCUMULATED = """for i, x in enumerate(data):
    optimizer.zero_grad()
    loss(x).backward()
    if i % 4 == 3:
        optimizer.step()
"""


def test_a_sum_is_cleared_after_its_step_only():
    assert edited("sum-cleared", ACCUMULATED, 3, 2, 5) == (
        "for i, x in enumerate(data):\n"
        "    loss(x).backward()\n"
        "    if i % 4 == 3:\n"
        "        optimizer.step()\n"
        "        optimizer.zero_grad()\n"
    )


@pytest.mark.parametrize(
    "code",
    [
        ACCUMULATED.replace("    optimizer.zero_grad()", "    clear(optimizer)"),
        ACCUMULATED.replace("if i % 4 == 3", "for _ in range(i)"),
        ACCUMULATED.replace("optimizer.step()", "other.step()"),
    ],
)
def test_a_sum_that_is_cleared_elsewhere_has_no_edit(code):
    assert changed("sum-cleared", code, 3, 2, 5) == []


@pytest.mark.parametrize(
    "code", ["for x in data:\n  optimizer.step(\n", "\0", "(" * 100_000, "a = 1\n" * 10]
)
def test_a_text_that_is_no_script_has_no_edit(code):
    assert changed("grad-accumulated", code, 2, 1, 2) == []


def test_events_without_lines_and_other_findings_have_no_edit():
    assert proposed_edit("grad-accumulated", OPTIMIZER, ["", "a.py:3"], {"a.py": LOOP}) == ""
    assert proposed_edit("grad-accumulated", OPTIMIZER, [], {"a.py": LOOP}) == ""
    assert proposed_edit("grad-accumulated", Named(), ["a.py:2", "b.py:3"], {"a.py": LOOP}) == ""
    assert changed("non-finite", LOOP, 4) == []


def test_line_ends_and_form_feeds_do_not_shift_lines():
    code = without("zero_grad").replace("\n", "\r\n").replace("for", "# \f\r\nfor")
    assert changed("grad-accumulated", code, 5, 4, 5) == ["+    optimizer.zero_grad()"]
