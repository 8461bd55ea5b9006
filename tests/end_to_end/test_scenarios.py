"""The bundled programs, by the buttons: what each press does, to the last bit."""

import numpy as np
import pytest
from PySide6.QtCore import QElapsedTimer, QTimer

from gradstep.debugger import Debugger
from gradstep.program.operation import Backward, Forward, ZeroGrad
from tests.end_to_end.driver import SCENARIOS, state_of


def headless(name, *calls):
    """The same program without a window: `calls` are the Debugger's methods, in order."""
    debugger = Debugger.open(SCENARIOS / f"{name}.json")
    for call in calls:
        getattr(debugger, call)()
    return debugger


LOOP = ("zero_grad", "forward", "backward", "step")


def test_each_operation_reads_and_writes_the_expected_addresses(driver):
    driver.open_scenario("01_who_does_what")
    parameter = driver.debugger.snapshot.parameters["x"]
    assert parameter.data.tolist() == [1, 2]
    assert parameter.grad is None
    assert driver.legend("grad") == {"element/x.grad[0]": "None", "element/x.grad[1]": "None"}

    driver.press("debug.forward")
    assert driver.snapshot.loss == 300
    assert driver.debugger.snapshot.parameters["x"].grad is None
    assert driver.legend("loss") == {"loss/loss": "300"}

    driver.press("debug.backward")
    assert driver.debugger.snapshot.parameters["x"].grad.tolist() == [100, 100]
    assert driver.legend("grad") == {"element/x.grad[0]": "100", "element/x.grad[1]": "100"}
    assert driver.legend("parameters") == {"element/x[0]": "1", "element/x[1]": "2"}

    driver.press("debug.step")
    np.testing.assert_allclose(driver.debugger.snapshot.parameters["x"].data, [0.9, 1.9])
    assert driver.legend("parameters") == {"element/x[0]": "0.9", "element/x[1]": "1.9"}

    driver.press("debug.zero_grad")
    assert driver.debugger.snapshot.parameters["x"].grad is None
    assert [event.index for event in driver.debugger.events] == [1, 2, 3, 4]


def test_a_second_backward_fails_with_a_message_and_changes_nothing(driver):
    driver.open_scenario("01_who_does_what")
    driver.press("debug.forward", "debug.backward")
    before = state_of(driver.debugger)
    driver.press("debug.backward")
    assert not driver.snapshot.event.outcome.ok
    assert "second time" in driver.message
    assert state_of(driver.debugger) == before
    driver.press("debug.step")
    np.testing.assert_allclose(driver.debugger.snapshot.parameters["x"].data, [0.9, 1.9])


def test_stepping_back_undoes_and_the_curves_stay_dimmed(driver):
    driver.open_scenario("01_who_does_what")
    driver.loop()
    driver.loop()
    later = state_of(driver.debugger)
    driver.press("debug.back", "debug.back")
    assert driver.snapshot.event_index == 6
    assert driver.debugger.snapshot.parameters["x"].grad is None
    assert driver.window.plots.stack.now == 1.5
    driver.trigger("debug.end")
    assert state_of(driver.debugger) == later
    assert driver.window.plots.stack.now is None


def test_linear_regression_finds_the_slope(driver):
    driver.open_scenario("02_linear_regression")
    for _ in range(3):
        driver.loop()
    driver.iterate(47)
    assert driver.snapshot.iteration == 50
    assert driver.debugger.snapshot.parameters["model.0.weight"].data.item() == pytest.approx(
        2, abs=0.2
    )
    same = headless("02_linear_regression", *LOOP * 50)
    assert state_of(driver.debugger) == state_of(same)
    x, loss = driver.points("loss/loss")
    assert x == list(range(51))
    assert loss[-1] < loss[1] / 10


