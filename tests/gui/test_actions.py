"""The registry: ids, keys and conditions."""

from collections import Counter
from typing import get_args

import pytest
from PySide6.QtGui import QKeySequence

from gradstep_gui.actions import ACTIONS
from gradstep_gui.records import State, Work
from gradstep_gui.resources import resource

BY_ID = {action.id: action for action in ACTIONS}
PAUSED = State(work="paused", can_go_back=True, can_go_forward=True, has_loop=True, has_data=True)


def test_the_ids_that_others_rely_on_are_there():
    assert {
        "debug.zero_grad",
        "debug.forward",
        "debug.backward",
        "debug.step",
        "debug.back",
        "debug.iterate",
        "debug.run",
        "debug.pause",
        "file.open",
        "file.save",
        "file.new",
    } <= set(BY_ID)


def test_ids_are_unique_and_so_are_keys():
    assert len(BY_ID) == len(ACTIONS)
    keys = Counter(QKeySequence(a.shortcut).toString() for a in ACTIONS if a.shortcut)
    assert [key for key, count in keys.items() if count > 1 or not key] == []


def test_an_action_shares_a_key_only_with_one_that_is_never_enabled_together_with_it():
    states = [State(work, has_loop=True) for work in get_args(Work)]
    for second in (action for action in ACTIONS if action.second_shortcut):
        for first in (action for action in ACTIONS if action.shortcut == second.second_shortcut):
            assert not any(first.enabled_when(at) and second.enabled_when(at) for at in states)


def test_a_letter_to_press_occurs_once_in_each_menu():
    for menu in {action.menu for action in ACTIONS}:
        letters = [
            action.title[action.title.index("&") + 1].lower()
            for action in ACTIONS
            if action.menu is menu and "&" in action.title
        ]
        assert len(letters) == len(set(letters)), menu


def test_every_icon_is_a_file_that_ships():
    for action in ACTIONS:
        if action.icon:
            assert resource(f"icons/{action.icon}.svg").is_file()


def test_tooltips_of_the_four_operations_name_reads_and_writes():
    for name in ("zero_grad", "forward", "backward", "step"):
        words = BY_ID[f"debug.{name}"].tooltip
        assert "Reads" in words
        assert ".grad" in words


@pytest.mark.parametrize(
    ("state", "enabled"),
    [
        (State(), {"file.new", "file.open", "file.quit"}),
        (State(work="running", has_loop=True), {"debug.pause", "file.quit"}),
        (State(work="loading"), {"debug.pause"}),
        (State(work="paused"), {"debug.forward", "debug.backward", "file.save", "file.open"}),
        (PAUSED, {"debug.back", "debug.end", "debug.run", "debug.step_over", "debug.hold_batch"}),
    ],
)
def test_possible_actions_are_enabled(state, enabled):
    assert {name for name in enabled if not BY_ID[name].enabled_when(state)} == set()


@pytest.mark.parametrize(
    ("state", "disabled"),
    [
        (State(), {"debug.forward", "debug.run", "debug.pause", "file.save"}),
        (State(work="running", has_loop=True), {"debug.step", "debug.run", "file.open"}),
        (State(work="paused"), {"debug.back", "debug.run", "debug.pause", "debug.hold_batch"}),
        (State(work="loading"), {"debug.forward", "file.open", "file.save"}),
    ],
)
def test_impossible_actions_are_disabled(state, disabled):
    assert {name for name in disabled if BY_ID[name].enabled_when(state)} == set()


@pytest.mark.parametrize("name", ["debug.what_if", "debug.resume_check"])
def test_what_needs_events_says_so_before_there_is_one(name):
    action = BY_ID[name]
    why = "There are no events yet: apply an operation first."
    assert (action.enabled_when(State("paused")), action.obstacle(State("paused"))) == (False, why)
    assert (action.enabled_when(PAUSED), action.obstacle(PAUSED)) == (True, "")
    assert action.obstacle(State()) == ""


def test_actions_on_a_tensor_name_it_and_are_disabled_without_one():
    watch = next(action for action in ACTIONS if action.id == "tensor.watch_grad")
    assert watch.needs_tensor
    assert watch.text("model.0.weight") == "Watch model.0.weight.&grad"
    assert watch.text() == "Watch Tensor.&grad"
    assert not next(action for action in ACTIONS if action.id == "debug.run").needs_tensor
