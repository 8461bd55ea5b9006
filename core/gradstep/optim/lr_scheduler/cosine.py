"""Schedulers along a cosine."""

from __future__ import annotations

from math import cos, floor, log, pi
from typing import TYPE_CHECKING

from gradstep.errors import ArgumentError
from gradstep.optim.lr_scheduler.scheduler import LRScheduler

if TYPE_CHECKING:
    from gradstep.optim.optimizer import Optimizer

__all__ = ["CosineAnnealingLR", "CosineAnnealingWarmRestarts"]


class CosineAnnealingLR(LRScheduler):
    r"""From the initial rate to `eta_min` along half a cosine, in `T_max` steps, and back.

    .. math::
        \eta_t = \eta_{min} + \tfrac12 (\eta_0 - \eta_{min}) (1 + \cos(\pi t / T_{max}))

    Args:
        optimizer: The optimizer whose learning rates are set.
        T_max: Steps from the highest to the lowest rate.
        eta_min: The lowest rate.
        last_epoch: The index of the last step; -1 to begin.

    References:
        Loshchilov & Hutter, SGDR, arXiv 1608.03983.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_max: int,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if T_max < 1:
            raise ArgumentError(f"Invalid T_max: {T_max}", "use a whole number of at least 1")
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the rates from the current ones, so that schedulers can be chained."""
        current, now = self._current_rates(), self.last_epoch
        if self._is_initial:
            return current
        if (now - 1 - self.T_max) % (2 * self.T_max) == 0:  # the current rate is the lowest
            rise = (1 - cos(pi / self.T_max)) / 2
            return [
                rate + (base - self.eta_min) * rise
                for base, rate in zip(self.base_lrs, current, strict=True)
            ]
        ratio = (1 + cos(pi * now / self.T_max)) / (1 + cos(pi * (now - 1) / self.T_max))
        return [ratio * (rate - self.eta_min) + self.eta_min for rate in current]

    def closed_form(self) -> list[float]:
        """Return the rates from the initial ones."""
        height = (1 + cos(pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine down to `eta_min`, then a restart at the initial rate, with longer periods.

    Args:
        optimizer: The optimizer whose learning rates are set.
        T_0: Number of steps until the first restart.
        T_mult: Factor between the lengths of two periods.
        eta_min: The lowest rate.
        last_epoch: The index of the last step; -1 to begin.

    References:
        Loshchilov & Hutter, SGDR, arXiv 1608.03983.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if not isinstance(T_0, int) or T_0 <= 0:
            raise ArgumentError(f"Expected positive integer T_0, but got {T_0}")
        if not isinstance(T_mult, int) or T_mult < 1:
            raise ArgumentError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the rates at `T_cur` of `T_i` steps."""
        height = (1 + cos(pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go to the next step, or to a fraction of one such as `epoch + batch / batches`.

        Args:
            epoch: Where to go, at least 0; None for the next whole step.
        """
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        elif epoch < 0:
            raise ArgumentError(f"Expected non-negative epoch, but got {epoch}")
        else:
            self._go_to(epoch)
        self.last_epoch = floor(epoch)
        self._set(self.get_lr())

    def _go_to(self, epoch: float) -> None:
        if self.T_mult == 1:
            self.T_i, self.T_cur = self.T_0, epoch % self.T_0
            return
        growth = self.T_mult - 1
        restarts = int(log(epoch / self.T_0 * growth + 1, self.T_mult))
        self.T_i = self.T_0 * self.T_mult**restarts
        self.T_cur = epoch - self.T_0 * (self.T_mult**restarts - 1) / growth
