"""The reference of program documents: every kind is listed, and its examples run."""

import json
import re

import msgspec
import pytest

from gradstep.debugger import Debugger
from gradstep.program.document.codec import decode
from gradstep.program.resources import resource
from gradstep.program.schema.optimizers import OPTIMIZERS, SCHEDULERS
from gradstep.program.schema.program_spec import ProgramSpec
from gradstep.program.schema.reference import kinds, snippet, tables

PAGE = resource("help/programs.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.slow
def test_every_kind_is_listed_once_in_the_reference():
    known = kinds()
    names = [(kind.section, kind.name) for kind in known]
    assert len(set(names)) == len(names)
    by_section = {section: {n for s, n in names if s == section} for section, _ in names}
    assert by_section["optimizers"] == set(OPTIMIZERS)
    assert by_section["schedulers"] == set(SCHEDULERS)
    assert {"csv", "iris"} <= by_section["data"]
    assert {"Linear", "Conv2d"} <= by_section["modules"]
    assert by_section["loop"] >= {"zero_grad", "forward", "backward", "step", "freeze"}
    for kind in known:
        assert kind.summary.endswith("."), kind.name
        assert f"| `{kind.name}` |" in tables()


def test_every_kind_in_the_reference_is_in_the_schema():
    schema = json.dumps(msgspec.json.schema(ProgramSpec))
    for kind in kinds():
        if kind.section in {"data", "modules", "criterion", "loop"}:
            assert f'"enum": ["{kind.name}"]' in schema or f'"{kind.name}"' in schema, kind.name


def test_the_help_page_names_every_section_of_a_document():
    for field in msgspec.structs.fields(ProgramSpec):
        assert f"`{field.name}`" in PAGE, field.name


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda text: json.loads(text)["name"])
def test_the_examples_on_the_help_page_run_and_reduce_the_loss(example, tmp_path):
    rows = "".join(f"{i % 3},{i % 5},{int(i % 3 > i % 5)}\n" for i in range(15))
    (tmp_path / "points.csv").write_text("u,v,y\n" + rows)
    houses = [f"{i % 7},{'abc'[i % 3]},{'SML'[i % 2]},{i % 7 + i % 3}\n" for i in range(30)]
    for name, rows in (("train", [*houses, ",a,S,3\n"]), ("test", houses[::4])):
        (tmp_path / f"{name}.csv").write_text("area,district,size,price\n" + "".join(rows))
    debugger = Debugger(decode(example.encode()), tmp_path)
    debugger.iterate(40)
    losses = [event.loss for event in debugger.events if event.loss is not None]
    assert losses[-1] < losses[0]
    assert [finding.id for finding in debugger.findings if finding.severity == "fact"] == []


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: f"{kind.section}-{kind.name}")
def test_the_snippet_of_a_kind_is_valid_in_its_section(kind):
    text = snippet(kind)
    tree = {
        "gradstep": 1,
        "data": {"points": {"kind": "line"}},
        "modules": {"model": [{"kind": "Flatten"}]},
        "losses": {
            "loss": {"data": "points", "chain": ["model"], "criterion": {"kind": "MSELoss"}}
        },
        "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"]}},
    }
    entry = json.loads(text if text.startswith("{") else f"{{{text}}}")
    if kind.section == "modules":
        tree["modules"]["model"].append(entry)
    elif kind.section in {"loop", "every"}:
        tree["loop"] = [entry]
    elif kind.section == "criterion":
        tree["losses"]["loss"]["criterion"] = entry
    else:
        tree.setdefault(kind.section, {}).update(entry)
    decode(json.dumps(tree).encode())


@pytest.mark.parametrize("kind", [kind for kind in kinds() if kind.section == "metrics"])
def test_a_metric_in_the_reference_is_computed_with_every_form_of_a_line(kind):
    is_class = kind.name == "accuracy"
    points = {"kind": "blobs" if is_class else "line", "validation": 0.2, "batch_size": 16}
    width = {"in_features": 2, "out_features": 3} if is_class else {"in_features": 1}
    criterion = "CrossEntropyLoss" if is_class else "MSELoss"
    every = [json.loads(snippet(form)) for form in kinds() if form.section == "every"]
    tree = {
        "gradstep": 1,
        "data": {"points": points},
        "modules": {"model": [{"kind": "Linear", "out_features": 1, **width}]},
        "losses": {
            "loss": {"data": "points", "chain": ["model"], "criterion": {"kind": criterion}}
        },
        "metrics": json.loads(f"{{{snippet(kind)}}}"),
        "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"]}},
        "loop": [
            {"op": "forward", "loss": "loss"},
            *({**line, "op": "forward", "loss": kind.name} for line in every),
        ],
    }
    debugger = Debugger(decode(json.dumps(tree).encode()))
    debugger.iterate(9)
    found = [event for event in debugger.events if kind.name in event.writes]
    # 80 rows in batches of 16 are 5 batches: an epoch ends with iteration 5.
    assert {event.iteration + 1 for event in found} == {1, 3, 4, 5, 6, 7, 9}
    assert all(event.loss > 0 for event in found)
