"""Columns: their names are those under which the History records them."""

import numpy as np
import pytest

from gradstep.errors import GradStepError
from gradstep.history.curves.series import Series
from gradstep.history.history import History
from gradstep.program.document.codec import decode
from gradstep.program.program import Program
from gradstep.script.mirror import Mirror
from gradstep_gui.plotting import columns
from tests.core.script.sent_frames import Sent, take

DOCUMENT = b"""{"gradstep": 1,
    "data": {"a": {"kind": "moons", "samples": 4}},
    "modules": {"model": [{"kind": "Linear", "in_features": 2, "out_features": 1}]},
    "tensors": {"x": {"value": [[1, 2, 3]], "requires_grad": true},
                "s": {"value": 4, "requires_grad": true}},
    "losses": {"loss": {"expression": "sum(x) * s"},
               "net": {"data": "a", "chain": ["model"],
                       "criterion": {"kind": "BCEWithLogitsLoss"}}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["x", "s"], "lr": 0.001}}}"""


@pytest.fixture(scope="module")
def series():
    series = Series(Program.from_spec(decode(DOCUMENT)))
    series.choose_output("model.0")
    return series


@pytest.mark.parametrize(
    "column",
    [
        columns.loss("loss"),
        columns.norm("x"),
        columns.gradient_of(columns.norm("x")),
        columns.element("x", (0, 2)),
        columns.gradient_of(columns.element("x", (0, 2))),
        columns.element("s", ()),
        columns.gradient_of(columns.element("s", ())),
        columns.output("model.0"),
    ],
)
def test_a_column_is_recorded_under_its_name(series, column):
    assert column in series.names
    assert len(series.column(column)[1]) == 1


def test_every_recorded_column_but_that_of_events_can_be_taken_apart(series):
    parsed = {name: columns.parse(name) for name in series.names if name != "event"}
    assert parsed["update/x"].kind == "update"
    assert parsed["output/model.0"] == columns.SeriesName("output", "model.0")
    assert parsed["output/model.0"].address == "model.0.output"
    assert parsed["element/x.grad[0,1]"] == columns.SeriesName("element", "x", True, (0, 1))
    assert np.isnan(series.column("element/x.grad[0,1]")[1]).all()


def test_the_names_of_what_a_script_holds_in_lists_are_taken_apart():
    sent = Sent()
    sent.tensor("weights[0]", [1.0, 2.0])
    sent.tensor("weights[1]", 3.0)
    sent.tensor('nets["a.b"].bias', [4.0])
    series = History.start(Mirror(take(sent.stream))).series
    parsed = {name: columns.parse(name) for name in series.names if name != "event"}
    assert parsed["norm/weights[0]"] == columns.SeriesName("norm", "weights[0]")
    assert parsed["update/weights[1]"].name == "weights[1]"
    assert parsed["norm/weights[0].grad"].address == "weights[0].grad"
    assert parsed["element/weights[0][1]"] == columns.SeriesName(
        "element", "weights[0]", False, (1,)
    )
    assert parsed["element/weights[1][]"] == columns.SeriesName("element", "weights[1]")
    assert parsed['element/nets["a.b"].bias.grad[0]'].address == 'nets["a.b"].bias.grad'
    assert {columns.gradient_of(f"norm/{name}") for name in series.tensors} <= parsed.keys()
    assert columns.gradient_of("element/weights[0][1]") in parsed


@pytest.mark.parametrize("name", ["", "loss", "element/x[a]", "speed/x", "norm/"])
def test_an_unknown_column_is_rejected(name):
    with pytest.raises(GradStepError, match="is not a series"):
        columns.parse(name)
