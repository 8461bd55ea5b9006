"""Finding the text that an error of a document refers to."""

from __future__ import annotations

import pytest

from gradstep.debugger import Debugger
from gradstep.errors import ProgramError
from gradstep.program.document import codec
from gradstep.program.document.positions import error_span

SOUND = """{
  "gradstep": 1,
  "data": {"points": {"kind": "line", "samples": 20}},
  "modules": {
    "model": [
      {"kind": "Linear", "in_features": 1, "out_features": 4},
      {"kind": "Linear", "in_features": 4, "out_features": 1}
    ]
  },
  "losses": {"loss": {"data": "points", "chain": ["model"], "criterion": {"kind": "MSELoss"}}},
  "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.1}}
}"""


def blamed(text):
    """Return what is blamed in a text, which must be wrong."""
    with pytest.raises(ProgramError) as caught:
        Debugger(codec.decode(text.encode()))
    span = error_span(text, caught.value)
    return None if span is None else text[slice(*span)]


@pytest.mark.parametrize(
    ("right", "wrong", "found"),
    [
        ('"lr": 0.1', '"lr": "x"', '"lr": "x"'),
        ('"lr": 0.1', '"speed": 0.1', '"speed": 0.1'),
        ('"in_features": 4', '"in_features": -4', '"in_features": -4'),
        ('"kind": "MSELoss"', '"kind": "MSE"', '"kind": "MSE"'),
        ('"samples": 20', '"samples": 20, "samples": 21', '"samples": 21'),
        ('"data": "points"', '"data": "\\u0070oint"', '"data": "\\u0070oint"'),
        ('"gradstep": 1,', '"gradstep": 1 ', '"'),
        ('"gradstep": 1,', '"gradstep": 1,,', ","),
        ("0.1}}\n}", "0.1}}\n", "\n"),
        ("0.1}}\n}", "0.1}}\n}\n \n, 1", ","),
    ],
)
def test_an_error_span_covers_the_invalid_field(right, wrong, found):
    assert SOUND.count(right) == 1
    assert blamed(SOUND.replace(right, wrong)) == found


def test_the_error_span_of_mismatched_layers_covers_one_layer():
    found = blamed(SOUND.replace('"in_features": 4', '"in_features": 3'))
    assert '"in_features": 3' in found
    assert len(found) < 80


@pytest.mark.parametrize("text", ["", "[1]", '{"name": "no version"}', "[" * 100_000])
def test_an_error_without_a_single_place_has_no_span(text):
    assert blamed(text) in {None, ""}


def test_error_spans_of_truncated_documents_lie_inside_the_text():
    for stop in range(len(SOUND)):
        text = SOUND[:stop]
        with pytest.raises(ProgramError) as caught:
            codec.decode(text.encode())
        span = error_span(text, caught.value)
        assert span is None or 0 <= span.start <= span.stop <= len(text)
