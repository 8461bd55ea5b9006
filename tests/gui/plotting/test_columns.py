"""Columns: their names are those under which the History records them."""

import numpy as np
import pytest

from gradstep.errors import GradStepError
from gradstep.history.curves.series import Series
from gradstep.program.document.codec import decode
from gradstep.program.program import Program
from gradstep_gui.plotting import columns

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


@pytest.mark.parametrize("name", ["", "loss", "element/x[a]", "speed/x", "norm/"])
def test_an_unknown_column_is_rejected(name):
    with pytest.raises(GradStepError, match="is not a series"):
        columns.parse(name)