def test_while_the_two_layer_network_trains_the_window_answers(driver, qtbot):
    driver.open_scenario("03_two_layer_network")
    clock, gaps = QElapsedTimer(), []
    clock.start()
    pulse = QTimer()
    pulse.timeout.connect(lambda: gaps.append(clock.restart()))
    pulse.start(5)
    driver.qtbot.mouseClick(driver.button("debug.run"), _left())
    controller = driver.controller
    qtbot.waitUntil(
        lambda: controller.snapshot is not None and controller.snapshot.iteration >= 100,
        timeout=120_000,
    )
    pulse.stop()
    driver.press("debug.pause")
    assert controller.state.work == "paused"
    assert sorted(gaps)[len(gaps) // 2] < 200
    _, loss = driver.points("loss/loss")
    assert np.nanmin(loss) < loss[1] / 4


def test_two_heads_share_a_trunk_and_gradients_add_up(driver):
    driver.open_scenario("04_two_heads_one_optimizer")
    driver.choose("Loss", "loss_a")
    driver.press("debug.zero_grad", "debug.forward", "debug.backward")
    snapshot = driver.debugger.snapshot
    assert snapshot.parameters["head_b.0.weight"].grad is None
    alone = snapshot.parameters["trunk.0.weight"].grad.copy()
    driver.choose("Loss", "loss_b")
    driver.press("debug.forward", "debug.backward")
    assert driver.snapshot.event.operation == Backward("loss_b")
    snapshot = driver.debugger.snapshot
    assert snapshot.parameters["head_b.0.weight"].grad is not None
    assert not np.array_equal(snapshot.parameters["trunk.0.weight"].grad, alone)
    same = Debugger.open(SCENARIOS / "04_two_heads_one_optimizer.json")
    same.zero_grad()
    for loss in ("loss_a", "loss_b"):
        same.forward(loss)
        same.backward(loss)
    assert state_of(driver.debugger) == state_of(same)


def test_of_two_optimizers_the_chosen_one_steps(driver):
    driver.open_scenario("05_two_heads_two_optimizers")
    driver.choose("Loss", "loss_b")
    driver.press("debug.forward", "debug.backward")
    before = state_of(driver.debugger)
    driver.choose("Optimizer", "optimizer_b")
    driver.press("debug.step")
    after = state_of(driver.debugger)
    assert after["trunk.0.weight"] == before["trunk.0.weight"]
    assert after["head_b.0.weight"] != before["head_b.0.weight"]
    assert "optimizer_b/head_b.0.weight/exp_avg" in after
    driver.choose("Optimizer", "optimizer_a")
    driver.press("debug.step")
    assert state_of(driver.debugger)["trunk.0.weight"] != before["trunk.0.weight"]


def test_iris_learns_in_mini_batches_and_a_batch_can_be_held(driver):
    driver.open_scenario("06_iris")
    driver.press("debug.forward")
    first = driver.snapshot.event.rows
    driver.press("debug.hold_batch", "debug.forward")
    assert driver.snapshot.event.operation == Forward("loss", "held")
    assert driver.snapshot.event.rows == first
    driver.press("debug.hold_batch", "debug.forward")
    assert driver.snapshot.event.rows != first
    driver.press("debug.backward", "debug.step")
    driver.press("debug.hold_batch", "debug.iterate", "debug.iterate")
    held = [event.rows for event in driver.debugger.events if isinstance(event.operation, Forward)]
    assert held[-1] == held[-2] == held[-3]
    driver.press("debug.hold_batch")
    driver.iterate(150)
    _, loss = driver.points("loss/loss")
    assert np.nanmean(loss[-10:]) < 0.3
    weight = driver.debugger.snapshot.parameters["model.0.weight"]
    assert weight.state["momentum_buffer"].shape == (16, 4)


def test_a_retained_graph_lets_a_second_backward_through_and_zeros_are_written(driver):
    driver.open_scenario("01_who_does_what")
    actions = driver.window.actions_by_id
    actions["debug.retain_graph"].trigger()
    driver.press("debug.forward", "debug.backward", "debug.backward")
    assert driver.debugger.snapshot.parameters["x"].grad.tolist() == [200, 200]
    actions["debug.zeros"].trigger()
    driver.press("debug.zero_grad")
    assert driver.debugger.snapshot.parameters["x"].grad.tolist() == [0, 0]
    actions["debug.retain_graph"].trigger()
    driver.press("debug.iterate", "debug.iterate")
    assert driver.debugger.events[5].operation == ZeroGrad(set_to_none=False)
    assert driver.debugger.snapshot.parameters["x"].grad.tolist() == [100, 100]
    assert all(event.outcome.ok for event in driver.debugger.events)


def test_rosenbrock_descends_its_valley_in_the_plane(driver):
    driver.open_scenario("07_rosenbrock")
    plots = driver.window.plots
    plots.toolbar.plane.trigger()
    assert plots.plane.here == (-1.5, 2)
    driver.iterate(1000)
    x = driver.debugger.snapshot.parameters["x"].data
    assert np.hypot(*(x - 1)) < 0.3
    assert plots.plane.here == pytest.approx(tuple(x))
    assert driver.points("element/x[0]")[0] == list(range(1001))


def test_an_optimizer_that_holds_the_wrong_model_is_found_out(driver):
    driver.open_scenario("08_wrong_model")
    for _ in range(3):
        driver.loop()
    snapshot = driver.debugger.snapshot
    assert snapshot.parameters["model.0.weight"].grad is not None
    assert snapshot.parameters["model.0.weight"].held_by == ()
    assert snapshot.parameters["other.0.weight"].grad is None
    _, loss = driver.points("loss/loss")
    assert loss[1] == loss[2] == loss[3]
    facts = {finding.id for finding in snapshot.findings if finding.severity == "fact"}
    assert {"optimizer-foreign", "optimizer-orphan"} <= facts


def _left():
    from PySide6.QtCore import Qt

    return Qt.MouseButton.LeftButton


def test_accuracy_on_held_out_rows_is_computed_and_plotted_after_each_epoch(driver):
    driver.open_scenario("21_epochs_and_accuracy")
    driver.iterate(40)
    metric = [event for event in driver.debugger.events if event.operation == Forward("accuracy")]
    assert [event.iteration + 1 for event in metric] == [20, 40]
    plotted = [value for value in driver.points("loss/accuracy")[1] if np.isfinite(value)]
    np.testing.assert_allclose(plotted[-1], metric[-1].loss, rtol=1e-6)
    assert driver.snapshot.event.loss == pytest.approx(155 / 160)
    assert driver.snapshot.last_loss == "train"
