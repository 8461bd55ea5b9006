"""CallOrder: where the Forward of a loss is among the calls that an agent reports.

The agent sees that a module is called, and a Backward. The call before a Backward is the Forward of
its loss, also where the script clears the gradients in between: the agent reads from the lines of
the script that the loss was computed before. Its value comes with the Backward, so what happens
between the two waits for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from msgspec import structs

from gradstep.script.frames import LONGEST_NAME, Held, Place, Row, wrong_frame

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["CallOrder", "Called", "Computed", "Happened", "Ordered", "has_grad", "line_of"]

_MOST_WAITING = 64


class Called(NamedTuple):
    """A module was called, and no Backward has used its output.

    Attributes:
        row: The call.
    """

    row: Row


class Computed(NamedTuple):
    """A loss was computed.

    Attributes:
        loss: Its name.
        row: The call of the model; where no module was called, the line. It is in that pass of the
            loop which the agent counts by what comes later.
        is_call: Whether a module was called.
        value: Its value; None where it was not read.
    """

    loss: str
    row: Row
    is_call: bool
    value: float | None


class Happened(NamedTuple):
    """Anything else.

    Attributes:
        row: What it was.
        inside: What happened inside of it.
    """

    row: Row
    inside: Sequence[Row]


Ordered: TypeAlias = Called | Computed | Happened


class CallOrder:
    """Puts the calls of a script in order, and says which of them computed a loss."""

    def __init__(self) -> None:
        self._call: Row | None = None  # of a module, which the next Operation explains
        self._is_first = False  # whether it came after something else than a call
        self._waiting: list[tuple[Row, Sequence[Row], bool]] = []  # for the value of a loss
        self._computed = ""  # the loss whose Forward has come, and its Backward has not

    def take(self, row: Row, inside: Sequence[Row], *, is_criterion: bool) -> Iterator[Ordered]:
        """Take a call that is inside of no other one; yield what is known now.

        Args:
            row: The call.
            inside: What happened inside of it.
            is_criterion: Whether it is that of a module without parameters.

        Raises:
            ScriptError: It cannot be true.
        """
        place = row.place
        if place.kind == "backward":
            yield from self._end_waiting(place.target, row.loss)
        elif self._waiting and (len(self._waiting) >= _MOST_WAITING or self._comes_again(place)):
            yield from self._end_waiting()
        yield from self._take(row, inside, is_criterion)

    def hold(self, held: Held) -> Iterator[Ordered]:
        """Yield what the calls before were, as the one shows before which the script is held.

        Raises:
            ScriptError: It cannot be true.
        """
        loss = held.target if held.kind == "backward" else held.loss_name
        if not loss:
            yield from self.end()
            return
        value = _number(held.loss)
        yield from self._end_waiting(loss, value)
        if held.loss_name and self._call is not None:
            self._computed = ""  # it is computed again
        place = _place_of_forward(loss, held.file, held.loss_line or held.line)
        row = Row(held.event, place, 0, held.iteration, held.epoch, value, {})
        yield from self._forward(loss, value, row, again=held.again)

    def end(self) -> Iterator[Ordered]:
        """Yield what is pending.

        Raises:
            ScriptError: It cannot be true.
        """
        yield from self._end_waiting()
        yield from self._end_call()

    def is_in_forward(self) -> bool:
        """Return whether the criterion, if it is called now, is part of a Forward."""
        return self._call is not None and has_grad(self._call)

    @property
    def call(self) -> Row | None:
        """The call of a module that is pending; None for none."""
        return self._call

    @property
    def pending(self) -> int:
        """How many Events are to come of what was taken, if a Forward is one of them."""
        return len(self._waiting) + (self._call is not None or bool(self._waiting))

    def _take(self, row: Row, inside: Sequence[Row], is_criterion: bool) -> Iterator[Ordered]:
        place, kind = row.place, row.place.kind
        is_skipped = place.detail.get("skipped") is True
        loss = "" if is_skipped else _computed_before(place)
        if self._waiting or (loss and (self._call is not None or self._computed != loss)):
            self._waiting.append((row, inside, is_criterion))
        elif kind == "forward" and not inside and not is_skipped:
            if not (is_criterion and self.is_in_forward()):
                self._is_first = self._call is None
                yield from self._end_call()
                self._call = row
        elif kind.endswith("_by_hand") and self._call is not None:
            if place.detail.get("at_call") is True or self._ends_before_changes(self._call):
                yield from self._end_call()
            yield Happened(row, inside)  # else it may be noticed only after the call
        else:
            if kind == "backward" and not is_skipped:
                again = bool(place.detail.get("again"))
                yield from self._forward(place.target, row.loss, row, again=again)
            yield from self._end_call()
            if kind == "backward":
                self._computed = ""
            yield Happened(row, inside)

    def _ends_before_changes(self, call: Row) -> bool:
        """Return whether what is noticed after a call has not happened before it.

        The agent looks for changes before the first call after an Operation. One in grad mode may
        be the Forward of a loss, and is written with its Backward.
        """
        return self._is_first and not has_grad(call)

    def _comes_again(self, place: Place) -> bool:
        """Return whether the loop has come back to a call, without the Backward that is awaited."""
        calls = [row for row, _, _ in self._waiting]
        calls += [] if self._call is None else [self._call]
        return any(line_of(place) == line_of(row.place) for row in calls)

    def _end_waiting(self, loss: str = "", value: float | None = None) -> Iterator[Ordered]:
        """Yield the Forward of a loss that was computed before a Zero Grad, and what came since.

        Args:
            loss: The loss whose value is known now.
            value: That.
        """
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            row = waiting[0][0]
            name, line = _computed_before(row.place), int(row.place.detail["loss_line"])
            self._computed = ""
            place = _place_of_forward(name, row.place.file, line)
            found = structs.replace(row, place=place, arrays={})
            yield from self._forward(name, value if name == loss else None, found)
            for item in waiting:
                yield from self._take(*item)

    def _forward(
        self, loss: str, value: float | None, row: Row, *, again: bool = False
    ) -> Iterator[Ordered]:
        """Yield the Forward of a loss, unless it has come.

        Args:
            loss: The loss.
            value: Its value.
            row: Where it was computed if no module was called for it, and in which pass.
            again: Whether its Backward is called once more.
        """
        if self._computed == loss or not self.is_in_forward():
            yield from self._end_call()
        call, self._call = self._call, None
        if self._computed != loss and (call is not None or not again):
            found = structs.replace(call or row, iteration=row.iteration, epoch=row.epoch)
            yield Computed(loss, found, call is not None, value)
            self._computed = loss

    def _end_call(self) -> Iterator[Ordered]:
        """Yield the pending call of a module: it was not the Forward of a loss."""
        call, self._call = self._call, None
        if call is not None:
            yield Called(call)


def has_grad(call: Row) -> bool:
    """Return whether a module was called in grad mode."""
    return bool(call.place.detail.get("grad", True))


def line_of(place: Place | Held) -> tuple[str, str, str, int]:
    """Return what is done, to what, and at which line."""
    return place.kind, place.target, place.file, place.line


def _computed_before(place: Place) -> str:
    """Return the loss that the script had computed before a Zero Grad; empty for none."""
    if place.kind != "zero_grad" or place.detail.get("aside") is True:
        return ""
    loss, line = place.detail.get("loss"), place.detail.get("loss_line")
    if loss is None:
        return ""
    if type(loss) is not str or len(loss) > LONGEST_NAME or "/" in loss:
        raise wrong_frame(f"the loss {str(loss)[:40]!r}")
    if type(line) is not int:
        raise wrong_frame(f"the line of the loss {loss[:40]}")
    return loss


def _place_of_forward(loss: str, file: str, line: int) -> Place:
    """Return where a loss was computed for which no module was called."""
    return Place(0, "forward", loss, file, line, {}, [], [], [])


def _number(text: str) -> float | None:
    """Return the value of a loss; None where the script has not read it."""
    try:
        return float(text) if text else None
    except ValueError:
        raise wrong_frame(f"the loss {text[:40]!r}") from None
