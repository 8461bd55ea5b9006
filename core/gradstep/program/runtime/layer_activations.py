"""Compute the inputs and outputs of a model's layers without side effects."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep import nn
from gradstep.autograd import grad_mode
from gradstep.autograd.tensor import wrap
from gradstep.errors import GradStepError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["MAX_EVALUATED_ROWS", "layer_activations"]

MAX_EVALUATED_ROWS = 256
"""The maximum number of rows that are evaluated."""


def layer_activations(
    live: LiveObjects, loss: str
) -> Iterator[tuple[str, str, NDArray[Any], NDArray[Any]]]:
    """Yield the input and the output of each layer of a loss's chain.

    The first rows of its data are evaluated in evaluation mode, without a graph; no buffer and no
    generator changes.

    Yields:
        The layer's full name, its class, its input and its output, rows first.
    """
    wanted = live.loss(loss)
    if wanted.inputs is None or not wanted.spec.chain:
        return
    value = wrap(wanted.inputs[:MAX_EVALUATED_ROWS])
    with grad_mode.no_grad(), _evaluation_mode(live, wanted.spec.chain):
        for name in wanted.spec.chain:
            for number, layer in enumerate(live.modules[name]):
                before = value
                try:
                    value = layer(value)
                except GradStepError:  # the Forward reports it
                    return
                yield f"{name}.{number}", type(layer).__name__, before._array, value._array


@contextmanager
def _evaluation_mode(live: LiveObjects, chain: list[str]) -> Iterator[None]:
    modes = [
        (inner, inner.training)
        for name in chain
        for inner in live.modules[name].modules()
        if isinstance(inner, nn.Module)
    ]
    for inner, _ in modes:
        inner.training = False
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        for inner, training in modes:
            inner.training = training
