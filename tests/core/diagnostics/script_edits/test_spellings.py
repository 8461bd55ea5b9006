"""An added line names optimizers and modules as the script does."""

from __future__ import annotations

import pytest

from gradstep.diagnostics.script_edits.named import Named
from tests.core.diagnostics.script_edits.loop_edits import LOOP, changed, without


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


def test_a_variable_that_only_looks_like_a_place_in_a_list_is_no_item_of_it():
    inner = "".join(f"    {line}" for line in LOOP.splitlines(keepends=True))
    code = "for step in steps:\n" + inner.replace("for x, y in data", "for model in net")
    assert changed("mode-left-eval", code, 4, 5, 6, named=Named(modules=("net_2",))) == []
