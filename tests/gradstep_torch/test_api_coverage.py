"""The names that short public scripts use are here, or left out on purpose."""

from __future__ import annotations

import pytest

import gradstep_torch
from tests.gradstep_torch import api_coverage


def test_every_other_name_is_here():
    assert api_coverage.missing() == []


def test_nothing_is_left_out_or_elsewhere_that_is_here():
    here = [name for name in api_coverage.LEFT_OUT if api_coverage.resolves(name)]
    assert here == []
    named = {name for _, name in api_coverage.counted()}
    assert {*api_coverage.LEFT_OUT, *api_coverage.ELSEWHERE} <= named


def test_a_name_that_is_not_there_says_so_in_one_line():
    with pytest.raises(AttributeError, match="'fft'") as raised:
        gradstep_torch.fft  # noqa: B018 - reading it is the test
    assert "\n" not in str(raised.value)
