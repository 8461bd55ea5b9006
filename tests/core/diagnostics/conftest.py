"""Programs to make mistakes with."""

from __future__ import annotations

import json

import pytest

from gradstep.debugger import Debugger
from gradstep.program.document.codec import decode
from gradstep.program.gallery import scenarios as bundled

LAYERS = [
    {"kind": "Linear", "in_features": 2, "out_features": 4},
    {"kind": "ReLU"},
    {"kind": "Linear", "in_features": 4, "out_features": 1},
]

BASE = {
    "gradstep": 1,
    "seed": 1,
    "data": {"a": {"kind": "moons", "samples": 32, "noise": 0.1, "batch_size": 8}},
    "modules": {"model": LAYERS},
    "losses": {
        "loss": {"data": "a", "chain": ["model"], "criterion": {"kind": "BCEWithLogitsLoss"}}
    },
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.1}},
}


@pytest.fixture(scope="session")
def make():
    def make_program(**changes):
        return Debugger(decode(json.dumps({**BASE, **changes}).encode()))

    return make_program


@pytest.fixture
def dbg(make):
    return make()


@pytest.fixture(scope="session")
def layers():
    return LAYERS


@pytest.fixture(scope="session")
def scenarios():
    return [scenario.path for scenario in bundled()]


@pytest.fixture(scope="session")
def found():
    """Return the ids of what was found, with the Events cited, without infos."""

    def found_in(debugger):
        return {
            finding.id: finding.events
            for finding in debugger.findings
            if finding.severity != "info"
        }

    return found_in
