"""Recurrent layers and self-attention in programs."""

import pytest

from gradstep.debugger import Debugger
from gradstep.errors import ProgramError
from gradstep.program.document.codec import decode
from gradstep.program.operation import Backward, Forward
from gradstep.program.torch_export.export import RecordedOperation, export_test

RECURRENT = [
    {"kind": "RNN", "input_size": 2, "hidden_size": 3},
    {"kind": "RNN", "input_size": 2, "hidden_size": 3, "nonlinearity": "relu", "num_layers": 2},
    {"kind": "LSTM", "input_size": 2, "hidden_size": 3, "bidirectional": True},
    {"kind": "GRU", "input_size": 2, "hidden_size": 3, "num_layers": 2, "bias": False},
]
ATTENTION = {"kind": "MultiheadAttention", "embed_dim": 2, "num_heads": 2}
LAYERS = [*RECURRENT, ATTENTION]
IDS = ["rnn", "rnn-relu", "lstm", "gru", "attention"]


def document(layer, **changes):
    """Return a program over sequences of 4 steps that reads the output of the last one."""
    width = layer.get("hidden_size", 2) * (1 + layer.get("bidirectional", False))
    return {
        "gradstep": 1,
        "seed": 1,
        "data": {
            "a": {"kind": "gaussian", "samples": 24, "inputs": 8, "targets": 1, "batch_size": 8}
        },
        "modules": {
            "body": [{"kind": "Unflatten", "dim": 1, "unflattened_size": [4, 2]}, layer],
            "head": [{"kind": "Linear", "in_features": width, "out_features": 1}],
        },
        "losses": {
            "loss": {
                "data": "a",
                "output": "head(body(input)[:, -1])",
                "criterion": {"kind": "MSELoss"},
            }
        },
        "optimizers": {"optimizer": {"kind": "Adam", "params": ["*"], "lr": 0.05}},
        **changes,
    }


@pytest.mark.parametrize("layer", LAYERS, ids=IDS)
def test_the_size_and_shape_are_those_of_the_built_layer(make, layer):
    program = make(document(layer))
    spec = program.spec.modules["body"][1]
    names = [name for name in program.tensors if name.startswith("body.1.")]
    assert spec.num_elements() == sum(program.tensors[name].numel() for name in names)
    _, _, before, after = next(
        item for item in program.layer_activations("loss") if item[0] == "body.1"
    )
    assert after.shape == spec.output_shape(before.shape)


@pytest.mark.parametrize("layer", LAYERS, ids=IDS)
def test_training_reduces_the_loss_and_every_parameter_gets_a_gradient(make, layer):
    program = make(document(layer))
    losses = []
    for _ in range(60):
        losses += [program.run(operation).loss for operation in program.loop_operations()]
    known = [loss for loss in losses if loss is not None]
    assert sum(known[-3:]) < sum(known[:3])
    program.run(Forward())
    program.run(Backward())
    assert all(tensor.grad is not None for tensor in program.tensors.values())


@pytest.mark.parametrize("layer", LAYERS, ids=IDS)
def test_states_replay_bit_for_bit_and_every_operation_can_be_entered(layer):
    dbg = Debugger(decode(__import__("json").dumps(document(layer)).encode()))
    dbg.iterate(6)
    dbg.forward()
    wanted = dbg.program.capture().losses["loss"]["value"].tobytes()
    dbg.seek(3)
    dbg.seek(len(dbg.events))
    assert dbg.program.capture().losses["loss"]["value"].tobytes() == wanted
    step = dbg.step_into(Backward())
    kinds = set()
    while not hasattr(step, "outcome"):
        kinds.add(step.kind)
        step = dbg.step_into()
    assert "node" in kinds
    assert step.outcome.ok


@pytest.mark.parametrize(
    ("layer", "unflattened", "message"),
    [
        (RECURRENT[2], [2, 4], "LSTM expects 2 features, but body[0] gives 4"),
        (ATTENTION, [2, 4], "MultiheadAttention expects 2 features, but body[0] gives 4"),
        (RECURRENT[0], [2, 2, 2], "RNN expects rows x steps x features"),
        ({**ATTENTION, "num_heads": 3}, [4, 2], "embed_dim must be divisible by num_heads"),
    ],
)
def test_shapes_that_do_not_fit_are_rejected(make, layer, unflattened, message):
    first = {"kind": "Unflatten", "dim": 1, "unflattened_size": unflattened}
    modules = {**document(layer)["modules"], "body": [first, layer]}
    with pytest.raises(ProgramError) as caught:
        make(document(layer, modules=modules))
    assert message in str(caught.value)


@pytest.mark.parametrize("layer", LAYERS, ids=IDS)
def test_batch_first_may_be_written_as_in_torch_but_not_denied(make, layer):
    assert make(document({**layer, "batch_first": True})).spec == make(document(layer)).spec
    with pytest.raises(ProgramError, match=r"batch_first is always true: rows of data are the"):
        make(document({**layer, "batch_first": False}))


@pytest.mark.torch
@pytest.mark.parametrize("layer", LAYERS, ids=IDS)
def test_torch_computes_the_same_losses(make, layer):
    pytest.importorskip("torch")
    program = make(document(layer))
    recorded = [
        RecordedOperation(operation, program.run(operation).loss)
        for _ in range(8)
        for operation in program.loop_operations()
    ]
    names = {"__name__": "exported"}
    exec(compile(export_test(program, recorded), "exported", "exec"), names)
    names["test_torch_gives_the_recorded_values"]()
