"""LessonContext: what the conditions, questions and texts of a lesson can read besides watches."""

from __future__ import annotations

import fnmatch
from math import prod
from typing import TYPE_CHECKING, Any, cast

from gradstep.debugger.conditions.evaluation_context import MISSING, EvaluationContext
from gradstep.diagnostics.tables.registry import REGISTRY
from gradstep.errors import ExpressionError, ProgramError
from gradstep.lessons.actions import parse_actions
from gradstep.names import quoted
from gradstep.program.expressions.compiler import ExpressionFunction
from gradstep.program.program import Program
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gradstep.debugger import Debugger
    from gradstep.debugger.conditions.condition import Memory
    from gradstep.lessons.actions import Action

__all__ = ["LESSON_TERMS", "LessonContext"]

LESSON_TERMS: tuple[tuple[str, str], ...] = (
    (
        'last_event("backward")',
        "true when the last event was one of this kind; with a name, as in "
        'last_event("forward loss_a"), of this loss or optimizer',
    ),
    ("ok", "true when the last operation succeeded; raised is true when it failed"),
    ('count("backward")', "how many of this kind have succeeded since the step began"),
    (
        'in_order("forward", "backward")',
        "true when these have succeeded in this order since the step began",
    ),
    ('before(data("x"))', "the value when the step began"),
    ('changed("x")', "true when the value is not the one when the step began"),
    ('found("grad-accumulated")', "true when this finding is reported"),
    ("began", "the number of events when the step began"),
    ("inside", "the number of micro-steps taken in the operation that was stepped into; 0 outside"),
    ("branches", "the number of branches"),
    ("branch_loss", "the last loss on the branch that was made last"),
    ('size("model.*")', "how many numbers the tensors of this name, or of these, have"),
    ('rows("points")', "how many training rows a data set has; held_out_rows the others"),
    ('batch_size("points")', "how many rows its next batches have"),
    ('graphs("total")', "how many graphs a running total keeps alive"),
)
"""What the language of lessons has besides that of watches: each form, and its meaning."""


class LessonContext(EvaluationContext):
    """The names of a lesson's expressions, with their values in a Debugger now.

    Args:
        debugger: The Debugger that the lesson follows.

    Attributes:
        began: How many Events there were when the current step began.

    Example:
        >>> from gradstep.debugger import Debugger
        >>> from gradstep.debugger.conditions.condition import Query
        >>> from gradstep.program.document.codec import decode
        >>> dbg = Debugger(decode(b'''{"gradstep": 1,
        ...     "tensors": {"x": {"value": 8, "requires_grad": true}},
        ...     "losses": {"loss": {"expression": "x * x"}}}'''))
        >>> context = LessonContext(dbg)
        >>> backward = Query('last_event("backward") and ok', context)
        >>> _ = dbg.forward(), dbg.backward()
        >>> context.refresh()
        >>> backward.value(), Query('count("forward")', context).value()
        (True, 1)
    """

    __slots__ = ("_debugger", "began")

    def __init__(self, debugger: Debugger) -> None:
        now = debugger.evaluation_context
        super().__init__(
            now.program,
            is_finding_new=now.is_finding_new,
            activations=now.activations,
            counts=now.counts,
        )
        self._debugger = debugger
        self.began = debugger.position[0]
        self.refresh()

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - a number, an array, or none
        own = _NAMES.get(name)
        if own is not None and name not in self.program.losses:
            return own(self)
        return super().__getitem__(name)

    def __iter__(self) -> Iterator[str]:
        yield from {**_NAMES, **dict.fromkeys(super().__iter__())}

    def refresh(self) -> None:
        """Follow the Debugger to its current moment."""
        now = self._debugger.evaluation_context
        self.event, self.applied, self.last_loss = now.event, now.applied, now.last_loss

    def functions(
        self, remember: Callable[[Callable[[Any], Any]], Memory]
    ) -> Mapping[str, ExpressionFunction]:
        """Return the functions of `LESSON_TERMS`."""

        def before(value: Any) -> Callable[[Any], Any]:  # noqa: ANN401 - a closure, or a text
            if isinstance(value, str):
                raise ExpressionError(
                    "before takes a value", f"write before(data({quoted(value)})) or before(loss)"
                )
            return remember(value).before

        return {
            "before": ExpressionFunction(before, texts=True, site=True),
            "last_event": ExpressionFunction(_last_event, texts=True, site=True),
            "count": ExpressionFunction(_count, texts=True, site=True),
            "in_order": ExpressionFunction(_in_order, 1, 20, texts=True, site=True),
            "found": ExpressionFunction(_found, texts=True, site=True),
            "size": ExpressionFunction(self._size, texts=True, site=True),
            "graphs": ExpressionFunction(self._graphs, texts=True, site=True),
            **{
                name: ExpressionFunction(self._of_data(read), texts=True, site=True)
                for name, read in _OF_DATA.items()
            },
        }

    def _size(self, pattern: object) -> Callable[[Any], int]:
        tensors = self.program.tensors
        found = fnmatch.filter(tensors, pattern) if isinstance(pattern, str) else []
        if not found:
            raise ExpressionError(
                f"there is no tensor {pattern!r}"
                if isinstance(pattern, str)
                else "a name is needed",
                nearest(str(pattern), tensors),
            )
        return lambda _: sum(prod(tensors[name].shape) for name in found)

    def _of_data(
        self, read: Callable[[Program, str], int]
    ) -> Callable[[object], Callable[[Any], int]]:
        """Return the function that reads a number of a data set."""

        def site(name: object) -> Callable[[Any], int]:
            program = self.program
            known = program.spec.data if isinstance(program, Program) else {}
            if not isinstance(name, str) or name not in known:
                raise ExpressionError(f"there is no data set {name!r}", nearest(str(name), known))
            return lambda _: read(cast("Program", program), name)

        return site

    def _graphs(self, name: object) -> Callable[[Any], int]:
        program = self.program
        if not isinstance(name, str) or name not in program.tensors:
            raise ExpressionError(
                f"there is no tensor {name!r}", nearest(str(name), program.tensors)
            )
        return lambda _: cast("Program", program).kept_graphs(name)

    @property
    def inside(self) -> int:
        """How many micro-steps were taken in the current Operation."""
        return self._debugger.position[1] or 0

    @property
    def branches(self) -> int:
        """How many branches there are."""
        return len(self._debugger.branches)

    @property
    def branch_loss(self) -> Any:  # noqa: ANN401 - a number, or none
        """The last loss on the branch that was made last."""
        log = self._debugger.branches[-1].history.log
        metrics = self.program.spec.metrics
        last = log.last(
            len(log), lambda _, written: bool({*written.written_losses}.difference(metrics))
        )
        value = None if last is None else log.brief(last)[4]
        return MISSING if value is None else value

    def reports(self, finding: str) -> bool:
        """Return whether a finding is reported now."""
        return any(item.id == finding for item in self._debugger.findings)

    def done(self, action: Action) -> list[int]:
        """Return the Events since the step began that did an Operation, and succeeded."""
        log = self._debugger.history.log
        found = log.find(
            min(self.began, self.event),
            self.event,
            operation=action.matches,
            outcome=lambda outcome: outcome.ok,
        )
        return [int(index) for index in found]


