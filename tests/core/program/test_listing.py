"""Listings: programs as readable code, with a line span for each line of the loop."""

import ast
import itertools

import pytest

from gradstep.program.document.codec import read
from gradstep.program.gallery import scenarios
from gradstep.program.operation import Backward, Forward
from gradstep.program.program import Program
from gradstep.program.torch_export.export import list_program

SCENARIOS = {scenario.id: scenario for scenario in scenarios()}


def listing_of(name):
    path = SCENARIOS[name].path
    return list_program(Program.from_spec(read(path), path.parent))


def lines_of(listing, place):
    span = listing.spans[place]
    return listing.code.splitlines()[span.first - 1 : span.last]


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_listing_is_valid_python_under_80_lines(name):
    listing = listing_of(name)
    ast.parse(listing.code)
    assert listing.code.count("\n") < 80


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_line_spans_of_a_listing_are_contiguous(name):
    spans = listing_of(name).spans
    assert all(one.last + 1 == other.first for one, other in itertools.pairwise(spans))


def test_one_line_of_the_loop_may_span_several_lines_of_code():
    listing = listing_of("06_iris")
    assert listing.spans[1].operation == Forward("loss")
    assert lines_of(listing, 1) == [
        "    loss_rows = next(iris_batches)",
        "    inputs = iris_inputs[loss_rows]",
        "    target = loss_targets[loss_rows]",
        "    loss = loss_criterion(model(inputs), target)",
    ]


def test_a_line_with_every_includes_its_condition():
    listing = listing_of("04_two_heads_one_optimizer")
    assert (listing.spans[4].operation, listing.spans[4].every) == (Backward("loss_b"), 10)
    assert lines_of(listing, 4) == [
        "    if (iteration + 1) % 10 == 0:",
        "        loss_b.backward()",
    ]


def test_a_listing_abbreviates_large_data_and_shows_small_tensors():
    assert "iris_inputs = ...  # 150 x 4 float32" in listing_of("06_iris").code
    assert "x = torch.tensor([1.0, 2.0])" in listing_of("01_who_does_what").code


def test_a_listing_has_what_the_document_says_about_the_program():
    spec = read(SCENARIOS["01_who_does_what"].path)
    assert listing_of("01_who_does_what").description == spec.description
