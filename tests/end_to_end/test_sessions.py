"""Saved, opened again and continued, a session gives what an uninterrupted run gives."""

import shutil

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep_gui.widgets.dialogs import questions as dialogs
from tests.end_to_end.driver import SCENARIOS, state_of


@pytest.fixture
def save_to(monkeypatch):
    def answer(path):
        monkeypatch.setattr(dialogs, "ask_new_path", lambda *_: path)

    return answer


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["01_who_does_what", "04_two_heads_one_optimizer", "06_iris", "07_rosenbrock"],
)
def test_a_session_continues_where_it_was_saved_bit_for_bit(make_driver, save_to, tmp_path, name):
    path = tmp_path / "session.gradstep"
    save_to(path)
    first = make_driver()
    first.open_scenario(name)
    first.iterate(7)
    first.press("debug.zero_grad", "debug.forward", "debug.backward")
    first.trigger("file.save_as")
    assert not first.controller.document.modified
    before = state_of(first.debugger)
    events = len(first.debugger.events)
    curves = first.points("loss/" + next(iter(first.snapshot.losses)))
    first.window.close()

    again = make_driver(path)
    assert state_of(again.debugger) == before
    assert len(again.debugger.events) == events
    np.testing.assert_array_equal(
        again.points("loss/" + next(iter(again.snapshot.losses)))[1][:8], curves[1][:8]
    )
    again.press("debug.step")
    again.iterate(5)

    straight = Debugger.open(SCENARIOS / f"{name}.json")
    straight.iterate(7)
    for operation in ("zero_grad", "forward", "backward", "step"):
        getattr(straight, operation)()
    straight.iterate(5)
    assert state_of(again.debugger) == state_of(straight)


def test_every_moment_of_an_opened_session_can_be_restored(make_driver, save_to, tmp_path):
    path = tmp_path / "session.gradstep"
    save_to(path)
    first = make_driver()
    first.open_scenario("02_linear_regression")
    first.iterate(3)
    moments = []
    for index in range(13):
        first.controller.seek(index)
        moments.append(state_of(first.debugger))
    first.settle()
    first.trigger("file.save_as")
    first.window.close()
    again = make_driver(path)
    for index, moment in reversed(list(enumerate(moments))):
        again.controller.seek(index)
        assert state_of(again.debugger) == moment, index


def test_a_session_under_another_name_is_saved_where_it_came_from(make_driver, save_to, tmp_path):
    path, copy = tmp_path / "session.gradstep", tmp_path / "session.bak"
    save_to(path)
    first = make_driver()
    first.open_scenario("02_linear_regression")
    first.iterate(3)
    first.trigger("file.save_as")
    first.window.close()
    shutil.copy(path, copy)
    save_to(None)  # nobody answers: it must not ask

    again = make_driver(copy)
    again.iterate(2)
    again.trigger("file.save")
    again.settle()

    assert not again.controller.document.modified
    assert len(Debugger.open(copy).events) == len(Debugger.open(path).events) + 8


def test_a_damaged_session_is_rejected_and_the_open_one_stays(driver, tmp_path):
    driver.open_scenario("06_iris")
    driver.iterate(2)
    before = state_of(driver.debugger)
    path = tmp_path / "broken.gradstep"
    path.write_bytes(b"SQLite format 3\0" + bytes(4096))
    driver.controller.open(path)
    driver.settle()
    assert "broken.gradstep" in driver.message
    assert state_of(driver.debugger) == before


def test_a_wrong_program_is_rejected_with_the_place_of_the_error(driver, tmp_path):
    driver.open_scenario("06_iris")
    text = (SCENARIOS / "06_iris.json").read_text().replace('"lr": 0.05', '"lr": -0.05')
    path = tmp_path / "wrong.json"
    path.write_text(text)
    driver.controller.open(path)
    driver.settle()
    assert "$.optimizers.optimizer.lr" in driver.message
    assert driver.controller.document.name == "Iris in mini-batches"


def test_a_copy_of_a_read_only_session_opens(make_driver, save_to, tmp_path):
    path = tmp_path / "session.gradstep"
    save_to(path)
    first = make_driver()
    first.open_scenario("01_who_does_what")
    first.loop()
    first.trigger("file.save_as")
    first.window.close()
    folder = tmp_path / "read_only"
    folder.mkdir()
    copy = folder / "copy.gradstep"
    shutil.copy(path, copy)
    copy.chmod(0o444)
    folder.chmod(0o555)
    try:
        again = make_driver(copy)
        np.testing.assert_allclose(again.debugger.snapshot.parameters["x"].data, [0.9, 1.9])
    finally:
        folder.chmod(0o755)
