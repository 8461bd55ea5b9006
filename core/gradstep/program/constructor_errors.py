"""Errors of constructors as errors of a document: JSON spells the arguments differently."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gradstep.errors import ProgramError

if TYPE_CHECKING:
    from gradstep.errors import GradStepError

__all__ = ["as_json_text", "program_error"]

_OPTION = re.compile(r"(?<![\w.])(\w+)=(True|False|None|-?\d[\d.]*)(?!\w)")
_WORD = re.compile(r"`?(?<![\w.])(True|False|None)(?![\w.])`?")
_WORDS = {"True": "true", "False": "false", "None": "null"}


def program_error(place: str, error: GradStepError) -> ProgramError:
    """Return the error of a constructor as the error of the place that gave its arguments.

    Args:
        place: The path in the document.
        error: The error.

    Example:
        >>> from gradstep.errors import ArgumentError
        >>> print(program_error("$.o", ArgumentError("no momentum", "set cycle_momentum=False")))
        $.o: no momentum; set "cycle_momentum": false
    """
    return ProgramError(place, as_json_text(error.message), as_json_text(error.remedy))


def as_json_text(text: str) -> str:
    """Return a text about the arguments of a constructor as one about the fields of a document.

    Example:
        >>> as_json_text("fused=True, or leave foreach at None")
        '"fused": true, or leave foreach at null'
    """
    return _WORD.sub(lambda found: _WORDS[found[1]], _OPTION.sub(r'"\1": \2', text))
