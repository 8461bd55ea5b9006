"""Every planted mistake is found, by its cause alone; right programs have no finding."""

from __future__ import annotations

import json

import pytest

from gradstep.debugger import Debugger
from gradstep.program.document.codec import decode
from gradstep.program.operation import SetValue
from tests.core.diagnostics.trial.planted import PLANTED
from tests.core.diagnostics.trial.right import RIGHT

RUN = 400


def opened(document):
    return Debugger(decode(json.dumps(document).encode()))


@pytest.mark.parametrize("mistake", PLANTED)
def test_a_planted_mistake_is_reported_and_nothing_else(mistake):
    planted = PLANTED[mistake]
    dbg = opened(planted.document)
    if planted.scale != 1:
        for name, tensor in dbg.snapshot.parameters.items():
            if name.endswith("weight"):
                dbg.apply(SetValue(name, (planted.scale * tensor.data).tolist()))
    dbg.iterate(planted.iterations)
    found = {
        item.id: item
        for item in dbg.findings
        if item.severity != "info" or item.id in planted.expected
    }
    assert set(found) == planted.expected
    assert planted.says in " ".join(item.detail for item in found.values())
    for item in found.values():
        assert item.remedy
        if item.severity == "suspicion":
            assert item.source


@pytest.mark.parametrize("kind", RIGHT)
def test_a_right_program_has_no_finding(kind):
    dbg = opened(RIGHT[kind])
    dbg.iterate(RUN)
    assert dbg.event.outcome.ok
    assert [(item.id, item.detail) for item in dbg.findings if item.severity != "info"] == []


def test_the_trial_is_large():
    assert len(PLANTED) >= 36
    assert len(RIGHT) >= 40
