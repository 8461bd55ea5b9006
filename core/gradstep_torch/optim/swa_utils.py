"""torch.optim.swa_utils: running averages of a model's weights."""

from __future__ import annotations

import math
from copy import deepcopy
from typing import TYPE_CHECKING, Any, TypeAlias

from gradstep.autograd.creation import tensor
from gradstep.autograd.grad_mode import no_grad
from gradstep.errors import ArgumentError
from gradstep.nn.batch_norm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from gradstep.nn.module import Module
from gradstep.optim.lr_scheduler.scheduler import LRScheduler, each_group

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gradstep.autograd.tensor import Tensor
    from gradstep.optim import Optimizer

    AverageFn: TypeAlias = Callable[[Tensor, Tensor, Tensor | int], Tensor]
    MultiAverageFn: TypeAlias = Callable[[Sequence[Tensor], Sequence[Tensor], Tensor | int], None]

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]


class SWALR(LRScheduler):
    """Anneals each learning rate to a constant over a number of steps.

    Args:
        optimizer: The optimizer whose learning rates to set.
        swa_lr: The final rate; one for all groups, or one for each.
        anneal_epochs: The number of steps to reach it.
        anneal_strategy: "cos" for half a cosine, or "linear".
        last_epoch: The index of the last step; -1 to begin.

    Raises:
        ArgumentError: An argument is out of its range.

    Example:
        >>> import gradstep_torch as torch
        >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
        >>> scheduler = SWALR(optimizer, swa_lr=0.5, anneal_epochs=2, anneal_strategy="linear")
        >>> for _ in range(3):
        ...     optimizer.step()
        ...     scheduler.step()
        ...     print(scheduler.get_last_lr())
        [0.75]
        [0.5]
        [0.5]

    References:
        Izmailov et al., Averaging weights leads to wider optima and better generalization, UAI
        2018 (arXiv 1803.05407).
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | Sequence[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        if anneal_strategy not in {"cos", "linear"}:
            raise ArgumentError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ArgumentError(
                f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}"
            )
        groups = optimizer.param_groups
        for group, rate in zip(groups, each_group("swa_lr", swa_lr, groups), strict=True):
            group["swa_lr"] = rate
        self.anneal_epochs = anneal_epochs
        self._anneal_strategy = anneal_strategy
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the next learning rates; the initial ones are computed from the current ones."""
        step = self._step_count - 1
        if not self.anneal_epochs:
            step = max(1, step)
        before, share = self._share(step - 1), self._share(step)
        found = []
        for group in self.optimizer.param_groups:
            rate, goal = float(group["lr"]), group["swa_lr"]
            start = goal if before == 1 else (rate - before * goal) / (1 - before)
            found.append(goal * share + start * (1 - share))
        return found

    def _share(self, step: int) -> float:
        """Return the fraction of the annealing completed after a number of steps."""
        way = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return way if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * way)) / 2


class AveragedModel(Module):
    """A copy of a model that holds the average of its weights.

    Args:
        model: The model whose weights are averaged; it is copied.
        device: Only "cpu".
        avg_fn: Returns the new average from (average, weight, number averaged so far); by default
            the mean of all.
        multi_avg_fn: The same for lists of tensors, in place, such as `get_ema_multi_avg_fn()`.
        use_buffers: Average buffers too, instead of copying them.

    Attributes:
        module: The copy.
        n_averaged: Number of updates.

    Raises:
        ArgumentError: Both functions are given.

    Example:
        >>> import gradstep_torch as torch
        >>> model = torch.nn.Linear(1, 1, bias=False)
        >>> averaged = AveragedModel(model)
        >>> for value in (1.0, 3.0):
        ...     _ = torch.nn.init.constant_(model.weight, value)
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
        avg_fn: AverageFn | None = None,
        multi_avg_fn: MultiAverageFn | None = None,
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

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute with the averaged weights."""
        return self.module(*args, **kwargs)

    def _averaged_of(self, model: Module) -> Iterator[Tensor]:
        yield from model.parameters()
        if self.use_buffers:
            yield from model.buffers()

    def update_parameters(self, model: Module) -> None:
        """Add the current weights of the model to the average; call it after `step()`."""
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


def _each(average: AverageFn) -> MultiAverageFn:
    """Return a function that applies a function of tensors to each element of lists."""

    def update(
        averages: Sequence[Tensor], weights: Sequence[Tensor], num_averaged: Tensor | int
    ) -> None:
        with no_grad():
            for mean, weight in zip(averages, weights, strict=True):
                mean.copy_(average(mean, weight, num_averaged))

    return update


def get_swa_avg_fn() -> AverageFn:
    """Return the function that computes the mean of all weights."""

    def swa_update(average: Tensor, weight: Tensor, num_averaged: Tensor | int) -> Tensor:
        return average + (weight - average) / (num_averaged + 1)

    return swa_update


def get_swa_multi_avg_fn() -> MultiAverageFn:
    """Return the function that computes the mean of all weights, in place on lists."""
    return _each(get_swa_avg_fn())


def get_ema_avg_fn(decay: float = 0.999) -> AverageFn:
    """Return the function that computes decay * average + (1 - decay) * weight.

    Args:
        decay: Share of the average that is kept at each update, from 0 to 1.

    Raises:
        ArgumentError: `decay` is out of its range.

    Example:
        >>> import gradstep_torch as torch
        >>> get_ema_avg_fn(0.75)(torch.tensor(1.0), torch.tensor(3.0), 1)
        tensor(1.5000)
    """
    if not 0.0 <= decay <= 1.0:
        raise ArgumentError(
            f"Invalid decay value {decay} provided. Please provide a value in [0,1] range."
        )

    def ema_update(average: Tensor, weight: Tensor, _: Tensor | int) -> Tensor:
        return decay * average + (1 - decay) * weight

    return ema_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> MultiAverageFn:
    """Return the function for decay * average + (1 - decay) * weight, in place on lists.

    Raises:
        ArgumentError: `decay` is not from 0 to 1.
    """
    return _each(get_ema_avg_fn(decay))


_BATCH_NORMS = (BatchNorm1d, BatchNorm2d, BatchNorm3d)


def update_bn(loader: Iterable[Any], model: Module, device: object = None) -> None:
    """Recompute the running mean and variance of all BatchNorm layers in one pass over the data.

    Averaged weights need this: their activations differ from those seen in training.

    Args:
        loader: Batches: tensors, or lists whose first entry is the input.
        model: The model whose layers are updated.
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
        layer.momentum = None  # None: the cumulative mean of all batches
    with no_grad():
        for batch in loader:
            given = batch[0] if isinstance(batch, (list, tuple)) else batch
            model(given if device is None else given.to(device))
    for layer, momentum in zip(layers, momenta, strict=True):
        layer.momentum = momentum
    model.train(was_training)
