"""The recording that is bundled was made with torch, and needs none."""

from __future__ import annotations

from pathlib import Path

from gradstep.debugger import Debugger
from gradstep_gui.cli import main

SESSION = Path(__file__).parents[2] / "resources" / "scripts" / "sine.gradstep"


def test_it_replays_bit_for_bit():
    debugger = Debugger.open(SESSION)
    checks = [event.checksum for event in debugger.events]
    for event in (0, 180, 91, 3):
        debugger.seek(event)
    assert len(checks) == 180
    assert [event.checksum for event in debugger.events] == checks


def test_its_code_is_that_of_the_bundled_script():
    assert Debugger.open(SESSION).listing.code == SESSION.with_suffix(".py").read_text()


def test_what_is_missing_in_it_is_found():
    found = {finding.id: finding for finding in Debugger.open(SESSION).findings}
    assert found.keys() == {"grad-accumulated"}
    assert found["grad-accumulated"].events[:3] == (3, 5, 6)
    assert "optimizer.zero_grad()" in found["grad-accumulated"].remedy


def test_its_last_step_is_explained_exactly():
    debugger = Debugger.open(SESSION)
    why = debugger.explain("model.2.bias")
    assert (why.event, why.optimizer) == (180, "SGD")
    assert abs(sum(term.value for term in why.terms) - why.total).max() < 1e-12


def test_a_report_of_it_fails(capsys):
    assert main(["report", str(SESSION)]) == 1
    assert "Gradients of two iterations were added up" in capsys.readouterr().out
