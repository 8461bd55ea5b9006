"""Compute the inputs and outputs of a model's layers without side effects."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep import nn
from gradstep.autograd import grad_mode
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import GradStepError
from gradstep.nn.module_hooks import watched

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["MAX_EVALUATED_ROWS", "layer_activations"]

MAX_EVALUATED_ROWS = 256
"""The maximum number of rows that are evaluated."""


def layer_activations(
    live: LiveObjects, loss: str
) -> Iterator[tuple[str, str, NDArray[Any], NDArray[Any]]]:
    """Yield the input and the output of each layer that a loss is computed with.

    A sample of the rows of its data is evaluated in evaluation mode, without a graph; no buffer and
    no generator changes.

    Yields:
        The layer's full name, its class, its input and its output, rows first.
    """
    wanted = live.loss(loss)
    if wanted.inputs is None or not wanted.modules:
        return
    rows = slice(None, None, -(-len(wanted.inputs) // MAX_EVALUATED_ROWS) or 1)
    targets = None if wanted.targets is None else wrap(wanted.targets[rows])
    names = {
        layer: f"{name}.{number}"
        for name in wanted.modules
        for number, layer in enumerate(live.modules[name])
    }
    found: list[tuple[str, str, NDArray[Any], NDArray[Any]]] = []

    def leave(layer: nn.Module, args: tuple[Any, ...], output: Any) -> None:  # noqa: ANN401 - a layer's
        if layer in names and isinstance(output, Tensor):
            found.append((names[layer], type(layer).__name__, args[0]._array, output._array))

    drawn = live.random_stream.default_state()
    with (
        grad_mode.no_grad(),
        _evaluation_mode(live, wanted.modules),
        watched(_ignore, leave, alone=True),
    ):
        try:
            live.compute(wanted, wrap(wanted.inputs[rows]), targets)
        except GradStepError:  # the Forward reports it
            pass
        finally:
            live.random_stream.set_default_state(drawn)
    yield from found


def _ignore(_layer: nn.Module, _args: tuple[Any, ...]) -> None:
    """Do nothing when a layer is entered."""


@contextmanager
def _evaluation_mode(live: LiveObjects, modules: Sequence[str]) -> Iterator[None]:
    modes = [
        (inner, inner.training)
        for name in modules
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
