"""Where a training loop stands: its iteration, and its epoch, without tracing a line.

A loop is seen only through the Operations in it. The *trail* of an Operation is the position in
each frame on the stack, the outermost first. As long as code runs forwards, the trail grows; when
it does not, some loop has begun again. Where it grows, one loop may have ended, and another one
begun. Which loops there are, the source says: the loops around that line.

A call of a model counts for less, because a script calls it in other loops as well, such as those
of an evaluation: an iteration begins with it only where the loop of the last Operation has begun
again.
"""

from __future__ import annotations

from inspect import CO_GENERATOR
from typing import TYPE_CHECKING, Any

from gradstep_agent.user_code import is_user_code, user_frame

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, FrameType, TracebackType

    from gradstep_agent.sites import Sites


_LoopVariable = tuple[int, str, tuple[str, ...]]
"""By how many frames a variable is outside of the user's innermost one, its name, and attributes
of it as in `for self.epoch in ...`."""

_TWO = 2
"""The innermost loop, and one around it."""


class Trail:
    """Where something is in the script's loops: a position in each frame on the stack.

    Args:
        part: Which part of the script runs.
        called_by: The innermost frame; the user's own, or one of a library below it.
        frame: The user's innermost frame.
        is_call: Whether it is that of a call of a model.
        stepped: The optimizer whose Step it is; "" for anything else.

    Attributes:
        positions: The part, and the positions in the bytecode, the outermost first.
        codes: What is run at each of them; None for the part.
        own: How many of them there are up to the user's innermost frame.
        token: What stands for it in those that follow it, which must not keep it alive.
        after: The token of a trail that this one has followed.
        begins: Whether an iteration began then, which the two trails decide,
        repeated: and which function of a library had a loop then.
        outer: The variables of the loops around the innermost one; None if not looked up yet.
    """

    __slots__ = (
        *("after", "begins", "codes", "is_call", "outer"),
        *("own", "positions", "repeated", "stepped", "token"),
    )

    def __init__(
        self,
        part: int,
        called_by: FrameType | None = None,
        frame: FrameType | None = None,
        *,
        is_call: bool = False,
        stepped: str = "",
    ) -> None:
        positions: list[int] = []
        codes: list[CodeType | None] = []
        below = 0
        current = called_by
        while current is not None:
            if current is frame:
                below = len(positions)
            positions.append(current.f_lasti)
            codes.append(current.f_code)
            if current.f_code.co_name == "<module>":
                break  # what is outside of it runs it once
            current = current.f_back
        positions.append(part)
        codes.append(None)
        positions.reverse()
        codes.reverse()
        self.positions, self.codes = positions, codes
        self.own = len(positions) - below
        self.is_call = is_call
        self.stepped = stepped
        self.token = object()
        self.after: object = None
        self.begins = False
        self.repeated: CodeType | None = None
        self.outer: Sequence[_LoopVariable] | None = None


