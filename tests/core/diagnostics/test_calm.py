"""Correct programs of many kinds have no findings."""

import pytest

LOOP = [{"op": kind} for kind in ("zero_grad", "forward", "backward", "step")]


def linear(inputs, outputs):
    return {"kind": "Linear", "in_features": inputs, "out_features": outputs}


def pass_through(*losses):
    return [{"op": kind, "loss": loss} for loss in losses for kind in ("forward", "backward")]


TRUNK = [linear(4, 16), {"kind": "ReLU"}]
SCORE = "mean(log(1 + exp(output)))"

PROGRAMS = {
    "two that contend": {
        "intent": ["adversarial"],
        "data": {"a": {"kind": "gaussian", "samples": 64, "inputs": 2, "batch_size": 16}},
        "modules": {
            "maker": [linear(2, 8), {"kind": "ReLU"}, linear(8, 2)],
            "judge": [linear(2, 8), {"kind": "LeakyReLU"}, linear(8, 1)],
        },
        "losses": {
            "real": {"data": "a", "chain": ["judge"], "expression": "mean(log(1 + exp(-output)))"},
            "made": {"data": "a", "chain": ["maker", "judge"], "expression": SCORE},
            "fooled": {"data": "a", "chain": ["maker", "judge"], "expression": f"-{SCORE}"},
        },
        "optimizers": {
            f"{name}_rule": {"kind": "Adam", "params": [f"{name}.*"], "lr": 0.0002}
            for name in ("maker", "judge")
        },
        "loop": [
            {"op": "zero_grad", "optimizer": "judge_rule"},
            *pass_through("real", "made"),
            {"op": "step", "optimizer": "judge_rule"},
            {"op": "zero_grad", "optimizer": "maker_rule"},
            *pass_through("fooled"),
            {"op": "step", "optimizer": "maker_rule"},
        ],
    },
    "a head on a backbone that no optimizer holds": {
        "intent": ["frozen_backbone"],
        "data": {"a": {"kind": "iris", "batch_size": 30, "shuffle": True, "standardize": True}},
        "modules": {"trunk": TRUNK, "head": [linear(16, 3)]},
        "losses": {
            "loss": {
                "data": "a",
                "chain": ["trunk", "head"],
                "criterion": {"kind": "CrossEntropyLoss"},
            }
        },
        "optimizers": {
            "optimizer": {"kind": "SGD", "params": ["head.*"], "lr": 0.05, "momentum": 0.9}
        },
    },
    "columns that hardly vary, standardized": {
        "data": {"a": {"kind": "digits", "limit": 400, "batch_size": 64, "standardize": True}},
        "modules": {"model": [linear(64, 10)]},
        "losses": {
            "loss": {"data": "a", "chain": ["model"], "criterion": {"kind": "CrossEntropyLoss"}}
        },
    },
    "momentum that takes long steps at first": {
        "seed": 0,
        "data": {
            "a": {"kind": "sine", "samples": 200, "noise": 0.05, "batch_size": 20, "shuffle": True}
        },
        "modules": {
            "model": [linear(1, 64), {"kind": "Tanh"}],
            "head": [linear(64, 64), {"kind": "Tanh"}, linear(64, 1)],
        },
        "losses": {
            "loss": {"data": "a", "chain": ["model", "head"], "criterion": {"kind": "MSELoss"}}
        },
        "optimizers": {"optimizer": {"kind": "SGD", "params": ["*"], "lr": 0.05, "momentum": 0.9}},
    },
    "noise that no line can fit": {
        "data": {"a": {"kind": "line", "samples": 100, "slope": 2, "noise": 1.0}},
        "modules": {"model": [linear(1, 1)]},
        "losses": {"loss": {"data": "a", "chain": ["model"], "criterion": {"kind": "MSELoss"}}},
        "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.1}},
    },
    "a loss that has only the sign of its errors": {
        "data": {"a": {"kind": "line", "samples": 8, "slope": 50, "batch_size": 4}},
        "modules": {"model": [linear(1, 1)]},
        "losses": {"loss": {"data": "a", "chain": ["model"], "expression": "mean(abs(output))"}},
        "optimizers": {"optimizer": {"kind": "Adam", "params": ["model.*"], "lr": 0.01}},
    },
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_right_programs_stay_quiet(make, name):
    dbg = make(**{"loop": LOOP, **PROGRAMS[name]})
    dbg.iterate(400)
    assert [item.detail for item in dbg.findings if item.severity != "info"] == []


def test_a_right_adversarial_program_that_declares_nothing_has_no_fact(make):
    dbg = make(**{**PROGRAMS["two that contend"], "intent": []})
    dbg.iterate(50)
    assert [item.detail for item in dbg.findings if item.severity == "fact"] == []


def test_what_is_declared_excuses_no_step_that_uses_two_iterations(make):
    program = PROGRAMS["two that contend"]
    without = [line for line in program["loop"] if line.get("optimizer") != "maker_rule"]
    dbg = make(**{**program, "loop": [*without, {"op": "step", "optimizer": "maker_rule"}]})
    dbg.iterate(2)
    (finding,) = [item for item in dbg.findings if item.id == "grad-accumulated"]
    assert all(name.startswith("maker.") for name in finding.subjects)
