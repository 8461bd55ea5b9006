"""EditLoop replaces the lines of the loop at any moment, and everything else agrees."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.change_names import long_name
from gradstep.errors import OperationError, ProgramError
from gradstep.program.document.codec import decode, encode
from gradstep.program.loop_edits import (
    insert_line,
    move_line,
    remove_line,
    repeat_line,
    replace_line,
    switch_line,
)
from gradstep.program.operation import (
    Backward,
    ClipGradNorm,
    EditLoop,
    Forward,
    LoopLine,
    SetBatchSize,
    Step,
    ZeroGrad,
)
from gradstep.program.program import Program
from gradstep.program.torch_export.export import RecordedOperation, export_script, export_test
from tests.core.debugger.conftest import frozen

ZERO, FORWARD, BACKWARD, STEP = (
    LoopLine(operation) for operation in (ZeroGrad(), Forward(), Backward(), Step())
)
LOOP = (ZERO, FORWARD, BACKWARD, STEP)

SPARE = {
    "gradstep": 1,
    "tensors": {"x": {"value": [1.0, 2.0], "requires_grad": True}},
    "losses": {"loss": {"expression": "sum(100 * x)"}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}},
}
BATCHES = {
    "gradstep": 1,
    "data": {
        "line": {
            "kind": "line",
            "samples": 12,
            "validation": 0.17,
            "batch_size": 4,
            "shuffle": True,
        }
    },
    "modules": {"model": [{"kind": "Linear", "in_features": 1, "out_features": 1}]},
    "losses": {
        "loss": {"data": "line", "chain": ["model"], "criterion": {"kind": "MSELoss"}},
        "val": {
            "data": "line",
            "rows": "validation",
            "chain": ["model"],
            "criterion": {"kind": "MSELoss"},
        },
    },
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.1, "momentum": 0.9}},
    "loop": [
        {"op": "zero_grad"},
        {"op": "forward"},
        {"op": "backward"},
        {"op": "step"},
        {"op": "forward", "loss": "val", "every": "epoch"},
    ],
}


def read(tree):
    return decode(json.dumps(tree).encode())


def debugger_of(tree=SPARE):
    return Debugger(read(tree))


def kinds(debugger):
    return [type(event.operation).__name__ for event in debugger.events]


def lines_now(debugger):
    return debugger.program.lines


def state(debugger):
    return frozen(debugger.program.capture())


# -- which line comes next -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("following", "at", "to", "expected"),
    [
        (1, 3, 0, (3, 0, 1, 2)),  # a line that is still to run moves above one that ran
        (1, 0, 3, (1, 2, 3, 0)),  # a line that ran moves below those that are still to run
        (2, 2, 0, (2, 0, 1, 3)),  # the next line moves up, and stays the next
        (1, 1, 3, (0, 2, 3, 1)),  # the next line moves down, and the line below it is next
        (0, 2, 1, (0, 2, 1, 3)),
    ],
)
def test_a_moved_line_leaves_out_none_that_is_still_to_run(following, at, to, expected):
    edit = move_line(LOOP, following, at, to)
    assert edit.lines == tuple(LOOP[index] for index in expected)
    stays = following if at != following or to < at else following + 1
    assert edit.lines[edit.following] == LOOP[stays]


def test_a_line_inserted_above_the_next_one_comes_next():
    clip = ClipGradNorm(max_norm=1.0)
    assert insert_line(LOOP, 3, 3, clip).following == 3
    assert insert_line(LOOP, 3, 2, clip).following == 4
    assert insert_line(LOOP, 3, 4, clip).following == 3


def test_a_copy_is_inserted_below_its_line():
    edit = repeat_line(LOOP, 0, 2)
    assert edit.lines == (ZERO, FORWARD, BACKWARD, BACKWARD, STEP)


def test_the_line_below_a_removed_one_comes_next():
    edit = remove_line(LOOP, 2, 2)
    assert (edit.lines, edit.following) == ((ZERO, FORWARD, STEP), 2)
    assert remove_line(LOOP, 2, 0).following == 1


def test_the_only_line_of_a_loop_cannot_be_removed():
    with pytest.raises(OperationError, match="this is the only line of the loop; insert another"):
        remove_line((STEP,), 0, 0)


# -- what it does --------------------------------------------------------------------------------


def test_the_loop_goes_on_with_its_new_lines():
    debugger = debugger_of()
    debugger.run(1)
    debugger.apply(move_line(lines_now(debugger), 0, 0, 3))
    debugger.run(1)
    assert kinds(debugger)[4:] == ["EditLoop", "Forward", "Backward", "Step", "ZeroGrad"]
    assert debugger.program.iteration == 2
    # Nothing cleared the gradient of the first iteration before the second Backward.
    np.testing.assert_allclose(
        debugger.program.tensors["x"].detach().numpy(), [0.7, 1.7], rtol=1e-6
    )


def test_an_edit_within_an_iteration_goes_on_in_it():
    debugger = debugger_of()
    for operation in (ZeroGrad(), Forward(), Backward()):
        debugger.apply(operation)
    debugger.apply(repeat_line(lines_now(debugger), 3, 2))
    assert debugger.next_operation == Backward()
    assert (debugger.program.iteration, debugger.program.next_line) == (0, 3)


def test_a_line_that_is_switched_off_is_left_out_until_it_is_switched_on():
    debugger = debugger_of()
    debugger.apply(switch_line(lines_now(debugger), 0, 0))
    assert debugger.next_operation == Forward()
    debugger.run(2)
    assert kinds(debugger)[1:] == ["Forward", "Backward", "Step"] * 2
    debugger.apply(switch_line(lines_now(debugger), debugger.program.next_line, 0))
    debugger.run(2)
    # It was switched on above the arrow, so it runs from the next iteration on.
    assert kinds(debugger)[8:] == [
        *("Forward", "Backward", "Step", "ZeroGrad"),
        *("Forward", "Backward", "Step"),
    ]


def test_removing_all_lines_that_are_still_to_run_completes_the_iteration():
    debugger = debugger_of()
    for operation in (ZeroGrad(), Forward(), Backward()):
        debugger.apply(operation)
    debugger.apply(remove_line(lines_now(debugger), 3, 3))
    assert (debugger.program.iteration, debugger.next_operation) == (1, ZeroGrad())


def test_a_clipping_gets_another_limit():
    tree = {
        **SPARE,
        "loop": [
            *({"op": name} for name in ("zero_grad", "forward", "backward")),
            {"op": "clip_grad_norm", "max_norm": 1.0},
            {"op": "step"},
        ],
    }
    debugger = debugger_of(tree)
    debugger.run(1)
    weaker = LoopLine(ClipGradNorm(max_norm=50.0))
    debugger.apply(replace_line(lines_now(debugger), 0, 3, weaker))
    debugger.run(1)
    grad = debugger.program.tensors["x"].grad
    assert np.linalg.norm(grad.numpy()) == pytest.approx(50.0, rel=1e-5)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (move_line(LOOP, 0, 3, 0), "step moved from line 4 to line 1"),
        (move_line(LOOP, 0, 0, 2), "zero_grad moved from line 1 to line 3"),
        (repeat_line(LOOP, 0, 2), "backward inserted as line 4"),
        (remove_line(LOOP, 0, 0), "zero_grad removed from line 1"),
        (switch_line(LOOP, 0, 0), "zero_grad in line 1 switched off"),
        (
            replace_line(LOOP, 0, 2, LoopLine(Backward(retain_graph=True))),
            "line 3: Backward(loss='loss', retain_graph=False) -> "
            "Backward(loss='loss', retain_graph=True)",
        ),
        (
            replace_line(LOOP, 0, 3, LoopLine(Step(), every=2)),
            "line 4, step, runs in other iterations",
        ),
        (EditLoop(lines=(ZERO, STEP)), "4 lines -> 2 lines"),
    ],
)
def test_its_event_says_what_changed(edit, message):
    debugger = debugger_of()
    debugger.apply(edit)
    assert debugger.events[-1].outcome.message == message


# -- loops that no program can have --------------------------------------------------------------


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (EditLoop(lines=()), "a loop needs a line; switch the line off instead of removing it"),
        (EditLoop(lines=LOOP, following=5), "there is no line 6; the loop has 4 lines"),
        (
            EditLoop(lines=(*LOOP, LoopLine(Step("nobody")))),
            "line 5 of the loop: no optimizer 'nobody'; available: optimizer",
        ),
        (
            EditLoop(lines=tuple(LoopLine(line.operation, enabled=False) for line in LOOP)),
            "every line is switched off; switch one on",
        ),
        (
            EditLoop(lines=(LoopLine(Step(), every=2), LoopLine(ZeroGrad(), enabled=False))),
            'no line is run in every iteration; remove "every" from one line',
        ),
        (
            EditLoop(lines=(LoopLine(EditLoop(lines=LOOP)),)),
            "line 1 of the loop: a loop cannot replace its own lines; write these lines instead",
        ),
        (
            EditLoop(lines=(*LOOP, LoopLine(Step(), every=(4, "weeks")))),
            "line 5 of the loop: a list is a number of batches and the word epoch; "
            'write a number, "epoch" or [4, "epoch"]',
        ),
        (
            EditLoop(lines=(*LOOP, LoopLine(Step(), every="epoch"))),
            "line 5 of the loop: no Forward of the loop takes batches, so it has no epochs; "
            'add a forward of a loss with "data", or write a number',
        ),
    ],
)
def test_a_loop_that_a_program_cannot_have_is_no_event_and_changes_nothing(edit, message):
    debugger = debugger_of()
    debugger.run(2)
    debugger.seek(3)
    before = state(debugger)
    with pytest.raises(OperationError) as error:
        debugger.apply(edit)
    assert str(error.value) == message
    assert (state(debugger), debugger.position, len(debugger.branches)) == (before, (3, None), 1)
    assert len(debugger.events) == 8


def test_a_line_by_epochs_cannot_move_above_the_forward_that_counts_them():
    debugger = debugger_of(BATCHES)
    with pytest.raises(OperationError) as error:
        debugger.apply(move_line(lines_now(debugger), 0, 4, 0))
    assert str(error.value) == (
        "line 1 of the loop: an epoch is complete only after the forward in line 3 of the loop; "
        "move this line below it"
    )


# -- time ----------------------------------------------------------------------------------------


def test_going_back_undoes_an_edit_and_an_edit_in_the_past_makes_a_branch():
    debugger = debugger_of()
    debugger.run(1)
    debugger.apply(switch_line(lines_now(debugger), 0, 3))
    debugger.run(1)
    after = state(debugger)
    debugger.seek(4)
    assert debugger.program.lines == LOOP
    debugger.apply(remove_line(lines_now(debugger), 0, 2))
    assert [branch.name for branch in debugger.branches] == ["main", "edited loop from #5"]
    assert debugger.program.lines == (ZERO, FORWARD, STEP)
    debugger.checkout(0)
    assert (state(debugger), debugger.program.lines[3].enabled) == (after, False)


def edited_session(tree=BATCHES):
    """Return a Debugger after edits of every kind, some of them within an iteration."""
    debugger = debugger_of(tree)
    debugger.run(2)
    debugger.apply(move_line(lines_now(debugger), 0, 0, 3))
    debugger.run(3)
    debugger.apply(Forward())
    debugger.apply(repeat_line(lines_now(debugger), 1, 0))
    debugger.run(2)
    debugger.apply(switch_line(lines_now(debugger), debugger.program.next_line, 1))
    debugger.run(4)
    following = debugger.program.next_line
    debugger.apply(insert_line(lines_now(debugger), following, 3, ClipGradNorm(max_norm=0.5)))
    debugger.apply(SetBatchSize("line", 2))
    debugger.run(6)
    return debugger


def test_every_moment_of_a_session_with_edits_replays_bit_for_bit():
    debugger = edited_session()
    end = len(debugger.events)
    straight = Program.from_spec(debugger.program.spec)
    states = [frozen(straight.capture())]
    for event in debugger.events:
        straight.run(event.operation)
        states.append(frozen(straight.capture()))
    for position in (end, 0, 9, 8, end - 1, 20, 19, 3):
        debugger.seek(position)
        assert state(debugger) == states[position]


def test_a_session_with_edits_is_saved_and_opened(tmp_path):
    debugger = edited_session()
    debugger.save(tmp_path / "edited.gradstep")
    opened = Debugger.open(tmp_path / "edited.gradstep")
    assert opened.program.lines == debugger.program.lines
    assert state(opened) == state(debugger)
    assert [event.operation for event in opened.events] == [
        event.operation for event in debugger.events
    ]
    for position in (0, 11, 7, len(opened.events)):
        opened.seek(position)
        debugger.seek(position)
        assert state(opened) == state(debugger)
        assert opened.next_operation == debugger.next_operation
    opened.run(2)
    debugger.run(2)
    assert state(opened) == state(debugger)


def test_a_state_with_lines_that_the_program_cannot_have_is_rejected():
    debugger = edited_session()
    tree = debugger.program.capture().to_tree()
    damaged = type(debugger.program.capture()).from_tree(
        {**tree, "loop": [{"operation": {"op": "step", "optimizer": "nobody"}}]}
    )
    before = state(debugger)
    with pytest.raises(ProgramError, match="the state is damaged"):
        debugger.program.restore(damaged)
    assert state(debugger) == before


def test_a_state_whose_loop_is_nested_without_end_is_rejected():
    debugger = edited_session()
    operation = {"op": "step"}
    for _ in range(100_000):
        operation = {"op": "edit_loop", "lines": [{"operation": operation}]}
    state_class = type(debugger.program.capture())
    tree = {**debugger.program.capture().to_tree(), "loop": [{"operation": operation}]}
    with pytest.raises(ProgramError):
        debugger.program.restore(state_class.from_tree(tree))


def test_a_comparison_names_an_edit_by_its_lines():
    edit = switch_line(LOOP, 0, 0)
    assert long_name(edit) == "Edit Loop to (Zero Grad), Forward, Backward, Step"


def test_a_what_if_without_an_edit_goes_on_with_the_old_lines():
    debugger = debugger_of()
    debugger.run(1)
    debugger.apply(switch_line(lines_now(debugger), 0, 0))
    debugger.run(2)
    branch = debugger.what_if(skip=[5])
    debugger.checkout(branch)
    assert debugger.program.lines == LOOP


# -- documents and scripts -----------------------------------------------------------------------


def test_a_document_can_have_a_line_that_is_switched_off():
    loop = [{"op": name} for name in ("zero_grad", "forward", "backward", "step")]
    loop[0]["enabled"] = False
    spec = read({**SPARE, "loop": loop})
    assert json.loads(encode(spec))["loop"] == loop
    debugger = Debugger(spec)
    debugger.run(1)
    assert kinds(debugger) == ["Forward", "Backward", "Step"]


def test_the_listing_shows_the_loop_of_the_moment_and_a_switched_off_line_as_a_comment():
    debugger = debugger_of()
    debugger.apply(switch_line(lines_now(debugger), 0, 0))
    debugger.apply(move_line(lines_now(debugger), 1, 3, 1))
    listing = debugger.listing
    code = listing.code.splitlines()
    assert [code[span.first - 1] for span in listing.spans] == [
        "    # optimizer.zero_grad()",
        "    optimizer.step()",
        "    loss = torch.sum(100 * x)",
        "    loss.backward()",
    ]
    assert tuple(span.line for span in listing.spans) == debugger.program.lines
    debugger.seek(0)
    assert [span.line for span in debugger.listing.spans] == list(LOOP)


def test_the_exported_script_follows_the_edits():
    debugger = debugger_of()
    debugger.run(3)
    debugger.apply(switch_line(lines_now(debugger), 0, 0))
    debugger.run(5)
    script = debugger.script()
    first, note, second = (
        script.index("for iteration in range(3):"),
        script.index("# The loop has other lines from here on."),
        script.index("for iteration in range(3, 8):\n    # optimizer.zero_grad()"),
    )
    assert first < note < second


def recorded_of(debugger):
    events = [
        debugger.history.applied_event(index) for index in range(1, len(debugger.history.log) + 1)
    ]
    return [RecordedOperation(seen.operation, seen.loss, seen.index) for seen in events]


def test_a_loop_by_epochs_is_exported_with_its_edits():
    script = export_script(Program.from_spec(read(BATCHES)), recorded_of(edited_session()))
    compile(script, "exported.py", "exec")
    assert script.count("# The loop has other lines from here on.") == 4


@pytest.mark.torch
@pytest.mark.parametrize("tree", [BATCHES, SPARE], ids=["batches", "a vector"])
def test_torch_computes_the_same_numbers_with_the_edits(tree):
    pytest.importorskip("torch")
    debugger = edited_session(tree) if tree is BATCHES else debugger_of(tree)
    if tree is SPARE:
        debugger.run(3)
        debugger.apply(switch_line(lines_now(debugger), 0, 0))
        debugger.run(4)
        debugger.apply(repeat_line(lines_now(debugger), 1, 3))
        debugger.run(3)
    test = export_test(Program.from_spec(read(tree)), recorded_of(debugger))
    names = {"__name__": "exported"}
    exec(compile(test, "exported.py", "exec"), names)
    names["test_torch_gives_the_recorded_values"]()
