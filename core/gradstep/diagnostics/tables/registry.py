"""Registry: every diagnostic there is, by its id."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from gradstep.diagnostics.tables.diagnostic import Diagnostic
from gradstep.diagnostics.tables.fact_table import FACTS
from gradstep.diagnostics.tables.question_table import QUESTIONS
from gradstep.diagnostics.tables.script_texts import SCRIPT_FACTS
from gradstep.diagnostics.tables.suspicion_table import SUSPICIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["REGISTRY", "Diagnostic"]

REGISTRY: Mapping[str, Diagnostic] = MappingProxyType(
    {entry.id: entry for entry in (*FACTS, *SCRIPT_FACTS, *QUESTIONS, *SUSPICIONS)}
)
"""Every diagnostic by its id: facts, what is only worth knowing, questions, and
suspicions."""
