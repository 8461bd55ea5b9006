"""The CTC loss for unaligned label sequences (Graves et al., ICML 2006)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops.loss_reduction import reduced
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["ctc_loss"]

_BATCHED = 3


class CtcLossBackward0(Node):
    """Minus the log-probability of all alignments; its derivative is computed in forward."""

    __slots__ = ()
    sources = (None,)
    rule = "log_probs: grad * (exp(log_probs) - the share of alignments that pass a label there)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """As in torch, this is correct for outputs of log_softmax."""
        if isinstance(grad, Tensor):
            raise UnsupportedError(
                "the derivative for '_ctc_loss_backward' is not implemented",
                "omit create_graph",
            )
        return (saved[0] * grad[:, None],)


class _Labels(NamedTuple):
    """The labels of one sequence with blanks in between, and where a blank can be skipped."""

    numbers: NDArray[np.int64]
    skips: NDArray[np.bool_]


def _with_blanks(labels: NDArray[Any], blank: int) -> _Labels:
    numbers = np.full(2 * len(labels) + 1, blank, np.int64)
    numbers[1::2] = labels
    skips = np.zeros(len(numbers), np.bool_)
    skips[2:] = (numbers[2:] != blank) & (numbers[2:] != numbers[:-2])
    return _Labels(numbers, skips)


def _forward(scores: NDArray[Any], skips: NDArray[np.bool_]) -> NDArray[Any]:
    """Return the log-probability of all alignments that reach each position at each time.

    Args:
        scores: Log-probabilities, of shape (time, positions).
        skips: Where the previous position can be skipped.
    """
    ways = np.full(scores.shape, -np.inf, scores.dtype)
    ways[0, :2] = scores[0, :2]
    for time in range(1, len(scores)):
        before = ways[time - 1]
        reached = before.copy()
        reached[1:] = np.logaddexp(reached[1:], before[:-1])
        reached[2:] = np.where(skips[2:], np.logaddexp(reached[2:], before[:-2]), reached[2:])
        ways[time] = reached + scores[time]
    return ways


def _one(log_probs: NDArray[Any], labels: _Labels) -> tuple[Any, NDArray[Any]]:
    """Return the loss of one sequence and its derivative, of shape (time, classes)."""
    scores = log_probs[:, labels.numbers]
    ways = _forward(scores, labels.skips)
    total = np.logaddexp.reduce(ways[-1, -2:])
    turned = np.zeros_like(labels.skips)
    turned[2:] = labels.skips[:1:-1]
    back = _forward(scores[::-1, ::-1], turned)[::-1, ::-1]
    through = np.full(log_probs.shape, -np.inf, log_probs.dtype)
    for place, number in enumerate(labels.numbers):
        along = ways[:, place] + back[:, place]
        through[:, number] = np.logaddexp(through[:, number], along)
    return -total, np.exp(log_probs) - np.exp(through - total - log_probs)


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Return minus the log-probability of the labels, summed over all alignments.

    Args:
        log_probs: Of shape (time, batch, classes), or without the batch, as `log_softmax` gives.
        targets: Labels, of shape (batch, longest), or concatenated in one dimension.
        input_lengths: The length of each sequence.
        target_lengths: The number of labels of each sequence.
        blank: The class of the blank label.
        reduction: "mean" (of the losses divided by the numbers of labels), "sum" or "none".
        zero_infinity: Whether to replace infinite losses (more labels than time steps) with 0.

    Raises:
        TensorError: A length or label is out of range.

    Example:
        >>> import gradstep_torch as torch
        >>> even = torch.zeros(3, 1, 2).log_softmax(2)
        >>> ctc_loss(even, torch.tensor([[1]]), [3], [1], reduction="sum")
        tensor(0.2877)

    References:
        Graves et al., Connectionist temporal classification, ICML 2006.
    """
    batched = log_probs._array.ndim == _BATCHED
    given = log_probs if batched else log_probs.unsqueeze(1)
    x = given._array
    times, counts = (_lengths(value, x.shape[1]) for value in (input_lengths, target_lengths))
    if not 0 <= blank < x.shape[2]:
        raise TensorError(f"blank must be in label range, 0 to {x.shape[2] - 1}, got {blank}")
    if times.size and times.max() > len(x):
        raise TensorError(
            f"Expected input_lengths to have value at most {len(x)}, but got value {times.max()}"
        )
    rows = _rows(targets._array, counts, batched=batched)
    losses = np.zeros(x.shape[1], x.dtype)
    slopes = np.zeros_like(x)
    for number, (labels, time) in enumerate(zip(rows, times, strict=True)):
        if labels.size and (labels.min() < 0 or labels.max() >= x.shape[2]):
            raise TensorError(f"targets are class numbers from 0 to {x.shape[2] - 1}, got {labels}")
        if not time:
            losses[number] = 0 if not len(labels) else np.inf
            continue
        loss, slope = _one(x[:time, number], _with_blanks(labels, blank))
        if zero_infinity and np.isinf(loss):
            continue
        losses[number] = loss
        slopes[:time, number] = slope
    if zero_infinity:
        losses[np.isinf(losses)] = 0
    out = wrap(losses)
    if grad_mode.current.enabled and given._requires_grad:
        record(CtcLossBackward0, out, (given._grad_fn or given,), (slopes,))
    if reduction == "mean":
        each: Tensor = (out / wrap(np.maximum(counts, 1).astype(x.dtype))).mean()
        return each
    terms = reduced(out if batched else out.squeeze(0), reduction)
    assert isinstance(terms, Tensor)
    return terms


def _lengths(value: Tensor | Sequence[int], batch: int) -> NDArray[np.int64]:
    array = np.asarray(value._array if isinstance(value, Tensor) else value, np.int64).reshape(-1)
    if array.size != batch:
        raise TensorError(
            f"input_lengths and target_lengths must be of size {batch}, the batch, got {array.size}"
        )
    return array


def _rows(targets: NDArray[Any], counts: NDArray[np.int64], *, batched: bool) -> list[NDArray[Any]]:
    """Return the labels of each sequence."""
    if targets.ndim == 2 or not batched:  # noqa: PLR2004 - padded
        padded = np.atleast_2d(targets)
        if len(padded) != len(counts) or counts.max(initial=0) > padded.shape[1]:
            raise TensorError(
                f"Expected targets of shape [{len(counts)}, {counts.max(initial=0)} or more], but "
                f"got {list(targets.shape)}"
            )
        return [row[:count] for row, count in zip(padded, counts, strict=True)]
    if targets.size < counts.sum():
        raise TensorError(
            f"target_lengths add up to {counts.sum()}, but there are {targets.size} targets"
        )
    return np.split(targets, np.cumsum(counts))[:-1]
