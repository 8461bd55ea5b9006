"""since_best: how often a loss or metric was computed since its best value."""

import json

import pytest

from gradstep.debugger import Debugger
from gradstep.errors import ExpressionError
from gradstep.program.document.codec import decode
from gradstep.program.operation import SetValue

DOCUMENT = {
    "gradstep": 1,
    "seed": 3,
    "data": {
        "a": {"kind": "moons", "samples": 60, "noise": 0.3, "batch_size": 8, "shuffle": True,
              "validation": 0.2}
    },
    "modules": {"model": [{"kind": "Linear", "in_features": 2, "out_features": 2}]},
    "losses": {
        "loss": {"data": "a", "chain": ["model"], "criterion": {"kind": "CrossEntropyLoss"}}
    },
    "metrics": {
        "accuracy": {"data": "a", "chain": ["model"],
                     "expression": "mean(argmax(output, 1) == target)"}
    },
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.5}},
    "loop": [
        {"op": "zero_grad"}, {"op": "forward", "loss": "loss"},
        {"op": "backward", "loss": "loss"}, {"op": "step"},
        {"op": "forward", "loss": "accuracy", "every": "epoch"},
    ],
}  # fmt: skip


def opened(**changes):
    return Debugger(decode(json.dumps({**DOCUMENT, **changes}).encode()))


def values(dbg, name):
    """Return the Events that computed a value, with the values."""
    return [(event.index, event.loss) for event in dbg.history.events if name in event.writes]


def counted(found, event, best):
    """Count from the values, in the simplest way."""
    past = [value for index, value in found if index <= event]
    return len(past) - 1 - past.index(best(past)) if past else None


@pytest.mark.parametrize(
    ("text", "name", "best"),
    [
        ('since_best("loss")', "loss", min),
        ('since_best("accuracy")', "accuracy", max),
        ('since_best("accuracy", "min")', "accuracy", min),
        ('since_best("loss", "max")', "loss", max),
    ],
)
def test_it_counts_the_values_since_the_best_at_every_past_event(text, name, best):
    dbg = opened()
    dbg.run(60)
    found = values(dbg, name)
    events = range(len(dbg.history) + 1)
    expected = [counted(found, event, best) for event in events]
    assert max(filter(None, expected)) > 2
    recorded = dbg.watch(text)
    assert recorded.is_cached(5)  # the log is enough
    assert [value for _, value in recorded.history(events)] == expected
    for event in (0, 3, 40, 41, 120, len(dbg.history)):
        dbg.seek(event)
        assert dbg.watch(text).value == expected[event]


def test_a_breakpoint_on_it_stops_a_run_live_and_backwards():
    alongside = opened()
    alongside.run(200)
    found = values(alongside, "accuracy")
    first = next(event for event, _ in found if counted(found, event, max) == 3)
    dbg = opened()
    point = dbg.break_when('since_best("accuracy") >= 3')
    assert point.record.after == ("forward",)
    assert dbg.run(200).event == first
    point.remove()
    dbg.run(20)
    dbg.break_when('since_best("accuracy") == 3')
    again = max(
        event for event, _ in found if event < dbg.position[0] and counted(found, event, max) == 3
    )
    assert dbg.run_back().event == again


def test_it_is_that_of_the_branch():
    dbg = opened()
    dbg.run(30)
    whole = dbg.watch('since_best("loss")').value
    dbg.seek(20)
    dbg.apply(SetValue("model.0.bias", 100.0, (0,)))
    for _ in range(4):
        dbg.forward("loss")
    found = values(dbg, "loss")
    assert dbg.watch('since_best("loss")').value == counted(found, len(dbg.history), min)
    dbg.checkout(0)
    dbg.seek(len(dbg.history))
    assert dbg.watch('since_best("loss")').value == whole


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('since_best("los") > 1', "no loss or metric 'los'; did you mean 'loss'"),
        ("since_best(loss) > 1", "the name of the loss or metric is needed"),
        ('since_best("loss", "low") > 1', 'write since_best\\("loss", "min"\\)'),
        ('since_best("loss", 1) > 1', 'write since_best\\("loss", "min"\\)'),
    ],
)
def test_a_wrong_argument_is_reported(text, message):
    with pytest.raises(ExpressionError, match=message):
        opened().break_when(text)
