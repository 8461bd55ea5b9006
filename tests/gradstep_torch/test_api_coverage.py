"""The names that short public scripts use are here, or omitted on purpose."""

from __future__ import annotations

import pytest

import gradstep_torch
from tests.gradstep_torch import api_coverage


def test_every_name_not_excluded_exists():
    assert api_coverage.missing() == []


def test_no_excluded_name_exists():
    here = [name for name in api_coverage.LEFT_OUT if api_coverage.resolves(name)]
    assert here == []
    named = {name for _, name in api_coverage.counted()}
    assert {*api_coverage.LEFT_OUT, *api_coverage.ELSEWHERE} <= named


def test_a_missing_name_is_reported_in_one_line():
    with pytest.raises(AttributeError, match="'fft'") as raised:
        gradstep_torch.fft  # noqa: B018 - reading it is the test
    assert "\n" not in str(raised.value)
