"""Findings in the window: marked wherever they occurred, and gone to one by one."""

from gradstep_gui.widgets.time.time_bar import TimeBar


def test_every_occurrence_is_marked_and_can_be_gone_to(driver):
    driver.open_scenario("08_wrong_model")
    driver.iterate(100)
    added = next(item for item in driver.snapshot.findings if item.id == "grad-accumulated")
    assert (added.count, added.last) == (99, 399)
    bar = driver.window.findChild(TimeBar)
    assert "added up" in bar.text_at(399)
    assert "added up" in bar.text_at(203)
    driver.trigger("debug.start")
    assert "added up" in bar.text_at(399)
    assert not driver.window.actions_by_id["debug.previous_finding"].isEnabled()
    for event in (3, 4, 7):
        driver.trigger("debug.next_finding")
        assert driver.snapshot.event_index == event
    assert "here is 1 of 99" in driver.window.docks["findings"].widget().text
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
