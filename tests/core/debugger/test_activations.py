"""Activations: the outputs of layers at any moment, exactly as the recorded Forward made them."""

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.errors import ExpressionError
from gradstep.program.operation import Forward, Freeze, RebuildModule, SetMode, SetValue, ZeroGrad

LAYERS = ("model", "model.0", "model.1", "model.2", "model.3")
TWO_LOSSES = {
    "data": {
        "a": {"kind": "moons", "samples": 24, "noise": 0.1, "batch_size": 8, "validation": 0.25}
    },
    "losses": {
        "loss": {"data": "a", "chain": ["model"], "criterion": {"kind": "BCEWithLogitsLoss"}},
        "val": {
            "data": "a",
            "chain": ["model"],
            "criterion": {"kind": "BCEWithLogitsLoss"},
            "rows": "validation",
        },
    },
}


def recorded(debugger, operations):
    """Apply Operations; return the bytes of all activations after each, as Forwards left them."""
    seen, found = {}, [{}]
    for operation in operations:
        with debugger.program.capture_activations() as outputs:
            debugger.apply(operation)
        seen = {**seen, **{name: array.tobytes() for name, array in outputs.items()}}
        found.append(seen)
    return found


def loop(debugger, iterations):
    for _ in range(iterations * len(debugger.program.loop_operations())):
        yield debugger.program.next_operation


def watched(debugger, layers=LAYERS):
    return {name: debugger.watch(f'activation("{name}")') for name in layers}


def texts(watches, event=None):
    values = {
        name: watch.value if event is None else watch.at(event) for name, watch in watches.items()
    }
    return {name: value.tobytes() for name, value in values.items() if value is not None}


def test_an_activation_is_bit_for_bit_what_the_forward_made_at_every_past_moment(make):
    expected = recorded(dbg := make(), loop(dbg, 5))
    watches = watched(dbg)
    assert [texts(watches, event) for event in range(len(expected))] == expected
    for event in (20, 3, 11, 2, 7, 0, 19):
        dbg.seek(event)
        assert texts(watches) == expected[event]


@pytest.mark.parametrize("kind", ["SGD", "LBFGS"])
def test_it_is_that_of_the_last_evaluation_when_an_optimizer_evaluates_the_loss(make, kind):
    dbg = make(
        optimizers={"optimizer": {"kind": kind, "params": ["model.*"], "lr": 0.1}},
        schedulers={},
        loop=[{"op": "zero_grad"}, {"op": "forward"}, {"op": "backward"}, {"op": "step"}]
        if kind == "SGD"
        else [{"op": "step"}],
    )
    expected = recorded(dbg, loop(dbg, 3))
    watches = watched(dbg)
    assert [texts(watches, event) for event in range(len(expected))] == expected


def test_changes_by_hand_after_the_forward_do_not_change_it(make):
    dbg = make()
    first = [ZeroGrad(), Forward()]
    changes = [
        SetValue("model.0.bias", 9.0, through_data=True),
        SetMode(training=False),
        Freeze("model.0.*"),
        SetValue("model.0.weight", 9.0),
        RebuildModule("model"),
    ]
    operations = [*first, *changes, *first[1:]]
    expected = recorded(dbg, operations)
    watches = watched(dbg)
    assert [texts(watches, event) for event in range(len(expected))] == expected
    assert expected[2] == expected[7] != expected[8]
    for count in range(1, len(operations) + 1):
        present = make()
        for operation in operations[:count]:
            present.apply(operation)
        assert texts(watched(present)) == expected[count]


def test_reading_it_changes_nothing_that_follows(make, state_of):
    plain, asked = make(), make()
    watches = watched(asked)
    for _ in range(16):
        for dbg in (plain, asked):
            dbg.apply(dbg.program.next_operation)
        assert texts(watches) is not None
        assert state_of(asked) == state_of(plain)
    checksums = [dbg.history.log.checksum(16) for dbg in (plain, asked)]
    assert checksums[0] == checksums[1]


def test_a_run_stops_where_an_activation_fulfils_a_condition(make):
    expected = recorded(alongside := make(), loop(alongside, 40))
    shares = [
        float(np.mean(np.frombuffer(seen["model.1"], np.float32) > 0)) if seen else 1.0
        for seen in expected
    ]
    lowest = min(shares)
    first = shares.index(lowest)
    dbg = make()
    point = dbg.break_when(f'mean(activation("model.1") > 0) <= {lowest}')
    assert point.record.after == ("forward",)
    dbg.run(40)
    assert dbg.position[0] == first


def test_a_condition_after_a_step_reads_the_forward_before_it(make):
    expected = recorded(alongside := make(), loop(alongside, 6))
    largest = [
        float(np.frombuffer(seen["model.3"], np.float32).max()) if seen else 0 for seen in expected
    ]
    dbg = make()
    dbg.break_when(
        'max(activation("model.3")) > -1e9', after="step", log='{max(activation("model.3"))}'
    )
    dbg.run(6)
    log = [line.text for line in dbg.breakpoints.lines]
    assert log == [f"{largest[event]:.6g}" for event in range(4, 25, 4)]


def test_it_is_missing_before_the_first_forward(network):
    watch = network.watch('activation("model.1")')
    assert watch.value is None
    assert network.watch('is_none(activation("model.1"))').value is True


def test_a_second_argument_names_the_loss_whose_forward_counts(make):
    dbg = make(**TWO_LOSSES)
    train, val = (dbg.watch(f'activation("model.3", "{name}")') for name in ("loss", "val"))
    last = dbg.watch('activation("model.3")')
    dbg.forward("loss")
    assert val.value is None
    assert last.value.shape == train.value.shape == (8, 1)
    dbg.forward("val")
    assert last.value.tobytes() == val.value.tobytes() != train.value.tobytes()
    assert val.value.shape == (6, 1)


def test_it_is_that_of_the_branch_and_of_its_file(make, tmp_path):
    expected = recorded(dbg := make(), loop(dbg, 4))
    dbg.seek(6)
    dbg.apply(SetValue("model.3.bias", 1.0))
    other = recorded(dbg, loop(dbg, 2))
    watch = dbg.watch('activation("model.3")')
    assert watch.value.tobytes() == other[-1]["model.3"] != expected[10]["model.3"]
    dbg.save(tmp_path / "a.gradstep")
    again = Debugger.open(tmp_path / "a.gradstep")
    again.checkout(0)
    again.seek(14)
    assert again.watch('activation("model.3")').value.tobytes() == expected[14]["model.3"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('activation("model.9")', "there is no layer 'model.9'"),
        ("activation(1)", "the name of the layer is needed"),
        ('activation("model.1", "val")', "there is no loss 'val'"),
    ],
)
def test_an_unknown_layer_or_loss_is_reported(network, text, error):
    with pytest.raises(ExpressionError, match=error):
        network.watch(text)


def test_only_layers_that_are_called_have_an_output(make):
    layers = [
        {"kind": "Unflatten", "dim": 1, "unflattened_size": [2, 1]},
        {"kind": "MultiheadAttention", "embed_dim": 1, "num_heads": 1},
        {"kind": "Flatten"},
        {"kind": "Linear", "in_features": 2, "out_features": 1},
    ]
    dbg = make(modules={"model": layers})
    assert "model.1.out_proj.weight" in dbg.program.tensors
    with dbg.program.capture_activations() as outputs:
        dbg.forward()
    assert dict.fromkeys(dbg.program.activation_losses()) == dict.fromkeys(sorted(outputs))
