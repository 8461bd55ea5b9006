"""A draft of a lesson from recorded Operations: a step for each of them, with questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gradstep.errors import UnsupportedError
from gradstep.lessons.actions import operation_title
from gradstep.lessons.schema import MAX_STEPS, Lesson, NumberQuestion, Question, Step, YesNoQuestion
from gradstep.names import quoted
from gradstep.program.document import codec
from gradstep.program.operation import Backward, Forward, Skip
from gradstep.program.operation import Step as StepOperation
from gradstep.program.program import Program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradstep.debugger import Debugger
    from gradstep.program.operation import Operation

__all__ = ["lesson_of"]


def lesson_of(debugger: Debugger) -> Lesson:
    """Return a lesson with a step for each Operation up to the current moment.

    Whole iterations after the first are one step. Its texts and questions are a draft for its
    author; it contains the program.

    Args:
        debugger: The Debugger of a program.

    Raises:
        UnsupportedError: It is a script, or one whose data is in files.

    Example:
        >>> from gradstep.lessons.gallery import lessons, open_lesson
        >>> dbg = open_lesson(lessons()[0].path).debugger
        >>> _ = dbg.forward(), dbg.backward()
        >>> [step.do for step in lesson_of(dbg).steps]
        [['forward'], ['backward']]
    """
    program = debugger.program
    if not isinstance(program, Program):
        raise UnsupportedError("a lesson is about a program", "write one that does the same")
    steps = list(_steps(debugger))[:MAX_STEPS]
    return Lesson(
        gradstep_lesson=1,
        title=program.spec.name or "A lesson",
        summary="What one learns, in one sentence.",
        program=msgspec.json.decode(codec.encode(program.spec)),
        steps=steps or [Step(title="Read", text="What is this about?")],
        end="What was learned?",
    )


def _steps(debugger: Debugger) -> Iterator[Step]:
    history, here = debugger.history, debugger.position[0]
    event, whole = 1, 0
    while event <= here:
        applied = history.applied_event(event)
        end = _end_of_iteration(debugger, event, here) if applied.iteration else 0
        if end:
            whole, event = whole + 1, end + 1
            continue
        if whole:
            yield _iterations(whole)
            whole = 0
        yield _step(debugger, applied.operation, fails=not applied.outcome.ok)
        event += 1
    if whole:
        yield _iterations(whole)


def _end_of_iteration(debugger: Debugger, first: int, here: int) -> int:
    """Return the last Event of a whole iteration of the loop that begins here; 0 for none."""
    history = debugger.history
    before = history.applied_event(first - 1)
    if not before.completes:
        return 0
    loop = [line.operation for line in debugger.program.spec.loop or ()]
    for event in range(first, min(here, first + max(1, len(loop)) - 1) + 1):
        applied = history.applied_event(event)
        if not applied.outcome.ok or (loop and applied.operation not in loop):
            return 0
        if applied.completes:
            return event
    return 0


def _iterations(count: int) -> Step:
    text = "One more iteration." if count == 1 else f"{count:,} more iterations."
    return Step(title="Go on", text=text, do=["iterate" if count == 1 else f"iterate {count}"])


def _step(debugger: Debugger, operation: Operation, *, fails: bool) -> Step:
    if isinstance(operation, Skip):
        operation = operation.operation
    title = operation_title(operation)
    return Step(
        title=title,
        text=f"Press **{title}**.",
        do=[_written(operation)],
        fails=fails,
        question=None if fails else _question(debugger, operation),
    )


def _question(debugger: Debugger, operation: Operation) -> Question | None:
    tensor = next(
        (name for name, item in debugger.program.tensors.items() if item.requires_grad), ""
    )
    if isinstance(operation, Forward):
        loss = operation.loss
        return NumberQuestion(
            ask=f"What will `{loss}` be?", answer=loss, explanation=f"It is {{{loss}}}."
        )
    if isinstance(operation, (Backward, StepOperation)) and tensor:
        return YesNoQuestion(
            ask=f"Will `{tensor}` move?",
            answer=f"changed({quoted(tensor)})",
            explanation=f"`{tensor}.grad` is {{grad({quoted(tensor)})}}.",
        )
    return None


def _written(operation: Operation) -> str | dict[str, Any]:
    """Return an Operation as a step's document asks for it."""
    tree: dict[str, Any] = msgspec.to_builtins(operation)
    kind = str(tree.pop("op"))
    defaults = {item.encode_name: item.default for item in msgspec.structs.fields(operation)}
    given = {
        name: value
        for name, value in tree.items()
        if name != "aside" and value != defaults.get(name)
    }
    return kind if not given else {"op": kind, **given}
