"""A scheduler that goes up and down between two rates."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Any

from gradstep.errors import ArgumentError, ArgumentTypeError
from gradstep.optim.lr_scheduler.scheduler import LRScheduler, each_group
from gradstep.optim.optimizer import Optimizer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["CyclicLR"]


class CyclicLR(LRScheduler):
    """Cycles linearly from `base_lr` to `max_lr` and back.

    Momentum (or Adam's first beta) cycles in the opposite direction.

    Args:
        optimizer: The optimizer whose learning rates are set.
        base_lr: The lowest rate, or one for each group.
        max_lr: The highest rate, or one for each group.
        step_size_up: Number of steps from the lowest to the highest rate.
        step_size_down: Number of steps back; as many if None.
        mode: "triangular", "triangular2" (half the height at each cycle) or "exp_range"
            (height times `gamma` at each step).
        gamma: For "exp_range".
        scale_fn: Height as a function of the cycle or the step; replaces `mode`.
        scale_mode: "cycle" or "iterations": the argument of `scale_fn`.
        cycle_momentum: Whether to cycle momentum too.
        base_momentum: Momentum at the highest rate.
        max_momentum: Momentum at the lowest rate.
        last_epoch: The index of the last step; -1 to begin.

    Example:
        >>> import gradstep
        >>> x = gradstep.ones(1, requires_grad=True)
        >>> optimizer = gradstep.optim.SGD([x], lr=1.0, momentum=0.9)
        >>> scheduler = CyclicLR(optimizer, base_lr=0.0, max_lr=1.0, step_size_up=4)
        >>> optimizer.step()
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [0.25]

    References:
        Smith, Cyclical learning rates for training neural networks, arXiv 1506.01186.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | Sequence[float],
        max_lr: float | Sequence[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        if not isinstance(optimizer, Optimizer):
            raise ArgumentTypeError(f"{type(optimizer).__name__} is not an Optimizer")
        groups = optimizer.param_groups
        lowest = each_group("base_lr", base_lr, groups)
        self.max_lrs = each_group("max_lr", max_lr, groups)
        down = step_size_up if step_size_down is None else step_size_down
        if step_size_up <= 0 or down <= 0:
            raise ArgumentError(
                f"Invalid step sizes: {step_size_up} up, {down} down",
                "use numbers above 0",
            )
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ArgumentError(
                f"mode is invalid and scale_fn is None: mode is {mode!r}",
                'use "triangular", "triangular2" or "exp_range"',
            )
        if cycle_momentum and not {"momentum", "betas"} & optimizer.defaults.keys():
            raise ArgumentError(
                "optimizer must support momentum or beta1 with `cycle_momentum` option enabled",
                "set cycle_momentum=False",
            )
        self.total_size = float(step_size_up + down)
        self.step_ratio = step_size_up / self.total_size
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        if scale_fn is None:
            scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.scale_mode = scale_mode
        self.cycle_momentum = cycle_momentum
        if last_epoch == -1:
            for group, rate in zip(groups, lowest, strict=True):
                group["lr"] = rate
        if cycle_momentum:
            self.use_beta1 = "betas" in optimizer.defaults
            self.base_momentums = each_group("base_momentum", base_momentum, groups)
            self.max_momentums = each_group("max_momentum", max_momentum, groups)
            ends = zip(groups, self.max_momentums, self.base_momentums, strict=True)
            for group, high, low in ends if last_epoch == -1 else ():
                group["max_momentum"], group["base_momentum"] = high, low
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lowest

    def scale_fn(self, x: float) -> float:
        """Return the height of a cycle, or at a step, as a share of the whole."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular2":
            return float(2.0 ** (1 - x))
        return float(self.gamma**x) if self.mode == "exp_range" else 1.0

    def get_lr(self) -> list[float]:
        """Return the rates of the current step, and set the momenta."""
        cycle = floor(1 + self.last_epoch / self.total_size)
        place = 1.0 + self.last_epoch / self.total_size - cycle
        up = place <= self.step_ratio
        height = place / self.step_ratio if up else (place - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            ends = zip(self.base_momentums, self.max_momentums, strict=True)
            for group, (low, high) in zip(self.optimizer.param_groups, ends, strict=True):
                self._set_momentum(group, high - (high - low) * height * scale)
        return [
            low + (high - low) * height * scale
            for low, high in zip(self.base_lrs, self.max_lrs, strict=True)
        ]

    def _set_momentum(self, group: dict[str, Any], momentum: float) -> None:
        if self.use_beta1:
            group["betas"] = (momentum, *group["betas"][1:])
        else:
            group["momentum"] = momentum

    def state_dict(self) -> dict[str, Any]:
        """Return the state without optimizer and plain functions; callable objects are saved."""
        function = self._scale_fn_custom
        plain = function is None or hasattr(function, "__code__")
        return {
            **super().state_dict(),
            "_scale_fn_custom": None if plain else dict(vars(function)),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore a state; a plain function is kept, a callable object gets its attributes."""
        super().load_state_dict({k: v for k, v in state_dict.items() if k != "_scale_fn_custom"})
        saved = state_dict["_scale_fn_custom"]
        if saved is not None and self._scale_fn_custom is not None:
            vars(self._scale_fn_custom).update(saved)
