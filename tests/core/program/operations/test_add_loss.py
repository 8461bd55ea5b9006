"""AddLoss: running totals with and without the graph of the loss."""

import json

import pytest

from gradstep.errors import OperationError, ProgramError
from gradstep.program.document.codec import decode
from gradstep.program.operation import AddLoss, Backward, Forward, Freeze, ZeroGrad
from gradstep.program.program import Program
from gradstep.program.torch_export.export import export_script

DOCUMENT = {
    "gradstep": 1,
    "tensors": {
        "x": {"value": [1, 2], "requires_grad": True},
        "factor": {"value": 3},
        "total": {"value": 0},
        "pair": {"value": [0, 0]},
        "learned": {"value": 0, "requires_grad": True},
    },
    "losses": {
        "loss": {"expression": "sum(factor * x)"},
        "other": {"expression": "sum(x ** 2)"},
    },
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.1}},
}


@pytest.fixture
def program():
    return Program.from_spec(decode(json.dumps(DOCUMENT).encode()))


def run(program, *operations):
    return [program.run(operation) for operation in operations][-1]


def test_adding_a_loss_keeps_its_graph_alive(program):
    effect = run(program, Forward(), AddLoss(tensor="total"))
    assert program.tensors["total"].item() == 9
    assert effect.message == "total 0 -> 9; keeps 1 graph alive (3 nodes)"
    assert effect.reads == ("loss", "total")
    assert effect.writes == ("total", "total.graph")
    effect = run(program, Forward("other"), AddLoss("other", "total"))
    assert effect.message == "total 9 -> 14; keeps 2 graphs alive (6 nodes)"


def test_adding_an_item_keeps_no_graph_alive(program):
    effect = run(program, Forward(), AddLoss(tensor="total", item=True))
    assert effect.message == "total 0 -> 9"
    assert effect.writes == ("total",)


def test_a_graph_that_is_already_kept_alive_is_counted_once(program):
    effect = run(program, Forward(), AddLoss(tensor="total"), AddLoss(tensor="total"))
    assert effect.message == "total 9 -> 18; keeps 1 graph alive (4 nodes)"


def test_backward_frees_saved_values_but_not_nodes(program):
    effect = run(program, ZeroGrad(), Forward(), Backward(), AddLoss(tensor="total"))
    assert "keeps 1 graph alive (3 nodes)" in effect.message


def test_adding_a_loss_without_a_graph_keeps_no_graph_alive(program):
    effect = run(program, Freeze("x"), Forward(), AddLoss(tensor="total"))
    assert effect.message == "total 0 -> 9"


def test_the_count_of_graphs_is_restored_with_the_state(program):
    run(program, Forward(), AddLoss(tensor="total"))
    state = program.capture()
    after = run(program, AddLoss(tensor="total"), Forward(), AddLoss(tensor="total")).message
    program.restore(state)
    assert program.tensors["total"].item() == 9
    assert run(program, AddLoss(tensor="total"), Forward(), AddLoss(tensor="total")).message == (
        after
    )
    assert "keeps 2 graphs alive (7 nodes)" in after


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (AddLoss(tensor="total"), "loss has not been computed yet; apply Forward first"),
        (AddLoss("lost", "total"), "there is no loss 'lost'"),
        (AddLoss(tensor="sum"), "there is no free tensor 'sum'"),
        (AddLoss(tensor="pair"), "pair is not a single number, so it cannot be a running total"),
        (AddLoss(tensor="learned"), "learned requires a gradient"),
        (AddLoss(tensor="factor"), "loss is computed from factor"),
    ],
)
def test_a_tensor_that_cannot_be_a_running_total_is_rejected(program, operation, message):
    with pytest.raises(OperationError, match=message):
        program.run(operation)


def test_an_invalid_running_total_in_a_document_is_rejected_with_its_place():
    loop = [{"op": "forward"}, {"op": "add_loss", "tensor": "factor"}]
    document = decode(json.dumps({**DOCUMENT, "loop": loop}).encode())
    with pytest.raises(ProgramError, match=r"loop\[1\].tensor: loss is computed from factor"):
        Program.from_spec(document)


def test_add_loss_is_exported_as_an_augmented_assignment():
    loop = [
        {"op": "forward"},
        {"op": "add_loss", "tensor": "pair"},
        {"op": "add_loss", "tensor": "pair", "item": True},
    ]
    tensors = {**DOCUMENT["tensors"], "pair": {"value": 0}}
    document = decode(json.dumps({**DOCUMENT, "tensors": tensors, "loop": loop}).encode())
    script = export_script(Program.from_spec(document))
    assert "    pair += loss\n    pair += loss.item()\n" in script


@pytest.mark.torch
def test_torch_keeps_the_same_number_of_nodes_alive(program):
    torch = pytest.importorskip("torch")

    total, x = torch.tensor(0.0), torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(5):
        loss = torch.sum(3 * x)
        total += loss
        run(program, Forward(), AddLoss(tensor="total"))
    waiting, nodes = [total.grad_fn], set()
    while waiting:
        node = waiting.pop()
        if node is not None and node not in nodes and "Accumulate" not in type(node).__name__:
            nodes.add(node)
            waiting += [before for before, _ in node.next_functions]
    effect = run(program, AddLoss(tensor="total"))
    assert total.item() == program.tensors["total"].item() - 9 == 45
    assert f"; keeps 5 graphs alive ({len(nodes) + 1} nodes)" in effect.message
