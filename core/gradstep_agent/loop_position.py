"""Where a training loop stands: its iteration, and its epoch, without tracing a line.

A loop is seen only through the Operations in it. The *trail* of an Operation is the position in
each frame on the stack, the outermost first. As long as code runs forwards, the trail grows; when
it does not, some loop has begun again. Which loop, the source says: the loops around that line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep_agent.user_code import is_user_code

if TYPE_CHECKING:
    from types import FrameType

    from gradstep_agent.sites import Sites


class LoopPosition:
    """Counts iterations and epochs from the places where Operations happen.

    Args:
        sites: Where the sources of loops are looked up.

    Attributes:
        part: Which part of the script runs, such as a cell of a notebook; parts run in order.
    """

    def __init__(self, sites: Sites) -> None:
        self.iteration = 0
        self.epoch = 0
        self.part = 0
        self._sites = sites
        self._trail: list[int] = []
        self._below: list[int] = []
        self._outer: Any = None

    def pass_operation(self, frame: FrameType, called_by: FrameType) -> bool:
        """Note an Operation that every iteration has; return whether an iteration began.

        Args:
            frame: The user's frame that does it.
            called_by: The frame that called it: that one, or one of a library below it.
        """
        return self.pass_trail(self.trail_of(frame), frame, called_by)

    def trail_of(self, frame: FrameType) -> list[int]:
        """Return where a user's frame is in the script's loops."""
        trail = []
        current: FrameType | None = frame
        while current is not None:
            trail.append(current.f_lasti)
            if current.f_code.co_name == "<module>":
                break  # what is outside of it runs it once
            current = current.f_back
        trail.append(self.part)
        trail.reverse()
        return trail

    def pass_trail(self, trail: list[int], frame: FrameType, called_by: FrameType) -> bool:
        """Note an Operation whose trail is known; return whether an iteration began.

        Args:
            trail: The trail of the user's frame.
            frame: The user's frame that does it.
            called_by: The frame that called it: that one, or one of a library below it.
        """
        before = self._trail
        begins = trail <= before
        if begins and trail[:-1] == before[:-1]:
            first, last = self._sites.at(frame).loop_over_optimizers(frame)
            begins = not first <= before[-1] <= last
        if trail == before:
            begins = self._begins_below(frame, called_by) and begins
        else:
            self._below = []
        self._trail = trail
        if begins:
            self.iteration += 1
        if begins or self.iteration == 0:
            self._count_epoch(frame)
        return begins

    def _begins_below(self, frame: FrameType, called_by: FrameType) -> bool:
        """Return whether a loop began again in what the user's code has called.

        The loop of a framework's trainer runs below one line of the user's.
        """
        below = []
        current: FrameType | None = called_by
        while current is not None and current is not frame:
            below.append(current.f_lasti)
            current = current.f_back
        below.reverse()
        before, self._below = self._below, below
        return not before or below <= before

    def _count_epoch(self, frame: FrameType) -> None:
        if frame.f_code.co_name == "<module>" and not self._sites.at(frame).is_in_two_loops(frame):
            return
        outer = self._outer_value(frame)
        if self._outer is not None and outer is not None and outer != self._outer:
            self.epoch += 1
        self._outer = outer if outer is not None else self._outer

    def _outer_value(self, frame: FrameType) -> tuple[object, ...] | None:
        """Return the loop variables of the loops around the innermost one; None without any."""
        names: list[tuple[FrameType, str]] = []
        current: FrameType | None = frame
        while current is not None:
            if is_user_code(current.f_code):
                variables = self._sites.at(current).loop_variables(current)
                names += [(current, name) for name in variables]
            current = current.f_back
        if len(names) < 2:  # noqa: PLR2004 - the innermost loop, and one around it
            return None
        return tuple([_identity(_value(owner, name)) for owner, name in names[1:]])


def _value(frame: FrameType, name: str) -> object:
    """Return what a variable is, also an attribute as in `for self.epoch in ...`; None if unknown.

    Attributes are looked up where they are stored: looking them up as Python does may run code.
    """
    first, *attributes = name.split(".")
    value = frame.f_locals.get(first)
    for attribute in attributes:
        value = getattr(value, "__dict__", {}).get(attribute)
    return value


def _identity(value: object) -> object:
    """Return what distinguishes one value of a loop variable from the next."""
    return value if isinstance(value, (int, float, str)) else id(value)
