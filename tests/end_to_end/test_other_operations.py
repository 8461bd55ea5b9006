"""What can be done by hand besides the four buttons: each reaches the program."""

import pytest

from gradstep.program.operation import (
    ClipGradNorm,
    ClipGradValue,
    Freeze,
    RebuildModule,
    ReplaceOptimizer,
    SetBatchSize,
    SetMode,
    SetValue,
)


@pytest.mark.parametrize(
    ("kind", "target", "operation"),
    [
        ("Clip Grad Norm", "optimizer to norm 1", ClipGradNorm(1.0)),
        ("Freeze", "trunk.*", Freeze("trunk.*")),
        ("Thaw", "head_b.*", Freeze("head_b.*", frozen=False)),
        ("Set Mode", "trunk: eval", SetMode(training=False, module="trunk")),
        ("Rebuild Module", "head_a", RebuildModule("head_a")),
    ],
)
def test_an_operation_of_the_menu_is_done(driver, kind, target, operation):
    driver.open_scenario("04_two_heads_one_optimizer")
    driver.press("debug.zero_grad", "debug.forward")
    driver.do_other(kind, target)
    assert driver.snapshot.event.operation == operation
    assert driver.snapshot.event.outcome.ok


def test_the_menu_rests_while_nothing_is_open_and_follows_the_program(driver):
    menu = driver.window.other_operations
    assert not menu.isEnabled()
    driver.open_scenario("01_who_does_what")
    assert menu.isEnabled()
    kinds = [entry.text() for entry in menu.actions()]
    assert kinds == [
        "Clip Grad Norm",
        "Clip Grad Value",
        "Replace Optimizer",
        "Freeze",
        "Thaw",
    ]
    driver.open_scenario("02_linear_regression")
    assert "Set Mode" in [entry.text() for entry in menu.actions()]


def test_a_number_that_is_typed_over_is_written_and_can_be_undone(driver):
    driver.open_scenario("01_who_does_what")
    driver.press("debug.forward")
    driver.window.show_view("parameters")
    driver.settle()
    table = driver.window.docks["parameters"].widget().details.array_view.table
    place = table.model().index(0, 1)
    assert table.model().setData(place, "7.5")
    driver.settle()
    assert driver.snapshot.event.operation == SetValue("x", 7.5, (1,))
    assert driver.debugger.snapshot.parameters["x"].data.tolist() == [1, 7.5]
    assert place.data() == "7.5"
    driver.press("debug.back")
    assert driver.debugger.snapshot.parameters["x"].data.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("kind", "target", "operation"),
    [
        ("Set Batch Size", "iris: all rows", SetBatchSize("iris", None)),
        ("Set Batch Size", "iris: 30", SetBatchSize("iris", 30)),
        ("Replace Optimizer", "optimizer with Adam", ReplaceOptimizer("Adam")),
        ("Clip Grad Value", "optimizer to ±1", ClipGradValue(1.0)),
    ],
)
def test_batch_size_optimizer_and_clipping_are_changed_by_the_menu(driver, kind, target, operation):
    driver.open_scenario("06_iris")
    driver.press("debug.zero_grad", "debug.forward", "debug.backward")
    driver.do_other(kind, target)
    assert driver.snapshot.event.operation == operation
    assert driver.snapshot.event.outcome.ok
    driver.press("debug.forward")
    rows = len(driver.debugger.program.batches["loss"].rows)
    rest_of_the_epoch = 150 - 15
    sizes = {SetBatchSize("iris", None): rest_of_the_epoch, SetBatchSize("iris", 30): 30}
    assert rows == (sizes[operation] if kind == "Set Batch Size" else 15)


def test_the_menu_offers_the_clip_value_of_the_loop_a_tenth_and_tenfold(driver):
    driver.open_scenario("17_clip_too_late")
    menu = next(
        entry.menu()
        for entry in driver.window.other_operations.actions()
        if entry.text() == "Clip Grad Norm"
    )
    texts = [entry.text() for entry in menu.actions() if not entry.isSeparator()]
    limit = next(
        line.operation.max_norm
        for line in driver.debugger.program.spec.loop
        if isinstance(line.operation, ClipGradNorm)
    )
    offered = [f"optimizer to norm {value:g}" for value in (limit, limit / 10, limit * 10)]
    assert texts == [*offered, "optimizer to…"]


@pytest.mark.parametrize(
    ("kind", "target", "text", "operation", "exported"),
    [
        (
            "Clip Grad Norm",
            "optimizer to…",
            "0.037",
            ClipGradNorm(0.037),
            "nn.utils.clip_grad_norm_(parameters_of(optimizer), 0.037, norm_type=2.0)",
        ),
        (
            "Clip Grad Value",
            "optimizer to…",
            "1e-3",
            ClipGradValue(0.001),
            "nn.utils.clip_grad_value_(parameters_of(optimizer), 0.001)",
        ),
        ("Set Batch Size", "iris: Other…", "7", SetBatchSize("iris", 7), "iris_batches.size = 7"),
    ],
)
def test_a_typed_value_is_recorded_exported_and_replayed(
    driver, kind, target, text, operation, exported
):
    driver.open_scenario("06_iris")
    driver.press("debug.zero_grad", "debug.forward", "debug.backward")
    driver.do_other(kind, target)
    driver.window.other_value.dialog.field.setText(text)
    driver.window.other_value.dialog.accept()
    driver.settle()
    assert driver.snapshot.event.operation == operation
    assert driver.snapshot.event.outcome.ok
    assert f"\n{exported}\n" in driver.debugger.script()
    driver.press("debug.step", "debug.forward")
    after = driver.debugger.snapshot.parameters["model.0.weight"].data.tobytes()
    rows = driver.debugger.program.batches["loss"].rows
    driver.press("debug.back", "debug.back", "debug.back")
    assert driver.snapshot.event.operation != operation
    driver.window.controller.seek(driver.snapshot.event_count)
    driver.settle()
    assert driver.debugger.snapshot.parameters["model.0.weight"].data.tobytes() == after
    assert driver.debugger.program.batches["loss"].rows == rows
