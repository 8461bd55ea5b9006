"""Each operation that we have agrees with torch on the samples that torch tests itself with."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path

import pytest

from tests.conformance import op_db

NAMES = (Path(__file__).parents[1] / "data" / "op_db_names.txt").read_text().split()
GOAL = 0.95


@cache
def entries():
    return {op_db.full_name(op): op for op in op_db.supported()}


@pytest.mark.torch
@pytest.mark.parametrize("name", NAMES)
def test_samples_agree(name):
    pytest.importorskip("torch")
    pytest.importorskip("expecttest")  # the database needs it, and torch does not bring it
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = op_db.tally(entries()[name])
    assert found.agree or found.outside
    assert found.share >= GOAL, found.differ[:5]
