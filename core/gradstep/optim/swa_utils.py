"""torch.optim.swa_utils: averages of a model's weights over the steps of its training."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, TypeAlias

from gradstep.autograd.creation import tensor
from gradstep.autograd.grad_mode import no_grad
from gradstep.errors import ArgumentError
from gradstep.nn.batch_norm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from gradstep.nn.module import Module
from gradstep.optim.lr_scheduler.swa import SWALR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gradstep.autograd.tensor import Tensor

    One: TypeAlias = Callable[[Tensor, Tensor, Tensor | int], Tensor]
    Several: TypeAlias = Callable[[Sequence[Tensor], Sequence[Tensor], Tensor | int], None]

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]


class AveragedModel(Module):
    """A copy of a model that holds the average of its weights, and computes with it.

    Args:
        model: Whose weights are averaged; it is copied as it is now.
        device: Only "cpu".
        avg_fn: Makes the new average of (average, weight, how many were averaged before); the
            mean of all by default.
        multi_avg_fn: The same for lists of tensors, in place, such as `get_ema_multi_avg_fn()`.
        use_buffers: Average buffers too, rather than copy them.

    Attributes:
        module: The copy.
        n_averaged: How many times it was updated.

    Raises:
        ArgumentError: Both functions are given.

    Example:
        >>> import gradstep
        >>> model = gradstep.nn.Linear(1, 1, bias=False)
        >>> averaged = AveragedModel(model)
        >>> for value in (1.0, 3.0):
        ...     _ = gradstep.nn.init.constant_(model.weight, value)
        ...     averaged.update_parameters(model)
        >>> averaged.module.weight.item()
        2.0

    References:
        Izmailov et al., Averaging weights leads to wider optima and better generalization, UAI
        2018 (arXiv 1803.05407).
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: object = None,
        avg_fn: One | None = None,
        multi_avg_fn: Several | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise ArgumentError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module.to(device)
        self.register_buffer("n_averaged", tensor(0))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - the model's own
        """Compute with the averaged weights."""
        return self.module(*args, **kwargs)

    def _averaged_of(self, model: Module) -> Iterator[Tensor]:
        yield from model.parameters()
        if self.use_buffers:
            yield from model.buffers()

    def update_parameters(self, model: Module) -> None:
        """Take the present weights of the model into the average; call it after `step()`."""
        with no_grad():
            averages = [each.detach() for each in self._averaged_of(self.module)]
            weights = [each.detach() for each in self._averaged_of(model)]
            if self.n_averaged == 0:
                for average, weight in zip(averages, weights, strict=True):
                    average.copy_(weight)
            elif self.multi_avg_fn is not None:
                self.multi_avg_fn(averages, weights, self.n_averaged)
            else:
                _each(self.avg_fn or get_swa_avg_fn())(averages, weights, self.n_averaged)
            if not self.use_buffers:
                for kept, buffer in zip(self.module.buffers(), model.buffers(), strict=True):
                    kept.copy_(buffer)
            self.n_averaged += 1


def _each(average: One) -> Several:
    """Return a function of lists that does with each tensor what another does with one."""

    def update(
        averages: Sequence[Tensor], weights: Sequence[Tensor], num_averaged: Tensor | int
    ) -> None:
        with no_grad():
            for mean, weight in zip(averages, weights, strict=True):
                mean.copy_(average(mean, weight, num_averaged))

    return update


def get_swa_avg_fn() -> One:
    """Return the function that makes the mean of all weights."""

    def swa_update(average: Tensor, weight: Tensor, num_averaged: Tensor | int) -> Tensor:
        return average + (weight - average) / (num_averaged + 1)

    return swa_update


def get_swa_multi_avg_fn() -> Several:
    """Return the function that makes the mean of all weights, of lists in place."""
    return _each(get_swa_avg_fn())


def get_ema_avg_fn(decay: float = 0.999) -> One:
    """Return the function that makes decay * average + (1 - decay) * weight.

    Args:
        decay: How much of the average stays at each update, from 0 to 1.

    Raises:
        ArgumentError: `decay` is out of its range.

    Example:
        >>> import gradstep
        >>> get_ema_avg_fn(0.75)(gradstep.tensor(1.0), gradstep.tensor(3.0), 1)
        tensor(1.5000)
    """
    if not 0.0 <= decay <= 1.0:
        raise ArgumentError(
            f"Invalid decay value {decay} provided. Please provide a value in [0,1] range."
        )

    def ema_update(average: Tensor, weight: Tensor, _: Tensor | int) -> Tensor:
        return decay * average + (1 - decay) * weight

    return ema_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> Several:
    """Return the function that makes decay * average + (1 - decay) * weight, of lists in place.

    Raises:
        ArgumentError: `decay` is not from 0 to 1.
    """
    return _each(get_ema_avg_fn(decay))


_BATCH_NORMS = (BatchNorm1d, BatchNorm2d, BatchNorm3d)


def update_bn(loader: Iterable[Any], model: Module, device: object = None) -> None:
    """Compute the running mean and variance of all BatchNorm layers anew, over one pass of data.

    Averaged weights need it: what the layers below give has other moments than it had in training.

    Args:
        loader: Batches: tensors, or lists whose first entry is the input.
        model: Its layers are changed.
        device: Only "cpu".
    """
    layers = [each for each in model.modules() if isinstance(each, _BATCH_NORMS)]
    momenta = [layer.momentum for layer in layers]
    if not layers:
        return
    was_training = model.training
    model.train()
    for layer in layers:
        layer.reset_running_stats()
        layer.momentum = None  # a plain mean of all batches
    with no_grad():
        for batch in loader:
            given = batch[0] if isinstance(batch, (list, tuple)) else batch
            model(given if device is None else given.to(device))
    for layer, momentum in zip(layers, momenta, strict=True):
        layer.momentum = momentum
    model.train(was_training)
