"""Abilities: what can be done with a debugged program, and why something cannot be done."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from gradstep.program.operation import (
    Backward,
    ClipGradNorm,
    ClipGradValue,
    Forward,
    Freeze,
    SetHyperparameter,
    SetMode,
    SetValue,
    Skip,
    Step,
    ZeroGrad,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.program.operation import Operation

__all__ = ["Abilities"]


@dataclass(frozen=True, slots=True)
class Abilities:
    """What can be done; each is empty, or a sentence that says why it cannot be done.

    Attributes:
        diverge: Apply something other than the next Operation: other Operations, edits, branches.
        document: Edit, export or replay the document with changes.
        go_on: Apply more Operations after the last recorded one.
        inside_forward: Step into a Forward.
        inside_backward: Step into a Backward.
        inside_steps: Step into a Step, by optimizer; those that can be stepped into are absent.
        inside_clipping: Step into a clipping.
        inside_others: Step into any other Operation but Zero Grad.
        edit: Change a value, an option, a mode or what is trained.
        out_of_loop: Do a Zero Grad or a Step that does not come next.
        skip: Skip the next Operation.
        landscape: Compute a loss at other values of the parameters.
        has_lines: Whether Operations are lines of a user's own files.

    Example:
        >>> Abilities().diverge
        ''
    """

    diverge: str = ""
    document: str = ""
    go_on: str = ""
    inside_forward: str = ""
    inside_backward: str = ""
    inside_steps: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    inside_clipping: str = ""
    inside_others: str = ""
    edit: str = ""
    out_of_loop: str = ""
    skip: str = ""
    landscape: str = ""
    has_lines: bool = False

    def change(self, operation: Operation) -> str:
        """Return why an Operation cannot be applied where it does not come next; empty if it can.

        Example:
            >>> Abilities(skip="Not here.").change(Skip(Step()))
            'Not here.'
        """
        match operation:
            case Skip():
                return self.skip
            case ZeroGrad() | Step():
                return self.out_of_loop
            case SetHyperparameter() | SetValue() | Freeze() | SetMode():
                return self.edit
        return self.diverge

    def inside(self, operation: Operation) -> str:
        """Return why an Operation cannot be stepped into; empty if it can be.

        Example:
            >>> Abilities(inside_forward="Not recorded.").inside(Forward("loss"))
            'Not recorded.'
        """
        match operation:
            case Forward():
                return self.inside_forward
            case Backward():
                return self.inside_backward
            case Step(optimizer=optimizer):
                return self.inside_steps.get(optimizer, "")
            case ClipGradNorm() | ClipGradValue():
                return self.inside_clipping
            case ZeroGrad():
                return ""
        return self.inside_others
