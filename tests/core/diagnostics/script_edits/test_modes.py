"""Where a changed script puts modules in training or evaluation mode."""

from __future__ import annotations

import pytest

from gradstep.diagnostics.script_edits.modes import is_evaluated_by, training_condition
from gradstep.diagnostics.script_edits.named import Named
from gradstep.diagnostics.script_edits.proposed_edit import proposed_edit
from tests.core.diagnostics.script_edits.loop_edits import LOOP, changed
from tests.patched import patched

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


def test_a_module_left_in_evaluation_is_put_in_training_mode_before_the_inner_loop():
    assert changed("mode-left-eval", LOOP, 3, 4, 5, named=Named(modules=("model",))) == [
        "+    model.train()"
    ]
    inner = "".join(f"    {line}" for line in LOOP.splitlines(keepends=True))
    code = f"for epoch in range(3):\n{inner}    model.eval()\n"
    edit = changed("mode-left-eval", code, 4, 5, 6, named=Named(modules=("model",)))
    assert edit == ["+    model.train()"]
    assert changed("mode-left-eval", code, 4, 5, 6, named=Named(modules=("net",))) == []


def test_a_module_that_a_loop_goes_over_is_put_in_training_mode_inside_of_it():
    inner = "".join(f"    {line}" for line in LOOP.splitlines(keepends=True))
    code = f"for model in models:\n{inner}    model.eval()\n"
    edit = changed("mode-left-eval", code, 4, 5, 6, named=Named(modules=("models[0]",)))
    assert edit == ["+    model.train()"]
    code = "for step in steps:\n" + inner.replace("for x, y in data", "for model in models")
    edit = changed("mode-left-eval", code, 4, 5, 6, named=Named(modules=("models[1]",)))
    assert edit == ["+        model.train()"]


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


EVALUATED = """def estimate():
    net.eval()
    return criterion(net(x), y)


for x, y in data:
    criterion(net(x), y).backward()
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (EVALUATED, True),
        (EVALUATED.replace("net.eval()", "other.eval()"), False),
        (EVALUATED.replace("    net.eval()\n    return", "    return"), False),
        (EVALUATED + "    net.eval()\n", False),  # it is meant to train in that mode
        (EVALUATED.replace("for", "model.eval()\nfor"), False),
        (EVALUATED.replace("return criterion(net(x), y)", "net(x).backward()"), False),
    ],
)
def test_a_function_that_only_evaluates_is_one_that_puts_in_evaluation_mode_what_it_calls(
    text, expected
):
    assert is_evaluated_by({"train.py": text}, "train.py:3", "model") == expected
    text = text.replace("    net.eval()\n", "\n").replace("def", "net.eval()\ndef")
    assert not is_evaluated_by({"train.py": text}, "train.py:4", "model")


PHASES = """for phase in ("train", "val"):
    if phase == "train":
        model.train()
    else:
        model.eval()
    for x, y in data[phase]:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
"""


def test_a_phase_that_evaluates_is_left_without_backward_and_step():
    lines = changed("mode-left-eval", PHASES, 9, 9, 10, named=Named(modules=("model",)))
    assert lines == [
        *("-        loss.backward()", "-        optimizer.step()"),
        "+        if phase == 'train':",
        *("+            loss.backward()", "+            optimizer.step()"),
    ]


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        (PHASES, "phase == 'train'"),
        (PHASES.replace("model.eval()", "model.double()"), ""),
        (PHASES.replace("    for x", "    model.train(phase == 1)\n    for x"), ""),
        (PHASES.replace("for phase in", "if phases :="), ""),
    ],
)
def test_the_condition_of_a_phase_is_that_of_its_mode(text, condition):
    line = 1 + next(at for at, one in enumerate(text.splitlines()) if "backward" in one)
    assert training_condition({"train.py": text}, f"train.py:{line}") == condition
