"""Listings: programs to be read, with a place in the code for every line of the loop."""

import ast
import itertools

import pytest

from gradstep.program.document.codec import read
from gradstep.program.gallery import lesson, scenarios
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
def test_every_listing_is_python_and_short_enough_to_read(name):
    listing = listing_of(name)
    ast.parse(listing.code)
    assert listing.code.count("\n") < 80


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_lines_of_the_loop_follow_one_another_in_the_code(name):
    spans = listing_of(name).spans
    assert all(one.last + 1 == other.first for one, other in itertools.pairwise(spans))


def test_a_line_of_the_loop_may_stand_for_several_of_code():
    listing = listing_of("06_iris")
    assert listing.spans[1].operation == Forward("loss")
    assert lines_of(listing, 1) == [
        "    loss_rows = next(iris_batches)",
        "    inputs = iris_inputs[loss_rows]",
        "    target = loss_targets[loss_rows]",
        "    loss = loss_criterion(model(inputs), target)",
    ]


def test_a_line_that_is_not_done_every_time_stands_with_its_condition():
    listing = listing_of("04_two_heads_one_optimizer")
    assert (listing.spans[4].operation, listing.spans[4].every) == (Backward("loss_b"), 10)
    assert lines_of(listing, 4) == [
        "    if (iteration + 1) % 10 == 0:",
        "        loss_b.backward()",
    ]


def test_large_data_are_hinted_at_and_small_tensors_written_out():
    assert "iris_inputs = ...  # 150 x 4 float32" in listing_of("06_iris").code
    assert "x = torch.tensor([1.0, 2.0])" in listing_of("01_who_does_what").code


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_scenario_has_a_short_lesson_under_its_own_name(name):
    text = lesson(read(SCENARIOS[name].path)).splitlines()
    assert text[0] == f"# {SCENARIOS[name].title}"
    assert 10 < len(text) < 40


def test_a_program_of_ones_own_has_its_description_as_lesson():
    spec = read(SCENARIOS["06_iris"].path)
    own = type(spec)(gradstep=1, name=spec.name, description="My own words.", tensors={})
    assert lesson(own) == "My own words."
