"""Remedies for a document whose targets do not fit a criterion, in place of those for code."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from gradstep.errors import GradStepError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.program.schema.program_spec import LossSpec, ProgramSpec

__all__ = ["document_error"]

_MISFITS: Mapping[str, str] = MappingProxyType(
    {
        "multi-target not supported": "labels",
        "expected target dtype to be Long": "labels",
        "is out of bounds": "classes",
        "must be the same as input size": "columns",
        "must match the size of tensor b": "columns",
    }
)
"""By words of an error, what does not fit: the labels, their number, or the columns."""

_SIZE = re.compile(r"\(?gradstep\.Size\((\[[^]]*\])\)\)?")


def document_error(error: GradStepError, spec: ProgramSpec, loss: LossSpec) -> GradStepError:
    """Return the error of a criterion with a remedy for the document.

    Args:
        error: What the criterion says.
        spec: The document.
        loss: The loss.

    Example:
        >>> from gradstep.program.schema.criteria import BCEWithLogitsLoss
        >>> from gradstep.program.schema.program_spec import LossSpec, ProgramSpec
        >>> said = GradStepError("Target size (gradstep.Size([4])) must be the same as input size "
        ...     "(gradstep.Size([4, 1]))", "reshape the target, for example with .unsqueeze(1)")
        >>> loss = LossSpec(data="a", criterion=BCEWithLogitsLoss())
        >>> found = document_error(said, ProgramSpec(gradstep=1), loss)
        >>> found.message
        'Target size [4] must be the same as input size [4, 1]'
    """
    misfit = next((kind for words, kind in _MISFITS.items() if words in error.message), None)
    if misfit is None or loss.criterion is None or loss.data is None:
        return error
    if "tensor b" in error.message and loss.output is not None:
        return error  # it may be the formula that adds what does not fit
    of_file = getattr(spec.data.get(loss.data), "classes", None)
    remedies = {
        "labels": f'set "classes": true on data set {loss.data}'
        if of_file is False
        else f"write each target of data set {loss.data} as the number of its class, from 0 on, "
        "such as 2 (not [2] or 2.0)",
        "classes": f"give the last layer one output for each class ({error.remedy}), and count "
        "the classes from 0",
        "columns": f"give the last layer as many outputs as a target of data set {loss.data} has "
        "numbers, and write targets as lists of that length, such as [0.5]",
    }
    return GradStepError(_SIZE.sub(r"\1", error.message), remedies[misfit])
