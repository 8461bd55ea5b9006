"""Predictor: what a program's losses would output for any inputs, computed on copies of modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.tensor import wrap
from gradstep.nn.module_hooks import watched

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep import nn
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["Predictor"]


class Predictor:
    """Computes outputs in evaluation mode, with modules of its own.

    They read the arrays of the program's present tensors, and write nothing: modes, buffers, the
    generator, versions and graphs of the program stay as they are.

    Args:
        live: The live objects of the program.
    """

    __slots__ = ("_live", "_modules")

    def __init__(self, live: LiveObjects) -> None:
        self._live = live
        drawn = live.random_stream.default_state()
        try:  # initial values are drawn, and overwritten below
            self._modules: dict[str, nn.Module] = {
                name: live.make_module(name).eval() for name in live.modules
            }
        finally:
            live.random_stream.set_default_state(drawn)

    def __call__(self, loss: str, inputs: NDArray[Any]) -> NDArray[Any]:
        """Return the output of a loss for inputs, rows first, with the present parameters.

        Args:
            loss: The name of a loss that `predicts`.
            inputs: Inputs like those of its data.

        Raises:
            GradStepError: The output cannot be computed.
        """
        live = self._live
        self._follow()
        tensors = {name: wrap(tensor._array) for name, tensor in live.tensors.items()}
        drawn = live.random_stream.default_state()
        try:
            with (
                grad_mode.no_grad(),
                np.errstate(all="ignore"),
                watched(alone=True),
            ):
                output = live.loss(loss).predict(self._modules, tensors, wrap(inputs))
        finally:
            live.random_stream.set_default_state(drawn)
        return output._array

    def _follow(self) -> None:
        """Let the copies read the arrays of the present tensors."""
        for name, module in self._modules.items():
            for inner, tensor in (*module.named_parameters(), *module.named_buffers()):
                tensor._array = self._live.tensors[f"{name}.{inner}"]._array
