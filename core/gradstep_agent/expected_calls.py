"""What a training loop calls next, if it does what it did the last time.

A loop makes the same few calls again and again. What the agent has found out about one of them is
kept: from where in the script it was made, what it was done to, and which call came after it. When
exactly that call comes next, one more row of numbers is all that has to be written. Any other call
is looked at from the beginning, and becomes what is expected from then on.
"""

from __future__ import annotations

import contextlib
import weakref
from typing import TYPE_CHECKING

from gradstep_agent.operation import NAN, Operation

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType
    from typing import Any

    from gradstep_agent.loop_position import Trail
    from gradstep_agent.operation import WrappedFunction


class ExpectedCall:
    """A call of a wrapped function, made before and outside of any other one.

    Args:
        operation: What it was reported as.
        frame: The frame that made it.
        user_frame: The user's innermost frame then.
        trail: Where it is in the script's loops, if each iteration has it.

    Attributes:
        described: The function.
        function: The function if it can be expected; None as long as its place is not known.
        code: What the frame that made it runs.
        position: The position in that.
        outer: The frames around that one which matter, as their code and the position in it, the
            innermost first; no code stands for the end of the stack.
        site: Where it is in the user's code.
        target: What it is done to.
        subject: Returns the module or optimizer that this is the name of, while it is alive.
        detail: What else there is to report.
        trail: Where it is in the script's loops, if each iteration has it.
        place: The number of its place.
        keeps_gradients: Whether it is known not to change gradients.
        following: The call that came next the last time.
        args: The arguments while it is under way.
        loss: What a Backward differentiates this time.
        began: When it began this time.
        events_before: How many Events there were then, if others have happened inside of it.
        is_skipped: That it is not skipped; what is skipped is looked at from the beginning.
    """

    __slots__ = (
        *("args", "began", "code", "described", "detail", "events_before", "following"),
        *("function", "keeps_gradients", "loss", "outer", "place", "position", "site"),
        *("subject", "target", "trail"),
    )

    is_skipped = False

    def __init__(
        self, operation: Operation, frame: FrameType, user_frame: FrameType, trail: Trail | None
    ) -> None:
        self.described = operation.function
        self.function: WrappedFunction | None = None
        self.site = operation.site
        self.target = operation.target
        self.detail = operation.detail
        self.trail = trail
        self.place = -1
        self.keeps_gradients = operation.keeps_gradients
        self.following: ExpectedCall | None = None
        self.args: tuple[Any, ...] = ()
        self.loss = NAN
        self.began = 0.0
        self.events_before = 0
        self.subject: Callable[[], Any] = object
        self.code, self.position = frame.f_code, frame.f_lasti
        self.outer = _frames_around(frame, user_frame, operation.function.once_an_iteration)

    def is_made_by(self, frame: FrameType) -> bool:
        """Return whether a frame, and those around it that matter, are where they were then."""
        is_there = frame.f_lasti == self.position and frame.f_code is self.code
        return is_there and self.is_within(frame)

    def is_within(self, frame: FrameType) -> bool:
        """Return whether the frames around one are where they were then."""
        outer: FrameType | None = frame
        for code, position in self.outer:
            outer = outer.f_back  # type: ignore[union-attr]
            if outer is None:
                return code is None
            if outer.f_lasti != position or outer.f_code is not code:
                return False
        return True

    def know_subject(self, operation: Operation) -> None:
        """Note what it is done to this time: another one may have the same name."""
        if operation.args and operation.target:
            with contextlib.suppress(TypeError):  # not everything can be referred to weakly
                self.subject = weakref.ref(operation.args[0])

    def know_place(self, place: int) -> None:
        """Note the number of its place: from now on it can be expected."""
        self.place, self.function = place, self.described

    def as_operation(self) -> Operation:
        """Return what it is this time, to be reported in full."""
        operation = Operation(self.described, self.site, self.args)
        operation.target, operation.detail = self.target, self.detail
        operation.keeps_gradients = self.keeps_gradients
        operation.loss, operation.began = self.loss, self.began
        operation.events_before = self.events_before
        operation.call = self
        return operation


def _frames_around(
    frame: FrameType, user_frame: FrameType, to_module: bool
) -> tuple[tuple[CodeType | None, int], ...]:
    """Return the frames around one as their code and the position in it, the innermost first.

    Where something is in the user's code, the frames out to the user's say; where it is in loops,
    those out to the module. No code stands for the end of the stack.
    """
    found: list[tuple[CodeType | None, int]] = []
    outer: FrameType | None = frame
    is_seen = False
    while outer is not None:
        is_seen = is_seen or outer is user_frame
        if outer is not frame:
            found.append((outer.f_code, outer.f_lasti))
        if is_seen and (not to_module or outer.f_code.co_name == "<module>"):
            return tuple(found)
        outer = outer.f_back
    return (*found, (None, -1))
