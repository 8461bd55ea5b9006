"""The switch of recording."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

import gradstep


def recorded():
    return (2 * gradstep.ones(1, requires_grad=True)).requires_grad


def test_no_grad_nests_and_ends_with_its_block():
    with gradstep.no_grad():
        assert not recorded()
        with gradstep.enable_grad():
            assert recorded()
        assert not recorded()
    assert recorded()


def test_an_error_inside_the_block_turns_recording_on_again():
    with pytest.raises(ZeroDivisionError), gradstep.no_grad():
        1 / 0  # noqa: B018 - only to raise
    assert gradstep.is_grad_enabled()


def test_one_mode_object_may_be_entered_twice():
    mode = gradstep.no_grad()
    with mode, mode:
        assert not recorded()
    assert recorded()


def test_set_grad_enabled_works_at_once_and_as_a_block():
    gradstep.set_grad_enabled(False)
    assert not recorded()
    gradstep.set_grad_enabled(True)
    with gradstep.set_grad_enabled(False):
        assert not recorded()
    assert recorded()
    assert not gradstep.set_grad_enabled(False)(recorded)()
    assert gradstep.is_grad_enabled()


def test_each_thread_has_its_own_mode():
    with ThreadPoolExecutor(1) as other:
        block = gradstep.no_grad()
        other.submit(block.__enter__).result()
        assert recorded()
        with gradstep.no_grad():
            other.submit(block.__exit__, None, None, None).result()
            assert other.submit(recorded).result()
            assert not recorded()
    assert recorded()
