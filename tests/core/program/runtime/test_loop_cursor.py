"""LoopCursor: the next Operation of the loop, and complete iterations."""

from __future__ import annotations

from gradstep.program.operation import Backward, Forward, LoopLine, Step, ZeroGrad
from gradstep.program.runtime.loop_cursor import LoopCursor

FOUR = [LoopLine(ZeroGrad()), LoopLine(Forward()), LoopLine(Backward()), LoopLine(Step())]


def test_an_iteration_ends_after_the_last_line():
    cursor = LoopCursor(FOUR)
    seen = []
    for _ in range(5):
        seen.append((cursor.iteration, type(cursor.next).__name__))
        cursor.advance_past(cursor.next)
    assert seen == [(0, "ZeroGrad"), (0, "Forward"), (0, "Backward"), (0, "Step"), (1, "ZeroGrad")]


def test_an_operation_that_matches_a_later_line_advances_past_that_line():
    cursor = LoopCursor(FOUR)
    cursor.advance_past(Forward(batch="held"))
    assert cursor.next == Backward()
    assert cursor.remaining() == (Backward(), Step())


def test_operations_that_match_no_line_do_not_advance_the_cursor():
    cursor = LoopCursor(FOUR)
    cursor.advance_past(Forward())
    for operation in (Forward(), ZeroGrad(), Step("another"), Backward("another")):
        cursor.advance_past(operation)
        assert (cursor.iteration, cursor.next) == (0, Backward())


def test_a_line_with_every_3_runs_in_iterations_3_and_6():
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


def test_a_line_that_does_not_run_in_this_iteration_is_not_matched():
    cursor = LoopCursor([LoopLine(Forward()), LoopLine(Step(), every=2), LoopLine(Backward())])
    cursor.advance_past(Step())
    assert (cursor.iteration, cursor.next) == (0, Forward())


def test_a_program_without_a_loop_has_no_next_operation():
    cursor = LoopCursor([])
    cursor.advance_past(Forward())
    assert cursor.next is None
    assert cursor.remaining() == ()
    assert cursor.iteration == 0
