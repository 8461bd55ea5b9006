"""Formatting documents: the layout, and no change of meaning."""

from __future__ import annotations

import pytest

from gradstep.program.document import codec
from gradstep.program.document.layout import format_document
from gradstep.program.gallery import scenarios


@pytest.mark.parametrize("scenario", scenarios(), ids=lambda scenario: scenario.id)
def test_a_formatted_document_decodes_to_an_equal_spec(scenario):
    spec = codec.read(scenario.path)
    assert codec.decode(format_document(spec).encode()) == spec


def test_values_that_fit_are_on_one_line_and_long_lists_are_wrapped():
    rows = ", ".join(str([float(n)]) for n in range(30))
    weights = ", ".join(str(n) for n in range(60))
    text = format_document(
        codec.decode(
            f"""{{"gradstep": 1, "name": "\u00fcber",
            "tensors": {{"x": {{"value": [{weights}], "requires_grad": true}}}},
            "data": {{"d": {{"kind": "inline", "inputs": [{rows}]}}}}}}""".encode()
        )
    )
    lines = text.splitlines()
    assert lines[:3] == ["{", '  "gradstep": 1,', '  "name": "über",']
    assert max(map(len, lines)) <= 96
    assert sum("[29.0]" in line for line in lines) == 1
    assert len(lines) < 60
