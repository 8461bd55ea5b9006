"""What is wrong with a training loop, told with evidence."""

from gradstep.diagnostics.monitor import Monitor
from gradstep.diagnostics.registry import REGISTRY, Diagnostic
from gradstep.diagnostics.report import Fact

__all__ = ["REGISTRY", "Diagnostic", "Fact", "Monitor"]