class LoopPosition:
    """Counts iterations and epochs from the places where Operations happen.

    Args:
        sites: Where the sources of loops are looked up.

    Attributes:
        part: Which part of the script runs, such as a cell of a notebook; parts run in order.
        is_drawn_again: Whether a library's trainer goes through its batches again, from the next
            iteration on; loops of the user's own count before.
    """

    def __init__(self, sites: Sites) -> None:
        self.iteration = 0
        self.epoch = 0
        self.part = 0
        self.is_drawn_again = False
        self._sites = sites
        self._trail = Trail(0)
        self._has_left_loop = False  # since the iteration began
        self._repeated: CodeType | None = None  # the library's function that has a loop
        self._outer: Any = None

    def trail_of(
        self, frame: FrameType, called_by: FrameType, *, is_call: bool = False, stepped: str = ""
    ) -> Trail:
        """Return where something is in the script's loops.

        Args:
            frame: The user's frame that does it.
            called_by: The frame that called it: that one, or one of a library below it.
            is_call: Whether it is a call of a model.
            stepped: The optimizer whose Step it is; "" for anything else.
        """
        return Trail(self.part, called_by, frame, is_call=is_call, stepped=stepped)

    def may_begin_with(self, call: Trail) -> bool:
        """Return whether an iteration begins with a call of a model, or that is not known yet."""
        return call.begins or not self._is_known(call)

    def begins_with(self, call: Trail) -> bool:
        """Return whether an iteration begins with a call of a model.

        It does where the innermost loop around the last Operation, which is also that around the
        call, has begun again.
        """
        if self._is_known(call):
            return call.begins
        return self._know(self._trail, call, begins=self._has_come_back(self._trail, call))

    def _is_known(self, trail: Trail) -> bool:
        return trail.after is self._trail.token and trail.repeated is self._repeated

    def pass_trail(self, trail: Trail, called_by: FrameType) -> bool:
        """Note an Operation that every iteration has, or a call; return whether one began.

        Args:
            trail: The trail.
            called_by: The frame that called it: the user's, or one of a library below it.
        """
        if trail.is_call and not self.begins_with(trail):
            return False
        is_known = self._is_known(trail)
        before, self._trail = self._trail, trail
        if is_known:
            if not trail.begins:
                return False
            begins = True
        elif trail.positions <= before.positions:
            begins = self._has_returned(before, trail, user_frame(called_by) or called_by)
        else:
            begins = self._is_in_another_loop(before, trail)
        if begins:
            self.iteration += 1
            self._has_left_loop = False
        if (begins or self.iteration == 0) and (self.is_drawn_again or trail.outer != ()):
            self._count_epoch(trail, user_frame(called_by) or called_by)
        return begins

    def is_left_by(self, trace: TracebackType | None) -> bool:
        """Return whether an error came before the end of the innermost loop's body.

        Args:
            trace: The traceback of the error.
        """
        trail = self._trail
        number, line = max(self._loops_from(trail, 0), default=(0, 0))
        while trace is not None and number and trace.tb_frame.f_code is not trail.codes[1]:
            trace = trace.tb_next
        codes: list[CodeType | None] = [None]
        positions = trail.positions[:1]
        while trace is not None:
            codes.append(trace.tb_frame.f_code)
            positions.append(trace.tb_lasti)
            trace = trace.tb_next
        return (
            0 < number < len(codes)
            and codes[: number + 1] == trail.codes[: number + 1]
            and positions[:number] == trail.positions[:number]
            and positions[number:] >= trail.positions[number:]
            and line in self._sites.at_position(trail.codes[number], positions[number]).loops()  # type: ignore[arg-type]
        )

    def _has_come_back(self, before: Trail, call: Trail) -> bool:
        """Return whether the innermost loop around both trails has begun again."""
        pairs = zip(call.positions, before.positions)  # noqa: B905 - Python 3.9
        level = next((number for number, (here, there) in enumerate(pairs) if here != there), 0)
        if (
            before.is_call
            or call.positions[level] >= before.positions[level]
            or call.codes[level] is not before.codes[level]
        ):
            return False
        loops = self._loops_from(before, 0)
        innermost = max(loops, default=(level + 1, 0))
        return innermost[0] <= level and innermost == max(self._loops_from(call, 0), default=None)

    def _has_returned(self, before: Trail, trail: Trail, frame: FrameType) -> bool:
        """Return whether the loop that began again is one of iterations."""
        own, here, there = trail.own, trail.positions, before.positions
        if here == there and trail.stepped and trail.stepped != before.stepped != "":
            return self._know(before, trail, begins=False)  # each parameter has an optimizer
        if here[: own - 1] != there[: own - 1]:
            return True
        if here[own:] != there[own:] and here[own - 1] == there[own - 1] and own < len(here):
            self._repeated = trail.codes[own]  # not one of the user's loops that calls it again
        first, last = self._sites.at(frame).loop_over_optimizers(frame)
        begins = not (own <= len(there) and first <= there[own - 1] <= last)
        return self._know(before, trail, begins=begins)

    def _is_in_another_loop(self, before: Trail, trail: Trail) -> bool:
        """Return whether one loop has ended and another one has begun, further on in the code.

        Such as the loops of two calls of one function, one after the other.
        """
        level = 0
        for here, there in zip(trail.positions, before.positions):  # noqa: B905 - Python 3.9
            if here != there:
                break
            level += 1
        else:
            return False
        ended, begun = self._loops_from(before, level), self._loops_from(trail, level)
        if trail.codes[level] is before.codes[level]:
            around = {loop for loop in ended & begun if loop[0] == level}
            ended, begun = ended - around, begun - around
        self._has_left_loop = self._has_left_loop or bool(ended)
        if self._has_left_loop and begun:
            return True
        own = trail.own
        begins = False
        if level < own < len(trail.codes):
            begins = trail.codes[own] is self._repeated  # a framework's trainer is called again
        if not ended and not begun:
            self._know(before, trail, begins=begins)
        return begins

    def _know(self, before: Trail, trail: Trail, *, begins: bool) -> bool:
        """Note what two trails that follow one another have decided; return it."""
        trail.after, trail.begins, trail.repeated = before.token, begins, self._repeated
        return begins

    def _loops_from(self, trail: Trail, level: int) -> frozenset[tuple[int, int]]:
        """Return the loops of the user's code around a trail, from one of its frames inwards.

        Returns:
            The number of the frame and the line of the loop for each of them.
        """
        found = []
        for number in range(level, trail.own):
            code = trail.codes[number]
            if code is not None and is_user_code(code):
                site = self._sites.at_position(code, trail.positions[number])
                found += [(number, line) for line in site.loops()]
        return frozenset(found)

    def _count_epoch(self, trail: Trail, frame: FrameType) -> None:
        if self.is_drawn_again:
            self.is_drawn_again = False
            self.epoch += self._outer is None
        if trail.outer is None:
            trail.outer = self._outer_variables(frame)
        if not trail.outer:
            return
        outer = _values(frame, trail.outer)
        if self._outer is not None and outer != self._outer:
            self.epoch += 1
        self._outer = outer

    def _outer_variables(self, frame: FrameType) -> tuple[_LoopVariable, ...]:
        """Return the variables of the loops around the innermost one, the innermost first."""
        if frame.f_code.co_name == "<module>" and len(self._sites.at(frame).loops()) < _TWO:
            return ()
        found: list[_LoopVariable] = []
        current: FrameType | None = frame
        level = 0
        is_drawn = False  # by a loop over a generator, which goes round with the generator's own
        while current is not None:
            if is_user_code(current.f_code):
                names = list(self._sites.at(current).loops().values())
                for name in names[1:] if is_drawn else names:
                    first, *attributes = name.split(".")
                    found.append((level, first, tuple(attributes)))
                is_drawn = bool(names) and bool(current.f_code.co_flags & CO_GENERATOR)
            current, level = current.f_back, level + 1
        return tuple(variable for variable in found[1:] if variable[1])  # `while` has none


def _values(frame: FrameType, variables: Sequence[_LoopVariable]) -> list[object]:
    """Return what distinguishes the values of variables, the innermost first.

    Attributes are looked up where they are stored: looking them up as Python does may run code.
    """
    found: list[object] = []
    current: FrameType | None = frame
    reached = 0
    for level, first, attributes in variables:
        while reached < level and current is not None:
            current, reached = current.f_back, reached + 1
        value = None if current is None else current.f_locals.get(first)
        for attribute in attributes:
            value = getattr(value, "__dict__", {}).get(attribute)
        found.append(value if isinstance(value, (int, float, str)) else id(value))
    return found
