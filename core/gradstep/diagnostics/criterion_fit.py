"""Which last layers do not fit a criterion, of programs and of scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["mismatches"]

_APPLIED_TWICE = {
    "CrossEntropyLoss": {
        "Softmax": "applies a softmax",
        "Sigmoid": "applies a softmax",
        "LogSoftmax": "applies a log-softmax, and the second one changes nothing",
    },
    "BCEWithLogitsLoss": {"Sigmoid": "applies a sigmoid", "Softmax": "applies a sigmoid"},
}
"""By criterion, the last layers that do what it does itself, and what that is."""

_CLIPPED = ("ReLU", "ReLU6")
_LOGITS = ("CrossEntropyLoss", "BCEWithLogitsLoss")
"""Last layers that never give a negative logit, and the criteria that need one."""

_EXPECTED = {
    "BCELoss": (("Sigmoid", "Softmax"), "probabilities, as Sigmoid gives"),
    "NLLLoss": (("LogSoftmax", "LogSigmoid"), "log-probabilities, as LogSoftmax gives"),
}
"""By criterion, the last layers that produce its expected input, and what that is."""


def mismatches(criterion: str, last: str) -> Iterator[str]:
    """Yield how the last layer that transforms its input differs from what a criterion expects.

    Args:
        criterion: The class of the criterion.
        last: The class of the layer.

    Example:
        >>> list(mismatches("CrossEntropyLoss", "Softmax"))
        ['The model ends with Softmax, but CrossEntropyLoss already applies a softmax']
    """
    twice = _APPLIED_TWICE.get(criterion, {}).get(last)
    if twice is not None:
        note = f"The model ends with {last}, but {criterion} already {twice}"
        yield note
    if criterion in _LOGITS and last in _CLIPPED:
        note = (
            f"The model ends with {last}, but {criterion} expects logits, which are negative for "
            "what is unlikely"
        )
        yield note
    fitting, wanted = _EXPECTED.get(criterion, ((last,), ""))
    if last not in fitting:
        note = f"{criterion} expects {wanted}, but the model ends with {last}"
        yield note
