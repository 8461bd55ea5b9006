"""No fact is ever raised of a loop that is right, whatever it is made of."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from gradstep.debugger import Debugger
from gradstep.program.document.codec import decode

LAYERS = {
    "Tanh": {"kind": "Tanh"},
    "Dropout": {"kind": "Dropout", "p": 0.3},
    "BatchNorm1d": {"kind": "BatchNorm1d", "num_features": 3},
}


@st.composite
def right_programs(draw):
    """Draw a program whose loop does everything in the right order."""
    linear = {"kind": "Linear", "in_features": 2, "out_features": 3}
    head = [{"kind": "Linear", "in_features": 3, "out_features": 1}]
    middle = draw(st.lists(st.sampled_from(sorted(LAYERS)), max_size=2))
    two_heads = draw(st.booleans())
    every = draw(st.sampled_from([1, 1, 2, 3]))
    scale = f" / {every}" if every > 1 else ""
    names = ["one", "two"] if two_heads else ["one"]
    kinds = draw(st.sampled_from(["SGD", "Adam", "RMSprop", "AdamW"]))
    losses = {
        name: {
            "data": "a",
            "chain": ["trunk", f"head_{name}"],
            "expression": f"mean((output - target) ** 2){scale}",
        }
        for name in names
    }
    loop = []
    if draw(st.booleans()):
        losses["held_out"] = {**losses["one"], "rows": "validation"}
        seldom = draw(st.sampled_from([1, 2, 5]))
        loop += [
            {"op": "set_mode", "training": False, "every": seldom},
            {"op": "forward", "loss": "held_out", "every": seldom},
            {"op": "set_mode", "training": True, "every": seldom},
        ]
    together = draw(st.booleans())
    passes = [{"op": kind, "loss": name} for name in names for kind in ("forward", "backward")]
    if together:
        passes.sort(key=lambda line: line["op"], reverse=True)
    set_to_none = draw(st.booleans()) or kinds != "SGD"
    zero = {"op": "zero_grad", "set_to_none": set_to_none, "every": every}
    step = [{"op": "step", "every": every}]
    if draw(st.booleans()):
        step.insert(0, {"op": "clip_grad_norm", "max_norm": 0.5, "every": every})
    schedulers = {}
    if draw(st.booleans()):
        schedulers = {"decay": {"kind": "StepLR", "step_size": 2, "gamma": 0.5}}
        step.append({"op": "scheduler_step", "scheduler": "decay", "every": every})
    zero_first = every == 1 and draw(st.booleans())
    loop += [zero, *passes, *step] if zero_first else [*passes, *step, zero]
    return {
        "gradstep": 1,
        "seed": draw(st.integers(0, 5)),
        "data": {
            "a": {
                "kind": "gaussian",
                "inputs": 2,
                "samples": draw(st.sampled_from([16, 25])),
                "batch_size": draw(st.sampled_from([4, 8])),
                "shuffle": draw(st.booleans()),
                "drop_last": True,
                "validation": 0.25,
            }
        },
        "modules": {
            "trunk": [linear, *(LAYERS[name] for name in middle)],
            **{f"head_{name}": head for name in names},
        },
        "losses": losses,
        "optimizers": {"optimizer": {"kind": kinds, "params": ["*"], "lr": 0.01}},
        "schedulers": schedulers,
        "loop": loop,
    }


_TRUE_OF_RIGHT_LOOPS = {"moved-without-gradient"}
"""The gradient of a bias before BatchNorm, or behind dead units, is zero: decay moves it."""


@settings(max_examples=40)
@given(right_programs(), st.integers(1, 30))
def test_a_right_loop_breaks_no_contract(document, iterations):
    debugger = Debugger(decode(json.dumps(document).encode()))
    debugger.iterate(iterations)
    assert debugger.event.outcome.ok
    facts = [(item.id, item.detail) for item in debugger.findings if item.severity == "fact"]
    assert [fact for fact in facts if fact[0] not in _TRUE_OF_RIGHT_LOOPS] == []
