"""LRScheduler: sets the learning rate of every parameter group at each step."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from gradstep.errors import ArgumentError, ArgumentTypeError, UnsupportedError
from gradstep.optim.optimizer import Optimizer

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LRScheduler", "each_group", "warn_of_epoch"]


class LRScheduler:
    """The base of schedulers; a subclass computes the next learning rates in `get_lr`.

    Most schedulers modify the current learning rates instead of computing them from the initial
    ones, so that several schedulers can be chained.

    Args:
        optimizer: The optimizer whose learning rates are set.
        last_epoch: The index of the last step; -1 to begin.

    Attributes:
        last_epoch: Number of steps taken.
        base_lrs: The initial learning rates, kept as `initial_lr` in each group.

    Raises:
        ArgumentTypeError: `optimizer` is not an Optimizer.
        ArgumentError: `last_epoch` is set, but a group has no `initial_lr`.
    """

    _is_initial = False
    _unsaved: frozenset[str] = frozenset({"optimizer"})

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise ArgumentTypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for index, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", float(group["lr"]))
            elif "initial_lr" not in group:
                raise ArgumentError(
                    f"param 'initial_lr' is not specified in param_groups[{index}] when resuming "
                    "a scheduler with last_epoch >= 0",
                    "load the optimizer's state first, or leave last_epoch at -1",
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._begin()

    def _begin(self) -> None:
        """Take the first step, which sets the learning rates of step 0."""
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def get_lr(self) -> list[float]:
        """Return the learning rates for step `last_epoch`, from the current ones."""
        raise UnsupportedError(
            f"{type(self).__name__} has no learning rates", "define get_lr(self)"
        )

    def closed_form(self) -> list[float]:
        """Return the learning rates for step `last_epoch`, from the initial ones if possible.

        Schedulers that depend on the current learning rates use those.
        """
        return self.get_lr()

    def get_last_lr(self) -> list[float]:
        """Return the learning rates that the last step set."""
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Set the next learning rates; call it after `optimizer.step()`.

        Args:
            epoch: Deprecated: the step to go to, by the closed form; None for the next.
        """
        if self._step_count == 1 and not self.optimizer.has_stepped:
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. The first value "
                "of the schedule is skipped; call `optimizer.step()` first.",
                UserWarning,
                stacklevel=2,
            )
        self._step_count += 1
        if epoch is not None:
            warn_of_epoch()
        self._move(epoch)

    def _move(self, epoch: int | None) -> None:
        if epoch is None:
            self.last_epoch += 1
            self._set(self.get_lr())
        else:
            self.last_epoch = epoch
            self._set(self.closed_form())

    def _current_rates(self) -> list[float]:
        return [float(group["lr"]) for group in self.optimizer.param_groups]

    def _set(self, values: list[float]) -> None:
        for group, value in zip(self.optimizer.param_groups, values, strict=True):
            group["lr"] = value
        self._last_lr = self._current_rates()

    def state_dict(self) -> dict[str, Any]:
        """Return the scheduler's state without the optimizer, for `load_state_dict`."""
        return {
            key: value
            for key, value in self.__dict__.items()
            if key not in self._unsaved and key != "_is_initial"
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore a state; the learning rates themselves are part of the optimizer's."""
        self.__dict__.update(state_dict)


def warn_of_epoch() -> None:
    """Warn that `step` was given an epoch."""
    warnings.warn(
        "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
        "possible. Call `scheduler.step()`.",
        UserWarning,
        stacklevel=3,
    )


def each_group(
    name: str, value: float | Sequence[float], groups: list[dict[str, Any]]
) -> list[float]:
    """Return one number for each group, given one for all or one for each.

    Example:
        >>> each_group("max_lr", 0.1, [{}, {}])
        [0.1, 0.1]
    """
    if not isinstance(value, list | tuple):
        return [value] * len(groups)  # type: ignore[list-item]  # one number for all
    if len(value) != len(groups):
        raise ArgumentError(f"Expected {len(groups)} values for {name}, got {len(value)}")
    return list(value)
