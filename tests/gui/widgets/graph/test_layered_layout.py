"""Layered layout: edges lead down, boxes keep clear, and few lines cross."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradstep_gui.widgets.graph.layered_layout import GAP_X, layered


@st.composite
def graphs(draw):
    """Boxes of some sizes, and edges from lower to higher numbers: without cycles."""
    count = draw(st.integers(1, 14))
    sizes = draw(
        st.lists(st.tuples(st.floats(20, 200), st.floats(20, 60)), min_size=count, max_size=count)
    )
    pairs = list(itertools.combinations(range(count), 2))
    edges = draw(st.lists(st.sampled_from(pairs), max_size=30)) if pairs else []
    return sizes, edges


@given(graphs())
def test_every_edge_leads_down_and_no_boxes_overlap(graph):
    sizes, edges = graph
    places = layered(sizes, edges)
    for upper, lower in edges:
        assert places.layers[upper] > places.layers[lower]
        assert places.centres[upper][1] < places.centres[lower][1]
    for one, two in itertools.combinations(range(len(sizes)), 2):
        (x1, y1), (x2, y2) = places.centres[one], places.centres[two]
        if places.layers[one] == places.layers[two]:
            assert abs(x1 - x2) >= (sizes[one][0] + sizes[two][0]) / 2 + GAP_X - 1e-6
            assert y1 == pytest.approx(y2)


@given(graphs())
def test_bends_go_down_one_layer_at_a_time(graph):
    sizes, edges = graph
    places = layered(sizes, edges)
    for (upper, lower), bends in places.bends.items():
        ys = [places.centres[upper][1], *[y for _, y in bends], places.centres[lower][1]]
        assert ys == sorted(ys)
        assert len(bends) == places.layers[upper] - places.layers[lower] - 1


def test_a_chain_is_straight():
    places = layered([(100, 40), (60, 40), (80, 40)], [(0, 1), (1, 2)])
    assert [x for x, _ in places.centres] == [0.0, 0.0, 0.0]
    assert places.layers == (2, 1, 0)


def test_a_layer_of_a_network_has_bias_left_input_between_and_weight_right():
    bias, earlier, weight, product = range(4)
    edges = [(bias, product), (earlier, product), (weight, product), (4, earlier)]
    xs = [x for x, _ in layered([(100, 40)] * 5, edges).centres]
    assert xs[bias] < xs[earlier] == xs[product] < xs[weight]


def test_a_leaf_is_just_above_the_node_that_uses_it():
    late_leaf, chain = 0, [1, 2, 3, 4]
    edges = [*itertools.pairwise(chain), (late_leaf, 4)]
    assert layered([(100, 40)] * 5, edges).layers == (1, 3, 2, 1, 0)


def test_boxes_are_ordered_so_that_lines_do_not_cross():
    upper, lower = [0, 1, 2], [3, 4, 5]
    edges = [(0, 5), (1, 4), (2, 3), (3, 6), (4, 6), (5, 6)]
    xs = [x for x, _ in layered([(50, 20)] * 7, edges).centres]
    assert sorted(upper, key=xs.__getitem__) == [
        {3: 2, 4: 1, 5: 0}[v] for v in sorted(lower, key=xs.__getitem__)
    ]


def test_a_line_past_other_boxes_is_led_around_them():
    skip = (1, 4)
    edges = [(0, 1), (1, 2), (2, 3), (3, 4), skip]
    places = layered([(100, 40)] * 5, edges)
    assert len(places.bends[skip]) == 2
    for (x, y), box in zip(places.bends[skip], (2, 3), strict=True):
        assert y == places.centres[box][1]
        assert abs(x - places.centres[box][0]) > 50


def test_a_weight_that_is_used_many_times_takes_no_bends():
    chain = list(range(1, 41))
    edges = [*itertools.pairwise(chain), *[(0, v) for v in chain]]
    assert layered([(100, 40)] * 41, edges).bends == {}


def test_many_long_lines_are_led_around_only_while_that_stays_cheap():
    chain = list(range(120))
    skips = [(v, 119) for v in range(1, 110)]
    places = layered([(100, 40)] * 120, [*itertools.pairwise(chain), *skips])
    bends = sum(len(bends) for bends in places.bends.values())
    assert 0 < bends <= 4 * 120


def test_nothing_has_no_places():
    assert layered([], []).centres == ()


def test_unconnected_parts_are_side_by_side():
    places = layered([(100, 40)] * 4, [(0, 1), (2, 3)])
    assert abs(places.centres[1][0] - places.centres[3][0]) >= 100


def test_the_order_of_the_edges_is_all_that_it_depends_on():
    numbers = random.Random(3)
    pairs = list(itertools.combinations(range(30), 2))
    edges = numbers.sample(pairs, 60)
    assert layered([(60, 30)] * 30, edges) == layered([(60, 30)] * 30, edges)


def test_leaves_give_way_so_that_the_way_through_the_network_stays_straight():
    earlier, weight, bias, normal, last = range(5)
    edges = [(earlier, normal), (weight, normal), (bias, normal), (normal, last), (5, earlier)]
    xs = [x for x, _ in layered([(100, 40)] * 6, edges).centres]
    assert xs[earlier] == pytest.approx(xs[normal], abs=5)
    assert xs[normal] == pytest.approx(xs[last], abs=5)
    assert xs[earlier] < xs[weight] < xs[bias]
