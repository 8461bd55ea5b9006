"""Documents laid out for people mean what they meant."""

from __future__ import annotations

import pytest

from gradstep.program.document import codec
from gradstep.program.document.layout import format_document
from gradstep.program.gallery import scenarios


@pytest.mark.parametrize("scenario", scenarios(), ids=lambda scenario: scenario.id)
def test_a_document_that_is_laid_out_reads_back_as_the_same_program(scenario):
    spec = codec.read(scenario.path)
    assert codec.decode(format_document(spec).encode()) == spec


def test_what_fits_into_a_line_stands_in_one_and_a_table_fills_its_lines():
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
