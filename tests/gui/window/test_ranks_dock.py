"""The dock of ranks is there only while there are ranks, and tells what happens while unseen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gradstep_gui.worker.updates import RanksUpdate
from tests.gui.views.test_ranks import DIVERGENCE, FIRST, SECOND


def publish(window, *records):
    window.controller.ranks.handlers[RanksUpdate](RanksUpdate(records))


@pytest.fixture
def opened(make_window, open_fake):
    window = make_window(open_fake, ())
    window.controller.open(Path("parabola.json"))
    assert window.controller.wait_idle(60)
    return window


@pytest.fixture
def dock(opened):
    return opened.docks["ranks"]


def test_it_comes_to_the_front_with_ranks_and_leaves_with_them(opened, dock):
    toggle = dock.toggleViewAction()
    for is_there in (False, True, False):
        publish(opened, *((FIRST, SECOND) if is_there else ()))
        assert (dock.isVisible(), toggle.isVisible()) == (is_there, is_there)
        if is_there:
            assert not dock.visibleRegion().isEmpty()


def test_restoring_the_layout_shows_it_only_with_ranks(opened, dock):
    opened._restore_layout()
    assert dock.isHidden()
    publish(opened, FIRST, SECOND)
    dock.close()
    opened._restore_layout()
    assert not dock.isHidden()


def test_what_is_wrong_is_a_message_only_where_the_dock_is_not_seen(opened, dock):
    wrong = replace(SECOND, divergence=DIVERGENCE)
    publish(opened, FIRST, SECOND)
    publish(opened, FIRST, wrong)
    assert opened.messages.history == ()
    opened.show_view("findings")
    publish(opened, FIRST, SECOND)
    publish(opened, FIRST, wrong)
    publish(opened, FIRST, replace(wrong, is_first_failure=True, error="ValueError: no"))
    assert [message.text for message in opened.messages.history] == [
        DIVERGENCE.sentence,
        "Rank 1 has failed: ValueError: no",
    ]
