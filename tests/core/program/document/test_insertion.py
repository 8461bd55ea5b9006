"""What is inserted stands where it belongs, and what comes of it is a program."""

from __future__ import annotations

import json

import pytest

from gradstep.program.document.codec import decode
from gradstep.program.document.insertion import insertion_edit
from gradstep.program.schema.reference import kinds, snippet

TEXT = """{
  "gradstep": 1,
  "data": {
    "line": {"kind": "line"}
  },
  "modules": {
    "first": [
      {"kind": "Linear", "in_features": 1, "out_features": 4},
      {"kind": "ReLU"}
    ],
    "second": [{"kind": "Linear", "in_features": 4, "out_features": 1}]
  },
  "losses": {
    "loss": {"data": "line", "chain": ["first", "second"], "criterion": {"kind": "MSELoss"}}
  },
  "optimizers": {
    "sgd": {"kind": "SGD", "params": ["first.*", "second.*"]}
  }
}
"""


def inserted(section, entry, at=0, text=TEXT):
    change = insertion_edit(text, section, entry, at)
    return text[: change.start] + change.text + text[change.stop :]


def test_an_entry_goes_behind_that_of_the_cursor_on_its_own_line():
    text = inserted("modules", '{"kind": "Tanh"}', TEXT.index('"in_features": 1'))
    assert '"out_features": 4},\n      {"kind": "Tanh"},\n      {"kind": "ReLU"}\n    ],' in text


def test_an_entry_goes_behind_the_last_one_when_the_cursor_is_elsewhere():
    text = inserted("modules", '{"kind": "Tanh"}')
    assert (
        '"second": [{"kind": "Linear", "in_features": 4, "out_features": 1}, {"kind": "Tanh"}]'
        in text
    )
    assert '    "line": {"kind": "line"},\n    "points": {"kind": "moons"}\n' in inserted(
        "data", '"points": {"kind": "moons"}'
    )


def test_a_criterion_takes_the_place_of_the_own_one_of_the_loss():
    tree = json.loads(inserted("criterion", '{"kind": "L1Loss"}'))
    assert tree["losses"]["loss"]["criterion"] == {"kind": "L1Loss"}
    bare = TEXT.replace(', "criterion": {"kind": "MSELoss"}', "")
    tree = json.loads(inserted("criterion", '{"kind": "L1Loss"}', text=bare))
    assert tree["losses"]["loss"]["criterion"] == {"kind": "L1Loss"}


def test_a_section_that_is_missing_is_begun():
    text = inserted("schedulers", '"s": {"kind": "StepLR"}')
    assert text.endswith('  },\n  "schedulers": {\n    "s": {"kind": "StepLR"}\n  }\n}\n')
    tree = json.loads(inserted("loop", '{"op": "forward"}', text='{"gradstep": 1}'))
    assert tree == {"gradstep": 1, "loop": [{"op": "forward"}]}


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: f"{kind.section}-{kind.name}")
def test_every_kind_finds_its_place_in_a_document(kind):
    if kind.section != "schedulers":
        decode(inserted(kind.section, snippet(kind)).encode())
    else:
        text = TEXT.replace('"sgd"', '"optimizer"')
        decode(inserted(kind.section, snippet(kind), text=text).encode())


def test_an_empty_list_or_object_takes_its_first():
    assert inserted("data", '"a": 1', text='{"data": {}}') == '{"data": {"a": 1}}'
    assert inserted("loop", "{}", text='{"loop": []}') == '{"loop": [{}]}'


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"modules": 3}', '{"modules": {}}', "{}"])
def test_a_text_without_a_place_for_a_layer_has_none(text):
    assert insertion_edit(text, "modules", "{}", 0) is None


@pytest.mark.parametrize("section", ["data", "loop", "optimizers", "modules", "criterion"])
def test_what_is_neither_an_object_nor_a_list_takes_nothing_in(section):
    text = '{"data": 3, "loop": "x", "optimizers": null, "modules": {"a": 1}, "losses": {"l": 2}}'
    assert insertion_edit(text, section, "{}", 0) is None
