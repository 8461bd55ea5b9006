"""Each module that we have agrees with torch on the samples that torch tests itself with."""

from __future__ import annotations

import warnings

import pytest

from tests.conformance import module_db

pytest.importorskip("torch")
pytest.importorskip("expecttest")  # the database needs it, and torch does not bring it
pytestmark = pytest.mark.torch

MODULES = module_db.supported()


@pytest.mark.parametrize("name", MODULES)
def test_samples_agree(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = module_db.tally(MODULES[name])
    assert found.agree
    assert found.differ == []
