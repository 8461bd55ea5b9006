"""Schedulers that multiply the learning rate by a factor."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING, Any

from gradstep.errors import ArgumentError
from gradstep.optim.lr_scheduler.scheduler import LRScheduler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gradstep.optim.optimizer import Optimizer

__all__ = [
    "ConstantLR",
    "ExponentialLR",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "PolynomialLR",
    "StepLR",
]


class _LambdaScheduler(LRScheduler):
    """A scheduler with one function for each group; only callable objects are saved."""

    _unsaved = frozenset({"optimizer", "lr_lambdas"})

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        groups = len(optimizer.param_groups)
        functions = [lr_lambda] * groups if callable(lr_lambda) else list(lr_lambda)
        if len(functions) != groups:
            raise ArgumentError(f"Expected {groups} lr_lambdas, but got {len(functions)}")
        self.lr_lambdas = functions
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """Return the state without the optimizer and plain functions."""
        saved = [
            None if hasattr(function, "__code__") else dict(vars(function))
            for function in self.lr_lambdas
        ]
        return {**super().state_dict(), "lr_lambdas": saved}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore a state; plain functions are kept, callable objects get their attributes."""
        super().load_state_dict({k: v for k, v in state_dict.items() if k != "lr_lambdas"})
        for function, saved in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=True):
            if saved is not None:
                function.__dict__.update(saved)


class LambdaLR(_LambdaScheduler):
    """The initial learning rate times a function of the step's index.

    Args:
        optimizer: The optimizer whose learning rates are set.
        lr_lambda: The function, or one for each group.
        last_epoch: The index of the last step; -1 to begin.

    Example:
        >>> import gradstep
        >>> optimizer = gradstep.optim.SGD([gradstep.ones(1, requires_grad=True)], lr=1.0)
        >>> scheduler = LambdaLR(optimizer, lambda step: 0.5**step)
        >>> optimizer.step()
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [0.5]
    """

    def get_lr(self) -> list[float]:
        """Return the initial rates times the functions' values."""
        return [
            base * function(self.last_epoch)
            for base, function in zip(self.base_lrs, self.lr_lambdas, strict=True)
        ]


class MultiplicativeLR(_LambdaScheduler):
    """The current learning rate times a function of the step's index.

    Args:
        optimizer: The optimizer whose learning rates are set.
        lr_lambda: The function, or one for each group.
        last_epoch: The index of the last step; -1 to begin.
    """

    def get_lr(self) -> list[float]:
        """Return the current rates times the functions' values."""
        current = self._current_rates()
        if self._is_initial:
            return current
        return [
            rate * function(self.last_epoch)
            for rate, function in zip(current, self.lr_lambdas, strict=True)
        ]


class _FactorScheduler(LRScheduler):
    """A scheduler that multiplies the rates of all groups by one factor."""

    def step_factor(self) -> float:
        """Return the factor of step `last_epoch` on the current rate."""
        raise NotImplementedError  # pragma: no cover - every subclass has its own

    def total_factor(self) -> float:
        """Return the factor of step `last_epoch` on the initial rate."""
        raise NotImplementedError  # pragma: no cover - every subclass has its own

    def closed_form(self) -> list[float]:
        """Return the initial rates times the total factor."""
        factor = self.total_factor()
        return [rate * factor for rate in self.base_lrs]

    def get_lr(self) -> list[float]:
        """Return the current rates times the factor."""
        factor = self.step_factor()
        return [rate * factor for rate in self._current_rates()]


