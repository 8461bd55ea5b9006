"""The loop: which Operation comes next, and when an iteration is complete."""

from __future__ import annotations

from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
from gradstep.program.runtime.loop_cursor import LoopCursor
from gradstep.program.schema.program_spec import LoopLine

FOUR = [LoopLine(ZeroGrad()), LoopLine(Forward()), LoopLine(Backward()), LoopLine(Step())]


def test_the_lines_come_in_order_and_an_iteration_ends_with_the_last():
    cursor = LoopCursor(FOUR)
    seen = []
    for _ in range(5):
        seen.append((cursor.iteration, type(cursor.next).__name__))
        cursor.advance_past(cursor.next)
    assert seen == [(0, "ZeroGrad"), (0, "Forward"), (0, "Backward"), (0, "Step"), (1, "ZeroGrad")]


def test_an_operation_of_a_later_line_moves_behind_that_line():
    cursor = LoopCursor(FOUR)
    cursor.advance_past(Forward(batch="held"))
    assert cursor.next == Backward()
    assert cursor.remaining() == (Backward(), Step())


def test_other_operations_leave_the_place_alone():
    cursor = LoopCursor(FOUR)
    cursor.advance_past(Forward())
    for operation in (Forward(), ZeroGrad(), Step("another"), Backward("another")):
        cursor.advance_past(operation)
        assert (cursor.iteration, cursor.next) == (0, Backward())


def test_a_line_with_every_is_run_in_iterations_counted_from_1():
    cursor = LoopCursor([LoopLine(Forward()), LoopLine(Step(), every=3)])
    lengths = []
    for _ in range(6):
        lengths.append(len(cursor.remaining()))
        for operation in cursor.remaining():
            cursor.advance_past(operation)
    assert lengths == [1, 1, 2, 1, 1, 2]
    assert cursor.iteration == 6


def test_lines_at_the_start_that_do_not_run_are_skipped():
    cursor = LoopCursor([LoopLine(ZeroGrad(), every=2), LoopLine(Step())])
    assert cursor.next == Step()
    cursor.advance_past(Step())
    assert cursor.next == ZeroGrad()


def test_a_line_that_is_not_run_now_does_not_count():
    cursor = LoopCursor([LoopLine(Forward()), LoopLine(Step(), every=2), LoopLine(Backward())])
    cursor.advance_past(Step())
    assert (cursor.iteration, cursor.next) == (0, Forward())


def test_without_a_loop_nothing_comes_next():
    cursor = LoopCursor([])
    cursor.advance_past(Forward())
    assert cursor.next is None
    assert cursor.remaining() == ()
    assert cursor.iteration == 0
