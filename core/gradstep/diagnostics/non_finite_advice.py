"""What to do about the first NaN or infinity of a script: by where it began, and by the losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gradstep.program.operation import Step

if TYPE_CHECKING:
    from gradstep.history.history import History
    from gradstep.history.reads_writes import ReadsWrites
    from gradstep.program.operation import Operation

__all__ = ["advice"]

_SMALL = "1e-8"
_BY_ORIGIN = {
    "a square root of 0": f"Add a small number under the square root, such as {_SMALL}: the "
    "gradient of a square root of 0 is infinite.",
    "rsqrt of 0": f"Add a small number under the square root, such as {_SMALL}.",
    "a division by 0": f"Add a small number to the divisor, as in x / (norm + {_SMALL}), or leave "
    "out what is divided by 0.",
    "a logarithm of 0 or less": "Use what computes the logarithm of a probability safely: "
    "log_softmax, logsigmoid, cross_entropy, or BCEWithLogitsLoss. Or clamp its argument: "
    f"x.clamp(min={_SMALL}).log().",
    "exp of too large a number": "Subtract the largest number before exp, as softmax, log_softmax "
    "and logsumexp do, or clamp its argument.",
    "a standard deviation of 0": f"Add a small number to the variance, such as {_SMALL}, before "
    "its square root: the numbers were all equal, or there was only one.",
    "acos at 1 or -1": "Clamp its argument: x.clamp(-1 + 1e-6, 1 - 1e-6).",
    "asin at 1 or -1": "Clamp its argument: x.clamp(-1 + 1e-6, 1 - 1e-6).",
    "atanh at 1 or -1": "Clamp its argument: x.clamp(-1 + 1e-6, 1 - 1e-6).",
    "a square root that is NaN": "A square root is NaN where its argument is negative: clamp it, "
    "as in x.clamp(min=1e-8).sqrt().",
    "a mean of nothing": "Leave out a loss of no elements: what it is the mean of is empty in this "
    "batch, or its labels are all ignored.",
    "a softmax that is NaN": "A softmax is NaN where all elements of a row are -inf, as where all "
    "are masked, or one is infinite: leave at least one of each row unmasked.",
    "NaN or infinity in its target": "Look for them in the targets: torch.isfinite(y).all().",
}
"""What to do about what the agent found in a node."""

_INPUT = "NaN or infinity in its input"
_OF_DATA = (
    "Look for NaN and infinity in the data: torch.isfinite(x).all(), for the inputs and the "
    "targets of this batch."
)
_IN_GENERAL = "log and sqrt need an argument above 0, and a divisor must not be 0."
_GROWN = 100.0
"""How many times a loss before the lowest one was that has run away."""

_BEFORE, _EVENTS = 50, 400
"""Values of the loss, and Events, that are looked at."""


class _Growth(NamedTuple):
    """How a loss has grown."""

    loss: str
    lowest: float
    last: float
    forwards: int


def advice(history: History, event: int, origin: str, *, is_loss: bool) -> str:
    """Return what to do, as sentences with a space before.

    Args:
        history: The branch of the script.
        event: The first Event that shows it.
        origin: Where it began, as the agent noticed; empty if it did not.
        is_loss: Whether it is a loss that is not finite; else all losses are.

    """
    known = next((text for words, text in _BY_ORIGIN.items() if origin.endswith(words)), "")
    growth = _growth(history, event)
    if growth is not None:
        grew = (
            f"{growth.loss} had grown from {growth.lowest:.3g} to {growth.last:.3g} over the "
            f"{growth.forwards} Forwards before: the steps are too long. Use a smaller learning "
            "rate, such as a tenth, or clip the gradients."
        )
        return f" {grew} {known}".rstrip()
    if known:
        return f" {known}"
    has_stepped = history.log.last(event - 1, _is_step) is not None
    often = " A smaller learning rate or clipping often helps." if has_stepped else ""
    if origin.endswith(_INPUT):
        return f" {_OF_DATA}"
    return f"{f' {_OF_DATA}' if is_loss else ''} {_IN_GENERAL}{often}"


def _growth(history: History, event: int) -> _Growth | None:
    """Return how the loss has grown that was computed last before an Event; None if it has not."""
    log = history.log
    found: dict[str, list[float]] = {}
    for index in range(event - 1, max(0, event - _EVENTS), -1):
        _, _, _, reads_writes, loss = log.brief(index)
        for name in reads_writes.written_losses:
            values = found.setdefault(name, [])
            if loss is not None and len(values) < _BEFORE:
                values.append(abs(loss))
    for name, values in found.items():
        at = int(np.argmin(values)) if values else 0
        if at and np.isfinite(values).all() and values[0] > _GROWN * values[at]:
            return _Growth(name, values[at], values[0], at)
    return None


def _is_step(operation: Operation, _: ReadsWrites) -> bool:
    return isinstance(operation, Step)