class StepLR(_FactorScheduler):
    """Multiplies the learning rate by `gamma` every `step_size` steps.

    Args:
        optimizer: The optimizer whose learning rates are set.
        step_size: Number of steps between two changes.
        gamma: The factor.
        last_epoch: The index of the last step; -1 to begin.

    Example:
        >>> import gradstep
        >>> optimizer = gradstep.optim.SGD([gradstep.ones(1, requires_grad=True)], lr=1.0)
        >>> scheduler = StepLR(optimizer, step_size=2, gamma=0.5)
        >>> for _ in range(2):
        ...     optimizer.step()
        ...     scheduler.step()
        >>> scheduler.get_last_lr()
        [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        if step_size < 1:
            raise ArgumentError(
                f"Invalid step_size: {step_size}", "use a whole number of at least 1"
            )
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def step_factor(self) -> float:
        """Return `gamma` at every `step_size`-th step, else 1."""
        due = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return self.gamma if due else 1.0

    def total_factor(self) -> float:
        """Return a power of `gamma`."""
        return float(self.gamma ** (self.last_epoch // self.step_size))


class MultiStepLR(_FactorScheduler):
    """Multiplies the learning rate by `gamma` at each milestone.

    Args:
        optimizer: The optimizer whose learning rates are set.
        milestones: The steps at which the rate changes.
        gamma: The factor.
        last_epoch: The index of the last step; -1 to begin.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def step_factor(self) -> float:
        """Return `gamma` to the power of how often the step occurs among the milestones."""
        return float(self.gamma ** self.milestones[self.last_epoch])

    def total_factor(self) -> float:
        """Return `gamma` to the power of the number of milestones that have passed."""
        return float(
            self.gamma ** bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        )


class ExponentialLR(_FactorScheduler):
    """Multiplies the learning rate by `gamma` at every step.

    Args:
        optimizer: The optimizer whose learning rates are set.
        gamma: The factor.
        last_epoch: The index of the last step; -1 to begin.
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def step_factor(self) -> float:
        """Return `gamma`."""
        return 1.0 if self._is_initial else self.gamma

    def total_factor(self) -> float:
        """Return a power of `gamma`."""
        return float(self.gamma**self.last_epoch)


class ConstantLR(_FactorScheduler):
    """Multiplies the learning rate by `factor` for the first `total_iters` steps.

    Args:
        optimizer: The optimizer whose learning rates are set.
        factor: The factor, between 0 and 1.
        total_iters: Number of steps.
        last_epoch: The index of the last step; -1 to begin.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 <= factor <= 1:
            raise ArgumentError(
                f"Constant multiplicative factor expected to be between 0 and 1, got {factor}"
            )
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def step_factor(self) -> float:
        """Return the factor at the beginning, its inverse at the end."""
        if self.last_epoch == 0:
            return self.factor
        return 1.0 / self.factor if self.last_epoch == self.total_iters else 1.0

    def total_factor(self) -> float:
        """Return the factor until the end, then 1."""
        return 1.0 if self.last_epoch >= self.total_iters else self.factor


class LinearLR(_FactorScheduler):
    """Multiplies the learning rate by a factor that changes linearly over `total_iters` steps.

    Args:
        optimizer: The optimizer whose learning rates are set.
        start_factor: The factor at the beginning, above 0.
        end_factor: The factor at the end.
        total_iters: Number of steps.
        last_epoch: The index of the last step; -1 to begin.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1:
            raise ArgumentError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal "
                f"to 1, got {start_factor}"
            )
        if not 0 <= end_factor <= 1:
            raise ArgumentError(
                f"Ending multiplicative factor expected to be between 0 and 1, got {end_factor}"
            )
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def step_factor(self) -> float:
        """Return the ratio of two successive factors."""
        if self.last_epoch == 0:
            return self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return 1.0
        rise = self.end_factor - self.start_factor
        return 1 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise)

    def total_factor(self) -> float:
        """Return the factor, between `start_factor` and `end_factor`."""
        rise = self.end_factor - self.start_factor
        return self.start_factor + rise * min(self.total_iters, self.last_epoch) / self.total_iters


class PolynomialLR(_FactorScheduler):
    """Decays the learning rate to 0 over `total_iters` steps, as a power of the remaining share.

    Args:
        optimizer: The optimizer whose learning rates are set.
        total_iters: Number of steps.
        power: The exponent.
        last_epoch: The index of the last step; -1 to begin.
    """

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def step_factor(self) -> float:
        """Return the ratio of two successive powers."""
        if self._is_initial or self.last_epoch > self.total_iters:
            return 1.0
        left = 1.0 - self.last_epoch / self.total_iters
        before = 1.0 - (self.last_epoch - 1) / self.total_iters
        return float((left / before) ** self.power)

    def total_factor(self) -> float:
        """Return a power of the remaining share of the steps."""
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return float(left**self.power)
