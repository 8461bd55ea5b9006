"""Find mistakes in a training loop, and report them with evidence."""

from gradstep.diagnostics.monitor import Monitor
from gradstep.diagnostics.observation import Observation
from gradstep.diagnostics.tables.registry import REGISTRY, Diagnostic

__all__ = ["REGISTRY", "Diagnostic", "Monitor", "Observation"]
