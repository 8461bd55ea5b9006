"""The debugger: a cursor over the History of a Program."""

from gradstep.debugger.breakpoints.breakpoint import Breakpoint
from gradstep.debugger.breakpoints.stop_reason import StopReason
from gradstep.debugger.conditions.condition import Condition
from gradstep.debugger.debugger import Debugger
from gradstep.debugger.watches.watch import Watch
from gradstep.history.history import Branch
from gradstep.program.micro_step import MicroStep

__all__ = ["Branch", "Breakpoint", "Condition", "Debugger", "MicroStep", "StopReason", "Watch"]
