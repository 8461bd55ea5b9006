"""LogAnalyzer: Events taken in some at a time show what each of them shows by itself."""

import json
from itertools import pairwise

import pytest

from gradstep.debugger import Debugger
from gradstep.diagnostics.facts.changed_values import ChangedValues
from gradstep.diagnostics.log_analyzer import LogAnalyzer
from gradstep.program.document.codec import decode
from gradstep.program.gallery import scenarios
from gradstep.program.operation import Backward, Forward, Step, ZeroGrad

PATHS = [item.path for item in scenarios() if "two_layer" not in item.id]

LOOPS = {
    "as it should be": ["zero_grad", "forward", "backward", "step"],
    "never cleared": ["forward", "backward", "step"],
    "cleared in between": ["forward", "zero_grad", "backward", "step"],
    "cleared before it is used": ["forward", "backward", "zero_grad", "step"],
    "never stepped": ["zero_grad", "forward", "backward"],
    "never backward": ["zero_grad", "forward", "step"],
    "stepped twice": ["zero_grad", "forward", "backward", "step", "step"],
    "backward twice": ["zero_grad", "forward", "backward", "backward", "step"],
}


def program(names, every=1):
    lines = [{"op": name} for name in names]
    lines[-1]["every"] = every
    return decode(
        json.dumps(
            {
                "gradstep": 1,
                "tensors": {"x": {"value": [1, 2], "requires_grad": True}},
                "losses": {"loss": {"expression": "sum(x ** 2)"}},
                "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.01}},
                "loop": lines,
            }
        ).encode()
    )


def reported(debugger):
    return [(item.id, item.subjects, item.events) for item in debugger.findings]


def step_by_step(debugger, count):
    """Do what `iterate` does, and look at what is found after every Event."""
    for _ in range(count):
        for operation in debugger.program.loop_operations():
            if not debugger.apply(operation).outcome.ok:
                return
            reported(debugger)


def compare(seldom, often):
    """Run both, one looked at after every Event; continue by hand, and compare what is found."""
    for count in (3, 57):
        seldom.iterate(count)
        step_by_step(often, count)
        assert len(seldom.events) == len(often.events)
        assert reported(seldom) == reported(often)
    for operation in (ZeroGrad(), Step(), Forward(), Step()):
        for debugger in (seldom, often):
            if "optimizer" in debugger.program.optimizers and "loss" in debugger.program.losses:
                debugger.apply(operation)
        assert reported(seldom) == reported(often)
    for index in (len(seldom.events) // 2, 5, 0):
        seldom.seek(index)
        often.seek(index)
        assert reported(seldom) == reported(often)


@pytest.mark.parametrize("path", PATHS, ids=[path.stem for path in PATHS])
def test_bundled_programs_show_the_same(path):
    compare(Debugger.open(path), Debugger.open(path))


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("name", LOOPS)
def test_wrong_loops_show_the_same(name, every):
    spec = program(LOOPS[name], every)
    compare(Debugger(spec), Debugger(spec))


@pytest.mark.parametrize("most", [256, 4])
def test_a_fork_of_a_long_run_continues_where_it_forked(monkeypatch, most):
    monkeypatch.setattr("gradstep.diagnostics.log_analyzer.SAVE_EVERY", 32)
    monkeypatch.setattr("gradstep.diagnostics.log_analyzer.MOST_SAVED", most)
    one, two = (Debugger(program(LOOPS["as it should be"])) for _ in range(2))
    one.iterate(100)
    one.seek(203)
    one.apply(ZeroGrad())
    two.iterate(50)
    for operation in (ZeroGrad(), Forward(), Backward()):
        two.apply(operation)
    two.apply(ZeroGrad())
    assert reported(one) == reported(two)


def test_a_long_run_keeps_few_states_of_the_rules_the_older_the_further_apart(monkeypatch):
    monkeypatch.setattr("gradstep.diagnostics.log_analyzer.SAVE_EVERY", 8)
    monkeypatch.setattr("gradstep.diagnostics.log_analyzer.MOST_SAVED", 16)
    debugger = Debugger(program(LOOPS["as it should be"]))
    debugger.iterate(400)
    analyzer = LogAnalyzer(debugger.program, ChangedValues(debugger.program))
    analyzer.analyze(debugger.history, 1600)
    saved = [index for index, _ in analyzer._saved]
    gaps = [later - earlier for earlier, later in pairwise(saved)]
    assert len(saved) <= 16
    assert (saved[0], saved[-1]) == (0, 1600)
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 64
    assert gaps[-1] == 8
