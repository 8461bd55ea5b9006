"""Every misuse raises the type that torch raises, with the phrase that people search for."""

from __future__ import annotations

import re
import warnings

import pytest

import gradstep_torch
from gradstep.errors import GradStepError
from tests.conformance import (
    misuse_graph,
    misuse_learners,
    misuse_modules,
    misuse_shapes,
    misuse_values,
)

CASES = [
    *misuse_graph.CASES,
    *misuse_shapes.CASES,
    *misuse_values.CASES,
    *misuse_modules.CASES,
    *misuse_learners.CASES,
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_misuse_raises_the_type_with_the_phrase(case):
    with pytest.raises(case.error, match=re.escape(case.phrase)) as raised:
        case.call(gradstep_torch)
    assert isinstance(raised.value, GradStepError)


@pytest.mark.torch
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_torch_raises_the_same_type(case):
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(case.error) as raised:
            case.call(torch)
    assert (
        issubclass(case.error, type(raised.value)) or type(raised.value).__name__ == "LinAlgError"
    )


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", misuse_learners.CASES, ids=lambda case: case.name)
def test_torch_raises_the_same_message(case):
    torch = pytest.importorskip("torch")
    with pytest.raises(case.error, match=re.escape(case.phrase)):
        case.call(torch)
