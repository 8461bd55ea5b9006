"""Suspicions about a program before it runs: its layers, criteria and data."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.diagnostics.observation import Observation
from gradstep.program.schema.layers import basic as kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from gradstep.program.program import Program
    from gradstep.program.schema.program_spec import LossSpec, ProgramSpec

__all__ = ["design_suspicions"]

SCALE = 10.0
"""Inputs and targets beyond this are large compared with initial weights."""

_NORMS = (kinds.BatchNorm1d, kinds.BatchNorm2d)
_RESCALING = (*_NORMS, kinds.LayerNorm, kinds.GroupNorm, kinds.Embedding)
_DROPOUTS = (kinds.Dropout, kinds.Dropout1d, kinds.Dropout2d)
_BIASED = (kinds.Linear, kinds.Conv1d, kinds.Conv2d, kinds.ConvTranspose2d)
_PASSING = (kinds.Identity, kinds.Flatten, kinds.Unflatten, *_DROPOUTS)

_APPLIED_TWICE = {
    "CrossEntropyLoss": {"Softmax": "a softmax", "Sigmoid": "a softmax"},
    "BCEWithLogitsLoss": {"Sigmoid": "a sigmoid", "Softmax": "a sigmoid"},
}
"""By criterion, the last layers that apply what it applies itself, and what that is."""

_EXPECTED = {
    "BCELoss": (("Sigmoid", "Softmax"), "probabilities, as Sigmoid gives"),
    "NLLLoss": (("LogSoftmax", "LogSigmoid"), "log-probabilities, as LogSoftmax gives"),
}
"""By criterion, the last layers that produce its expected input, and what that is."""

_RANGES = {
    "ReLU": (0.0, np.inf),
    "Softplus": (0.0, np.inf),
    "Sigmoid": (0.0, 1.0),
    "Softmax": (0.0, 1.0),
    "Tanh": (-1.0, 1.0),
    "ReLU6": (0.0, 6.0),
}
"""Output ranges of last layers, for criteria that compare the output with values."""

_REGRESSIONS = ("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss")


def design_suspicions(program: Program) -> Iterator[Observation]:
    """Check a program as it was built."""
    spec = program.spec
    for name, loss in spec.losses.items():
        inputs, targets = program.examples(name)
        if loss.rows == "training" and loss.chain:
            yield from _criterion(spec, name, loss, targets)
            yield from _scales(spec, name, loss, inputs, targets)
    for name, layers in spec.modules.items():
        for number, (layer, after) in enumerate(pairwise(layers)):
            if isinstance(layer, _BIASED) and isinstance(after, _NORMS) and layer.bias:
                yield Observation("bias-before-batchnorm", (f"{name}.{number}.bias",))
        dropped = next((at for at, one in enumerate(layers) if isinstance(one, _DROPOUTS)), None)
        if dropped is not None and any(isinstance(one, _NORMS) for one in layers[dropped:]):
            yield Observation("dropout-before-batchnorm", (f"{name}.{dropped}",))


def _criterion(
    spec: ProgramSpec, name: str, loss: LossSpec, targets: NDArray[Any] | None
) -> Iterator[Observation]:
    """Compare the last layer that transforms its input with what the criterion expects."""
    if loss.criterion is None:
        return
    criterion = type(loss.criterion).__name__
    layers = [layer for module in loss.chain for layer in spec.modules[module]]
    doing = [layer for layer in layers if not isinstance(layer, _PASSING)]
    last = type(doing[-1]).__name__ if doing else "none"
    twice = _APPLIED_TWICE.get(criterion, {}).get(last)
    if twice is not None:
        note = f"The model ends with {last}, but {criterion} already applies {twice}"
        yield Observation("criterion-mismatch", (name,), note=note)
    fitting, wanted = _EXPECTED.get(criterion, ((last,), ""))
    if last not in fitting:
        note = f"{criterion} expects {wanted}, but the model ends with {last}"
        yield Observation("criterion-mismatch", (name,), note=note)
    if criterion in _REGRESSIONS and last in _RANGES and targets is not None and targets.size:
        low, high = _RANGES[last]
        share = float(((targets < low) | (targets > high)).mean())
        if share > 0:
            note = (
                f"The model ends with {last}, but {share:.0%} of the targets lie outside its range"
            )
            yield Observation("criterion-mismatch", (name,), note=note)


def _scales(
    spec: ProgramSpec,
    name: str,
    loss: LossSpec,
    inputs: NDArray[Any] | None,
    targets: NDArray[Any] | None,
) -> Iterator[Observation]:
    """Look for inputs and targets that are large compared with initial weights."""
    first = spec.modules[loss.chain[0]][0]
    if loss.data is not None and spec.data[loss.data].standardize:
        inputs = None  # outliers there are single values of almost constant columns
    if inputs is not None and inputs.dtype.kind == "f" and not isinstance(first, _RESCALING):
        largest = float(np.abs(inputs).max(initial=0))
        if not largest <= SCALE:
            yield Observation("input-scale", (name,), note="inputs", value=largest)
    compared = loss.criterion is not None and type(loss.criterion).__name__ in _REGRESSIONS
    if compared and targets is not None and targets.dtype.kind == "f":
        largest = float(np.abs(targets).max(initial=0))
        if not largest <= SCALE:
            yield Observation("input-scale", (name,), note="targets", value=largest)
