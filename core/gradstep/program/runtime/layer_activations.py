"""Compute the inputs and outputs of a model's layers without side effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import GradStepError
from gradstep.nn.module_hooks import watched
from gradstep.program.runtime.loss_computation import evaluation_mode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from gradstep.nn import Module
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

    def leave(layer: Module, args: tuple[Any, ...], output: Any) -> None:  # noqa: ANN401 - a layer's
        if layer in names and isinstance(output, Tensor):
            found.append((names[layer], type(layer).__name__, args[0]._array, output._array))

    drawn = live.random_stream.default_state()
    with (
        grad_mode.no_grad(),
        evaluation_mode([live.modules[name] for name in wanted.modules]),
        np.errstate(all="ignore"),
        watched(after=leave, alone=True),
    ):
        try:
            live.compute(wanted, wrap(wanted.inputs[rows]), targets)
        except GradStepError:  # the Forward reports it
            pass
        finally:
            live.random_stream.set_default_state(drawn)
    yield from found
