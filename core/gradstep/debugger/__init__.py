"""The debugger: a cursor over the History of a Program."""

from gradstep.debugger.branch import Branch
from gradstep.debugger.condition import Condition
from gradstep.debugger.debugger import Debugger
from gradstep.program.micro_step import MicroStep

__all__ = ["Branch", "Condition", "Debugger", "MicroStep"]
