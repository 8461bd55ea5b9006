"""Inserting entries into the text of a document."""

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


def test_an_entry_is_inserted_on_a_new_line_after_the_entry_at_the_cursor():
    text = inserted("modules", '{"kind": "Tanh"}', TEXT.index('"in_features": 1'))
    assert '"out_features": 4},\n      {"kind": "Tanh"},\n      {"kind": "ReLU"}\n    ],' in text


def test_an_entry_is_appended_if_the_cursor_is_outside_its_section():
    text = inserted("modules", '{"kind": "Tanh"}')
    assert (
        '"second": [{"kind": "Linear", "in_features": 4, "out_features": 1}, {"kind": "Tanh"}]'
        in text
    )
    assert '    "line": {"kind": "line"},\n    "points": {"kind": "moons"}\n' in inserted(
        "data", '"points": {"kind": "moons"}'
    )


def test_an_inserted_criterion_replaces_that_of_the_loss():
    tree = json.loads(inserted("criterion", '{"kind": "L1Loss"}'))
    assert tree["losses"]["loss"]["criterion"] == {"kind": "L1Loss"}
    bare = TEXT.replace(', "criterion": {"kind": "MSELoss"}', "")
    tree = json.loads(inserted("criterion", '{"kind": "L1Loss"}', text=bare))
    assert tree["losses"]["loss"]["criterion"] == {"kind": "L1Loss"}


def test_a_missing_section_is_added():
    text = inserted("schedulers", '"s": {"kind": "StepLR"}')
    assert text.endswith('  },\n  "schedulers": {\n    "s": {"kind": "StepLR"}\n  }\n}\n')
    tree = json.loads(inserted("loop", '{"op": "forward"}', text='{"gradstep": 1}'))
    assert tree == {"gradstep": 1, "loop": [{"op": "forward"}]}


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: f"{kind.section}-{kind.name}")
def test_inserting_any_kind_gives_a_valid_document(kind):
    if kind.section != "schedulers":
        decode(inserted(kind.section, snippet(kind)).encode())
    else:
        text = TEXT.replace('"sgd"', '"optimizer"')
        decode(inserted(kind.section, snippet(kind), text=text).encode())


def test_the_first_entry_is_inserted_into_an_empty_section():
    assert inserted("data", '"a": 1', text='{"data": {}}') == '{"data": {"a": 1}}'
    assert inserted("loop", "{}", text='{"loop": []}') == '{"loop": [{}]}'


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"modules": 3}', '{"modules": {}}', "{}"])
def test_no_edit_is_returned_if_the_text_has_no_module(text):
    assert insertion_edit(text, "modules", "{}", 0) is None


@pytest.mark.parametrize("section", ["data", "loop", "optimizers", "modules", "criterion"])
def test_no_edit_is_returned_if_a_section_has_the_wrong_type(section):
    text = '{"data": 3, "loop": "x", "optimizers": null, "modules": {"a": 1}, "losses": {"l": 2}}'
    assert insertion_edit(text, section, "{}", 0) is None


def test_a_line_with_every_is_inserted_into_the_loop_and_a_metric_into_the_metrics():
    line = '{"op": "step", "every": "epoch"}'
    assert json.loads(inserted("every", line))["loop"] == [{"op": "step", "every": "epoch"}]
    accuracy = next(kind for kind in kinds() if kind.name == "accuracy")
    tree = json.loads(inserted("metrics", snippet(accuracy)))
    assert tree["metrics"]["accuracy"]["expression"] == "mean(argmax(output, 1) == target)"
