"""The recorded graph in Snapshots: its nodes, what they saved, and the progress of a walk."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradstep import random as streams
from gradstep.history.records.event import Event
from gradstep.history.records.graph import LOSS
from gradstep.program.operation import (
    Backward,
    Forward,
    Freeze,
    RebuildModule,
    SetMode,
    Step,
    ZeroGrad,
)

RECURRENT = {
    "modules": {"cell": [{"kind": "Linear", "in_features": 2, "out_features": 2}]},
    "losses": {"loss": {"data": "a", "chain": ["cell"] * 3, "expression": "mean(output)"}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["cell.*"], "lr": 0.1}},
    "schedulers": {},
}


def graph_of(dbg, *addresses):
    return dbg.capture_snapshot(("loss.graph", *addresses)).graphs["loss"]


def walk(dbg, operation):
    """Give each micro-step of an Operation with the graph at that moment."""
    step = dbg.step_into(operation)
    while not isinstance(step, Event):
        yield step, graph_of(dbg)
        step = dbg.step_into()


def test_a_snapshot_has_a_graph_only_on_request(network):
    network.forward()
    assert network.capture_snapshot(()).graphs == {}
    assert network.capture_snapshot(()).graph is None
    assert network.capture_snapshot(("loss.graph",)).graph.nodes
    assert network.snapshot.graph is network.snapshot.graphs["loss"]


def test_before_the_first_forward_there_is_no_graph(network):
    assert network.snapshot.graphs == {}


def test_every_operation_names_the_module_that_recorded_it(network):
    network.forward()
    found = {node.name: (node.module, node.call) for node in graph_of(network).nodes}
    del found["AccumulateGrad"]
    assert found == {
        "BinaryCrossEntropyWithLogitsBackward0": ("criterion", 1),
        "AddmmBackward0": ("model.0", 1),
        "TBackward0": ("model.0", 1),
        "NativeDropoutBackward0": ("model.2", 1),
        "ReluBackward0": ("model.1", 1),
    }


def test_repeated_calls_of_a_module_have_different_names(make):
    dbg = make(**RECURRENT)
    dbg.forward()
    nodes = graph_of(dbg).nodes
    assert [(n.name, n.module, n.call) for n in nodes if not n.is_leaf] == [
        ("MeanBackward0", "", 0),
        ("AddmmBackward0", "cell.0", 3),
        ("AddmmBackward0", "cell.0", 2),
        ("TBackward0", "cell.0", 3),
        ("AddmmBackward0", "cell.0", 1),
        ("TBackward0", "cell.0", 2),
        ("TBackward0", "cell.0", 1),
    ]
    assert sorted(n.tensor for n in nodes if n.is_leaf) == ["cell.0.bias", "cell.0.weight"]


def test_taking_a_graph_changes_nothing(make, state_of):
    layers = [
        {"kind": "Linear", "in_features": 2, "out_features": 4},
        {"kind": "BatchNorm1d", "num_features": 4},
        {"kind": "Dropout", "p": 0.5},
        {"kind": "Linear", "in_features": 4, "out_features": 1},
    ]
    looked_at, left_alone = (make(modules={"model": layers}) for _ in range(2))
    for dbg in (looked_at, left_alone):
        dbg.forward()
    drawn = streams.default_generator.get_state().tolist()
    assert "model.1" in {node.module for node in graph_of(looked_at).nodes}
    assert streams.default_generator.get_state().tolist() == drawn
    assert state_of(looked_at) == state_of(left_alone)
    for dbg in (looked_at, left_alone):
        dbg.iterate(2)
    assert state_of(looked_at) == state_of(left_alone)


OPERATIONS = st.one_of(
    st.builds(Forward),
    st.builds(Forward),
    st.builds(Backward, retain_graph=st.booleans()),
    st.builds(Step),
    st.builds(ZeroGrad),
    st.builds(Freeze, st.sampled_from(["model.0.*", "model.3.weight"]), st.booleans()),
    st.builds(SetMode, st.booleans()),
    st.builds(RebuildModule, st.just("model")),
)


@pytest.mark.slow
@given(st.lists(st.tuples(OPERATIONS, st.integers(0, 4)), max_size=14))
def test_looking_at_the_graph_at_every_moment_changes_nothing(make, state_of, moves):
    looked_at, left_alone = make(), make()
    for operation, steps_inside in moves:
        for dbg in (looked_at, left_alone):
            found = dbg.step_into(operation) if steps_inside else dbg.apply(operation)
            for _ in range(steps_inside):
                if dbg is looked_at:
                    dbg.capture_snapshot(("loss.graph", "loss.graph/1"))
                if isinstance(found, Event):
                    break
                found = dbg.step_into()
            if not isinstance(found, Event):
                dbg.step_out()
        looked_at.capture_snapshot(("loss.graph",))
        assert state_of(looked_at) == state_of(left_alone)
    assert tuple(looked_at.events) == tuple(left_alone.events)


def test_a_graph_of_other_settings_does_not_name_modules_wrongly(network):
    network.forward()
    network.apply(Freeze("model.3.weight"))
    assert {node.module for node in graph_of(network).nodes} <= {
        "",
        "criterion",
        "model.0",
        "model.1",
        "model.2",
        "model.3",
    }
    frozen = [node for node in graph_of(network).nodes if node.tensor == "model.3.weight"]
    assert [node.module for node in frozen] == [""]


def test_modules_are_listed_again_for_a_graph_of_another_form(network):
    network.forward()
    training = {node.name: node.module for node in graph_of(network).nodes if not node.is_leaf}
    network.apply(SetMode(training=False, module="model"))
    network.forward()
    found = {node.name: node.module for node in graph_of(network).nodes if not node.is_leaf}
    assert training.pop("NativeDropoutBackward0") == "model.2"
    assert found == training


def test_saved_values_have_a_name_a_shape_and_a_version(network):
    network.forward()
    linear = graph_of(network).nodes[1]
    saved = [(value.name, value.shape, value.version, value.now) for value in linear.saved]
    assert saved == [("output of model.2", (8, 4), 0, 0), ("model.3.weight.T", (4, 1), 1, 1)]
    assert [value.value for value in linear.saved] == [None, None]


def test_the_values_of_a_node_are_included_on_request(network):
    network.forward()
    _, weight = graph_of(network, "loss.graph/1").nodes[1].saved
    expected = network.snapshot.parameters["model.3.weight"].data
    assert weight.value.array.tolist() == expected.T.tolist()
    assert all(s.value is None for s in graph_of(network, "loss.graph/1").nodes[5].saved)


def test_a_single_saved_element_is_always_included(line):
    line.forward()
    product = graph_of(line).nodes[1]
    assert [(s.name, s.shape, float(s.value.array)) for s in product.saved] == [("100", (), 100.0)]


def test_a_saved_value_that_was_changed_in_place_is_known(network):
    network.forward()
    network.apply(Backward(retain_graph=True))
    assert not any(node.changed for node in graph_of(network).nodes)
    network.step()
    changed = [node.id for node in graph_of(network).nodes if node.changed]
    assert changed == [1]
    assert not network.apply(Backward()).outcome.ok


def test_passes_count_the_backwards_since_the_forward(network):
    network.forward()
    counted = [graph_of(network).passes]
    for retain in (True, True, False):
        network.apply(Backward(retain_graph=retain))
        counted.append(graph_of(network).passes)
    assert not network.apply(Backward()).outcome.ok
    counted.append(graph_of(network).passes)
    network.forward()
    counted.append(graph_of(network).passes)
    assert counted == [0, 1, 2, 3, 3, 0]


def test_outside_of_an_operation_there_is_no_progress(network):
    network.forward()
    assert graph_of(network).progress is None


def test_inside_a_forward_operations_are_done_one_by_one(network):
    done = [(step.kind, graph.progress.current, len(graph.progress.done))
            for step, graph in walk(network, Forward())]  # fmt: skip
    ops = [(current, count) for kind, current, count in done if kind == "op"]
    assert ops == [(9, 1), (7, 2), (5, 3), (3, 4), (4, 5), (1, 6), (0, 7)]
    assert all(current is None for kind, current, _ in done if kind == "module")


def test_inside_a_first_forward_the_graph_that_is_being_recorded_is_shown(network):
    _, graph = next(walk(network, Forward()))
    assert [node.module for node in graph.nodes if node.name == "ReluBackward0"] == ["model.1"]
    network.back()
    assert network.snapshot.graphs == {}


def test_inside_a_second_forward_the_new_graph_is_shown_with_no_pass_through_it(network):
    network.forward()
    network.backward()
    _, graph = next(walk(network, Forward()))
    assert not any(node.freed for node in graph.nodes)
    assert graph.passes == 0
    network.back()
    assert graph_of(network).passes == 1


def test_inside_a_backward_each_edge_has_the_gradient_that_passed_through_it(network):
    network.forward()
    for step, graph in walk(network, Backward()):
        if step.kind == "node":
            assert graph.progress.current == step.node
            sent = zip(step.targets, step.outputs.values(), strict=True)
            for target, gradient in sent:
                (record,) = graph.progress.gradients[step.node, target]
                assert record.norm == pytest.approx(np.linalg.norm(gradient))
                assert record.array.tolist() == gradient.tolist()
    assert graph.progress.gradients[LOSS, 0][0].array.tolist() == 1.0
    assert graph.progress.done == frozenset(node.id for node in graph.nodes)
    edges = {(node.id, to) for node in graph.nodes for to in node.inputs}
    assert set(graph.progress.gradients) == edges | {(LOSS, 0)}


def test_two_edges_between_the_same_nodes_keep_both_gradients(make):
    dbg = make("line", losses={"loss": {"expression": "sum(x * x)"}})
    dbg.forward()
    *_, (_, graph) = walk(dbg, Backward())
    product, leaf = (next(n.id for n in graph.nodes if n.name == name)
                     for name in ("MulBackward0", "AccumulateGrad"))  # fmt: skip
    sent = graph.progress.gradients[product, leaf]
    assert [record.array.tolist() for record in sent] == [[1.0, 2.0], [1.0, 2.0]]


def test_a_leaf_shows_its_gradient_before_the_addend_and_after(line):
    line.forward()
    *_, (_, first) = walk(line, Backward())
    assert first.progress.arrivals[2].before is None
    line.forward()
    *_, (_, second) = walk(line, Backward())
    arrival = second.progress.arrivals[2]
    parts = (arrival.before, arrival.added, arrival.after)
    assert [part.array.tolist() for part in parts] == [[100, 100], [100, 100], [200, 200]]


def test_going_a_micro_step_back_takes_its_progress_back(network):
    network.forward()
    seen = []
    for _ in range(3):
        network.step_into(Backward() if not seen else None)
        seen.append(graph_of(network).progress)
    network.back()
    assert graph_of(network).progress.done == seen[1].done
    assert set(graph_of(network).progress.gradients) == set(seen[1].gradients)


def test_large_gradients_are_summarised(make):
    layers = [
        {"kind": "Linear", "in_features": 2, "out_features": 40},
        {"kind": "Linear", "in_features": 40, "out_features": 1},
    ]
    dbg = make(modules={"model": layers})
    dbg.forward()
    *_, (_, graph) = walk(dbg, Backward())
    whole = {record.shape: record.array is not None
             for (record,) in graph.progress.gradients.values()}  # fmt: skip
    assert whole == {
        (): True, (8, 1): True, (1,): True, (1, 40): True,
        (40,): True, (8, 40): False, (40, 2): False, (40, 1): True, (2, 40): False,
    }  # fmt: skip


def test_modules_are_named_again_once_the_graph_is_recorded_as_before(network):
    network.forward()
    network.apply(Freeze("model.0.*"))
    assert {node.module for node in network.snapshot.graphs["loss"].nodes} == {""}
    network.apply(Freeze("model.0.*", frozen=False))
    network.forward()
    assert "model.0" in {node.module for node in network.snapshot.graphs["loss"].nodes}
