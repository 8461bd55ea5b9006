"""The one-cycle policy: one rise of the learning rate, then a fall far below the start."""

from __future__ import annotations

from math import cos, pi
from typing import TYPE_CHECKING, Any, NamedTuple

from gradstep.errors import ArgumentError
from gradstep.optim.lr_scheduler.scheduler import LRScheduler, each_group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.optim.optimizer import Optimizer

__all__ = ["OneCycleLR"]


class _Phase(NamedTuple):
    end: float
    lr: tuple[str, str]
    momentum: tuple[str, str]


class OneCycleLR(LRScheduler):
    """Raises the learning rate to `max_lr`, then lowers it far below the initial rate.

    Momentum (or Adam's first beta) moves in the opposite direction.

    Args:
        optimizer: The optimizer whose learning rates are set.
        max_lr: The highest rate, or one for each group.
        total_steps: Length of the cycle; or set the next two.
        epochs: Number of epochs in the cycle.
        steps_per_epoch: Number of steps in each epoch.
        pct_start: Share of the cycle in which the rate rises.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: Whether to cycle momentum too.
        base_momentum: Momentum at the highest rate.
        max_momentum: Momentum at the lowest rate.
        div_factor: `max_lr` divided by the initial rate.
        final_div_factor: The initial rate divided by the last.
        three_phase: Whether to mirror the rise first, and then lower the rate further.
        last_epoch: The index of the last step; -1 to begin.

    References:
        Smith & Topin, Super-convergence, arXiv 1708.07120.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | Sequence[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.85,
        max_momentum: float | Sequence[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ArgumentError(
                    "You must define either total_steps OR (epochs AND steps_per_epoch)",
                    "give total_steps, or both of the others",
                )
            total_steps = _positive("epochs", epochs) * _positive(
                "steps_per_epoch", steps_per_epoch
            )
        self.total_steps = _positive("total_steps", total_steps)
        if not 0 <= pct_start <= 1:
            raise ArgumentError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ArgumentError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self.anneal_strategy = anneal_strategy
        self.cycle_momentum = cycle_momentum
        self.pct_start = pct_start
        self.three_phase = three_phase
        groups = optimizer.param_groups
        if cycle_momentum and not {"momentum", "betas"} & optimizer.defaults.keys():
            raise ArgumentError(
                "optimizer must support momentum or beta1 with `cycle_momentum` option enabled",
                "set cycle_momentum=False",
            )
        self.use_beta1 = "betas" in optimizer.defaults
        if last_epoch == -1:
            for group, highest in zip(groups, each_group("max_lr", max_lr, groups), strict=True):
                group["initial_lr"] = highest / div_factor
                group["max_lr"] = highest
                group["min_lr"] = group["initial_lr"] / final_div_factor
            if cycle_momentum:
                most = each_group("max_momentum", max_momentum, groups)
                least = each_group("base_momentum", base_momentum, groups)
                for group, high, low in zip(groups, most, least, strict=True):
                    group["max_momentum"], group["base_momentum"] = high, low
        super().__init__(optimizer, last_epoch)

    def _phases(self) -> list[_Phase]:
        rise = self.pct_start * self.total_steps
        up = _Phase(rise - 1, ("initial_lr", "max_lr"), ("max_momentum", "base_momentum"))
        last = float(self.total_steps - 1)
        if not self.three_phase:
            return [up, _Phase(last, ("max_lr", "min_lr"), ("base_momentum", "max_momentum"))]
        down = _Phase(2 * rise - 2, ("max_lr", "initial_lr"), ("base_momentum", "max_momentum"))
        return [up, down, _Phase(last, ("initial_lr", "min_lr"), ("max_momentum", "max_momentum"))]

    def get_lr(self) -> list[float]:
        """Return the rates of the current step, and set the momenta."""
        step = self.last_epoch
        if step > self.total_steps:
            raise ArgumentError(
                f"Tried to step {step} times. The specified number of total steps is "
                f"{self.total_steps}",
                "set total_steps to the length of the training",
            )
        begin = 0.0
        phases = self._phases()
        for phase in phases:
            if step <= phase.end or phase is phases[-1]:
                break
            begin = phase.end
        share = (step - begin) / (phase.end - begin)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._between(group, phase.lr, share))
            if self.cycle_momentum:
                momentum = self._between(group, phase.momentum, share)
                if self.use_beta1:
                    group["betas"] = (momentum, *group["betas"][1:])
                else:
                    group["momentum"] = momentum
        return rates

    def _between(self, group: dict[str, Any], ends: tuple[str, str], share: float) -> float:
        start, end = float(group[ends[0]]), float(group[ends[1]])
        if self.anneal_strategy == "linear":
            return (end - start) * share + start
        return end + (start - end) / 2.0 * (cos(pi * share) + 1)


def _positive(name: str, value: int) -> int:
    if not isinstance(value, int) or value <= 0:
        raise ArgumentError(f"Expected positive integer {name}, but got {value}")
    return value
