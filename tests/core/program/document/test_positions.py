"""An error of a document is found in its text, however it is laid out."""

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
def test_what_is_wrong_is_found_in_the_text(right, wrong, found):
    assert SOUND.count(right) == 1
    assert blamed(SOUND.replace(right, wrong)) == found


def test_layers_that_do_not_fit_are_found_at_the_layer():
    found = blamed(SOUND.replace('"in_features": 4', '"in_features": 3'))
    assert '"in_features": 3' in found
    assert len(found) < 80


@pytest.mark.parametrize("text", ["", "[1]", '{"name": "no version"}', "[" * 100_000])
def test_what_is_wrong_in_no_one_place_has_none(text):
    assert blamed(text) in {None, ""}


def test_every_start_of_a_document_points_into_it_or_nowhere():
    for stop in range(len(SOUND)):
        text = SOUND[:stop]
        with pytest.raises(ProgramError) as caught:
            codec.decode(text.encode())
        span = error_span(text, caught.value)
        assert span is None or 0 <= span.start <= span.stop <= len(text)