_NAMES: Mapping[str, Callable[[LessonContext], Any]] = {
    "ok": lambda context: context.applied is not None and context.applied.outcome.ok,
    "began": lambda context: context.began,
    "inside": lambda context: context.inside,
    "branches": lambda context: context.branches,
    "branch_loss": lambda context: context.branch_loss,
}


_OF_DATA: Mapping[str, Callable[[Program, str], int]] = {
    "rows": lambda program, name: program.dataset(name).training,
    "held_out_rows": lambda program, name: (
        len(program.dataset(name).inputs) - program.dataset(name).training
    ),
    "batch_size": lambda program, name: program.batch_size(name),
}


def _operation(text: object) -> Action:
    if not isinstance(text, str):
        raise ExpressionError("the kind of an operation is needed", 'write it as in "backward"')
    try:
        (action,) = parse_actions([text], "$")
    except ProgramError as error:
        raise ExpressionError(error.message.partition(": ")[2], error.remedy) from None
    if action.verb != "operation":
        raise ExpressionError(f"{text!r} is not an operation", 'write one, such as "backward"')
    return action


def _last_event(kind: object) -> Callable[[Any], bool]:
    action = _operation(kind)
    return lambda context: context.applied is not None and action.matches(context.applied.operation)


def _count(kind: object) -> Callable[[Any], int]:
    action = _operation(kind)
    return lambda context: len(context.done(action))


def _in_order(*kinds: object) -> Callable[[Any], bool]:
    actions = [_operation(kind) for kind in kinds]

    def holds(context: Any) -> bool:  # noqa: ANN401 - a LessonContext, as all closures take it
        last = 0
        for action in actions:
            later = [index for index in context.done(action) if index > last]
            if not later:
                return False
            last = later[0]
        return True

    return holds


def _found(finding: object) -> Callable[[Any], bool]:
    if not isinstance(finding, str):
        raise ExpressionError("the id of a finding is needed", 'write it as in "grad-reused"')
    if finding not in REGISTRY:
        raise ExpressionError(f"there is no finding {finding!r}", nearest(finding, REGISTRY))
    return lambda context: context.reports(finding)
