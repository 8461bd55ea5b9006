"""Findings in the window: every occurrence is marked, and can be visited in turn."""

import json

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QTextBrowser

from gradstep_gui.widgets.timeline.timeline_bar import TimelineBar


def test_every_occurrence_is_marked_and_has_a_link(driver):
    driver.open_scenario("08_wrong_model")
    driver.iterate(100)
    added = next(item for item in driver.snapshot.findings if item.id == "grad-accumulated")
    assert (added.count, added.last) == (99, 399)
    bar = driver.window.findChild(TimelineBar)
    assert "added up" in bar.text_at(399)
    assert "added up" in bar.text_at(203)
    driver.trigger("debug.start")
    assert "added up" in bar.text_at(399)
    assert not driver.window.actions_by_id["debug.previous_finding"].isEnabled()
    for event in (3, 4, 7):
        driver.trigger("debug.next_finding")
        assert driver.snapshot.event_index == event
    assert "1 of 99" in driver.window.docks["findings"].widget().text
    driver.trigger("debug.end")
    assert not driver.window.actions_by_id["debug.next_finding"].isEnabled()
    driver.trigger("debug.previous_finding")
    assert driver.snapshot.event_index == 399
    assert driver.window.docks["findings"].widget().is_seen


def test_a_right_loop_has_nowhere_to_go(driver):
    driver.open_scenario("02_linear_regression")
    driver.iterate(10)
    driver.trigger("debug.back")
    for name in ("debug.previous_finding", "debug.next_finding"):
        assert not driver.window.actions_by_id[name].isEnabled()


@pytest.fixture
def slow(tmp_path):
    """A program whose learning rate is far too small, and nothing else is wrong."""
    path = tmp_path / "slow.json"
    path.write_text(
        json.dumps(
            {
                "gradstep": 1,
                "tensors": {"x": {"value": [1.0], "requires_grad": True}},
                "losses": {"loss": {"expression": "sum(x ** 2)"}},
                "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 1e-9}},
                "loop": [{"op": k} for k in ("zero_grad", "forward", "backward", "step")],
            }
        )
    )
    return path


def test_muted_findings_are_neither_marked_nor_visited(driver, slow):
    driver.open(slow)
    driver.iterate(20)
    driver.trigger("debug.start")
    bar = driver.window.findChild(TimelineBar)
    onward = driver.window.actions_by_id["debug.next_finding"]
    assert onward.isEnabled()
    assert "learning rate is too low" in bar.text_at(80)
    page = driver.window.docks["findings"].widget().findChild(QTextBrowser)
    page.anchorClicked.emit(QUrl("mute:small-steps"))
    assert not onward.isEnabled()
    assert "learning rate is too low" not in bar.text_at(80)
    driver.window.controller.muted_findings.unmute()
    assert onward.isEnabled()
    assert "learning rate is too low" in bar.text_at(80)
