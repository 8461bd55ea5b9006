"""What outputs mean, by their loss: probabilities of classes, or values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.history.records.fit import FitScore
from gradstep.program.schema.criteria import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    NLLLoss,
    PoissonNLLLoss,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.program.schema.program_spec import LossSpec

__all__ = ["Examples", "examples_of", "probabilities", "score_of", "values_of"]

_LOGIT_FUNCTIONS = ("sigmoid(", "exp(")
"""A formula of a loss that calls one of these takes its output for a logit."""


@dataclass(frozen=True, slots=True)
class Examples:
    """Pairs of a target and its prediction; see `Fit`."""

    truth: NDArray[Any]
    predicted: NDArray[Any]
    shares: NDArray[Any] | None = None


def examples_of(
    loss: LossSpec, labels: NDArray[Any], targets: NDArray[Any], output: NDArray[Any]
) -> Examples | None:
    """Return the examples of a batch; None where outputs and targets do not pair up.

    Args:
        loss: The loss.
        labels: The targets as the data set has them: integers are class labels.
        targets: The targets as the loss takes them.
        output: The output of the model.

    Example:
        >>> from gradstep.program.schema.program_spec import LossSpec
        >>> loss = LossSpec(criterion=CrossEntropyLoss())
        >>> labels = np.array([1, 0])
        >>> found = examples_of(loss, labels, labels, np.array([[0, 1], [2, 3]]))
        >>> found.truth.tolist(), found.predicted.tolist()
        ([1, 0], [1, 1])
    """
    chances = probabilities(loss, labels, output)
    if chances is None:
        if output.size != targets.size:
            return None
        return Examples(targets.reshape(-1).astype(np.float64), values_of(loss, output))
    truth = targets.reshape(-1).astype(np.int64)
    if len(truth) != len(chances):
        return None
    is_finite = np.isfinite(chances).all(axis=1)
    predicted = np.where(is_finite, np.where(np.isfinite(chances), chances, 0).argmax(axis=1), -1)
    shares = np.where(is_finite, chances.max(axis=1), np.nan)
    return Examples(truth, predicted, shares)


def probabilities(
    loss: LossSpec, labels: NDArray[Any], output: NDArray[Any]
) -> NDArray[Any] | None:
    """Return the probability of each class, one row per example; None for values.

    An output compared with class labels by its difference, as by MSELoss, counts as the probability
    of class 1.

    Args:
        loss: The loss.
        labels: The targets as the data set has them, of these rows or of all.
        output: The output of the model.
    """
    values = output.astype(np.float64)
    criterion, are_labels = loss.criterion, labels.dtype.kind in "iu"
    if isinstance(criterion, (CrossEntropyLoss, NLLLoss)):
        by_class = np.moveaxis(values, 1, -1).reshape(-1, values.shape[1])
        return np.exp(by_class) if isinstance(criterion, NLLLoss) else _softmax(by_class)
    is_binary = bool(np.isin(labels, (0, 1)).all())
    if isinstance(criterion, (BCELoss, BCEWithLogitsLoss)):
        is_logit = isinstance(criterion, BCEWithLogitsLoss)
        return _two_classes(values, is_logit=is_logit) if is_binary else None
    if not are_labels:
        return None
    if criterion is None and values.ndim == 2 and values.shape[1] > 1:  # noqa: PLR2004 - rows, classes
        return _softmax(values)
    formula = loss.expression or ""
    is_logit = any(function in formula for function in _LOGIT_FUNCTIONS)
    return _two_classes(values, is_logit=is_logit) if is_binary else None


def values_of(loss: LossSpec, output: NDArray[Any]) -> NDArray[Any]:
    """Return the values that a model predicts, one for each element of its output.

    Example:
        >>> from gradstep.program.schema.program_spec import LossSpec
        >>> values_of(LossSpec(criterion=PoissonNLLLoss()), np.array([[0.0]])).tolist()
        [1.0]
    """
    predicted = output.reshape(-1).astype(np.float64)
    if isinstance(loss.criterion, PoissonNLLLoss) and loss.criterion.log_input:
        return np.exp(predicted)
    return predicted


def score_of(examples: Examples, chosen: NDArray[Any], classes: int) -> FitScore:
    """Return how well the chosen examples are predicted.

    Args:
        examples: The examples.
        chosen: Whether to count each example.
        classes: The number of classes; 0 for values.

    Example:
        >>> found = Examples(np.array([0, 1, 1]), np.array([0, 1, 0]), np.ones(3))
        >>> score = score_of(found, np.array([True, True, True]), 2)
        >>> round(score.accuracy, 3), score.counts.tolist()
        (0.667, [[1, 0], [1, 1]])
    """
    truth, predicted = examples.truth[chosen], examples.predicted[chosen]
    if not classes:
        with np.errstate(all="ignore"):
            return FitScore(len(truth), rmse=float(np.sqrt(np.mean((predicted - truth) ** 2))))
    counts = np.zeros((classes, classes), np.int64)
    is_finite = predicted >= 0
    np.add.at(counts, (truth[is_finite], predicted[is_finite]), 1)
    return FitScore(len(truth), accuracy=float(np.mean(predicted == truth)), counts=counts)


def _softmax(logits: NDArray[Any]) -> NDArray[Any]:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: NDArray[Any] = powers / powers.sum(axis=1, keepdims=True)
    return shares


def _two_classes(values: NDArray[Any], *, is_logit: bool) -> NDArray[Any]:
    flat = values.reshape(-1)
    if is_logit:
        return np.stack([_sigmoid(-flat), _sigmoid(flat)], axis=1)
    second = np.clip(flat, 0.0, 1.0)
    return np.stack([1 - second, second], axis=1)


def _sigmoid(values: NDArray[Any]) -> NDArray[Any]:
    result: NDArray[Any] = 0.5 * (1 + np.tanh(values / 2))
    return result
