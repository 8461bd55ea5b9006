"""The debugger: a cursor over the History of a Program."""

from gradstep.debugger.branch import Branch
from gradstep.debugger.breakpoint import Breakpoint
from gradstep.debugger.condition import Condition
from gradstep.debugger.debugger import Debugger
from gradstep.debugger.stop import StopReason
from gradstep.debugger.watch import Watch
from gradstep.program.micro_step import MicroStep

__all__ = ["Branch", "Breakpoint", "Condition", "Debugger", "MicroStep", "StopReason", "Watch"]
