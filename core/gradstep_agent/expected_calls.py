"""What a training loop calls next, if it does what it did the last time.

A loop makes the same few calls again and again. What the agent has found out about one of them is
kept: from where in the script it was made, what it was done to, and which call came after it. When
exactly that call comes next, one more row of numbers is all that has to be written. Any other call
is looked at from the beginning, and becomes what is expected from then on.
"""

from __future__ import annotations

import contextlib
import dis
import weakref
from typing import TYPE_CHECKING

from gradstep_agent.operation import NAN, Operation

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType
    from typing import Any

    from gradstep_agent.loop_position import Trail
    from gradstep_agent.operation import WrappedFunction


_LIBRARIES = ("torch", "gradstep_torch")
_LOADS = frozenset(
    (
        *("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF", "POP_TOP", "PUSH_NULL"),
        *("PRECALL", "KW_NAMES", "NOP", "CACHE", "EXTENDED_ARG", "BUILD_TUPLE", "BUILD_MAP"),
        *("BUILD_CONST_KEY_MAP", "BUILD_LIST", "COPY", "SWAP", "STORE_FAST_LOAD_FAST"),
    )
)
"""What an interpreter does, besides "LOAD_...", to call a function with some variables."""


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
        own_code: What the user's innermost frame runs,
        own_position: and the position in that.
        is_direct: Whether the user's frame makes it, or a function of torch that it calls.
        site: Where it is in the user's code.
        target: What it is done to.
        subject: Returns the module or optimizer that this is the name of, while it is alive.
        detail: What else there is to report.
        trail: Where it is in the script's loops, if each iteration has it.
        place: The number of its place.
        is_writing: Whether it may change values or gradients,
        may_write_values: and whether values,
        may_write_gradients: and whether gradients.
        following: The call that came next the last time.
        is_followed_at_once: Whether nothing can change between the end of this one and that one.
        is_noted_later: Whether that one notes the gradients that this one has changed as well.
        loss: What a Backward differentiates this time.
        began: When it began this time.
        events_before: How many Events there were then, if others have happened inside of it.
        is_skipped: That it is not skipped; what is skipped is looked at from the beginning.
    """

    __slots__ = (
        *("began", "code", "described", "detail", "events_before", "following", "function"),
        *("is_direct", "is_followed_at_once", "is_noted_later", "is_writing", "loss"),
        *("may_write_gradients", "may_write_values", "outer", "own_code", "own_position", "place"),
        *("position", "site", "subject", "target", "trail"),
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
        self.is_writing = operation.function.is_writing
        self.may_write_values = not operation.function.keeps_values
        self.may_write_gradients = not operation.keeps_gradients
        self.following: ExpectedCall | None = None
        self.is_followed_at_once = self.is_noted_later = False
        self.loss = NAN
        self.began = 0.0
        self.events_before = 0
        self.subject: Callable[[], Any] = object
        self.code, self.position = frame.f_code, frame.f_lasti
        self.outer = _frames_around(frame, user_frame, operation.function.has_trail)
        self.own_code, self.own_position = user_frame.f_code, user_frame.f_lasti
        self.is_direct = _is_made_directly(frame, user_frame)

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

    def know_following(self, call: ExpectedCall) -> None:
        """Note which call came after it."""
        if self.following is not call:
            self.following = call
            self.is_followed_at_once = (
                self.is_writing  # after which everything is noted
                and self.is_direct
                and call.is_direct
                and self.own_code is call.own_code
                and only_loads_between(call.own_code, self.own_position, call.own_position)
            )
            self.is_noted_later = (
                self.is_followed_at_once and not self.may_write_values and call.is_writing
            )

    def as_operation(self, args: tuple[Any, ...]) -> Operation:
        """Return what it is this time, to be reported in full, with its arguments."""
        operation = Operation(self.described, self.site, args)
        operation.target, operation.detail = self.target, self.detail
        operation.keeps_gradients = not self.may_write_gradients
        operation.loss, operation.began = self.loss, self.began
        operation.events_before = self.events_before
        operation.call = self
        return operation


def only_loads_between(code: CodeType, first: int, last: int) -> bool:
    """Return whether nothing but variables is read and set between two calls in the bytecode.

    So it is between `loss.backward()` and `optimizer.step()` on the next line.

    Args:
        code: What makes the calls.
        first: The position of one call, or in the cache behind it.
        last: Likewise of the other.
    """
    between = [found for found in dis.get_instructions(code) if first < found.offset <= last]
    return bool(between) and all(
        found.opname in _LOADS or found.opname.startswith("LOAD_") for found in between[:-1]
    )


def _is_made_directly(frame: FrameType, user_frame: FrameType) -> bool:
    """Return whether only functions of torch are between a call and the user's frame."""
    outer: FrameType | None = frame
    while outer is not None and outer is not user_frame:
        if str(outer.f_globals.get("__name__")).partition(".")[0] not in _LIBRARIES:
            return False
        outer = outer.f_back
    return True


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
