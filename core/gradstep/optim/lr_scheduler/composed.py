"""Schedulers made of schedulers: one after the other, or all at once."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from gradstep.errors import ArgumentError, ArgumentTypeError
from gradstep.optim.lr_scheduler.plateau import ReduceLROnPlateau
from gradstep.optim.lr_scheduler.scheduler import LRScheduler

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gradstep.optim.optimizer import Optimizer

__all__ = ["ChainedScheduler", "SequentialLR"]


class _Composed(LRScheduler):
    """The base of both: checks, saves and loads the member schedulers."""

    _unsaved = frozenset({"optimizer", "_schedulers"})

    def _set_members(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None) -> None:
        name = type(self).__name__
        if not schedulers:
            raise ArgumentError(f"{name} expects at least one scheduler, but got no scheduler")
        for index, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise ArgumentTypeError(
                    f"{name} at index {index} should have `optimizer` as its attribute, but is "
                    f"{type(scheduler).__name__}"
                )
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ArgumentError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler, as its step needs a "
                    f"metric, but got one at index {index}",
                    "step it by itself",
                )
            if scheduler.optimizer is not (optimizer or schedulers[0].optimizer):
                raise ArgumentError(
                    f"{name} expects all schedulers to belong to the same optimizer, but "
                    f"{type(scheduler).__name__} at index {index} belongs to another"
                )
        self._schedulers = list(schedulers)
        self.optimizer = optimizer or schedulers[0].optimizer

    def state_dict(self) -> dict[str, Any]:
        """Return the scheduler's state without the optimizer, with the states of the members."""
        states = [scheduler.state_dict() for scheduler in self._schedulers]
        return {**super().state_dict(), "_schedulers": states}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore a state, and those of the members."""
        super().load_state_dict({k: v for k, v in state_dict.items() if k != "_schedulers"})
        for scheduler, saved in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(saved)


class SequentialLR(_Composed):
    """One scheduler after the other; each starts from its step 0 at its milestone.

    Args:
        optimizer: The optimizer whose learning rates are set.
        schedulers: In the order in which they are used; all belong to `optimizer`.
        milestones: The steps at which the second and later ones start.
        last_epoch: The index of the last step; -1 to begin.

    Example:
        >>> import gradstep
        >>> from gradstep.optim.lr_scheduler import ConstantLR, ExponentialLR
        >>> optimizer = gradstep.optim.SGD([gradstep.ones(1, requires_grad=True)], lr=1.0)
        >>> members = [ConstantLR(optimizer, 0.5), ExponentialLR(optimizer, 0.9)]
        >>> scheduler = SequentialLR(optimizer, members, milestones=[2])
        >>> rates = []
        >>> for _ in range(4):
        ...     rates += scheduler.get_last_lr()
        ...     optimizer.step()
        ...     scheduler.step()
        >>> rates
        [0.5, 0.5, 1.0, 0.9]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[LRScheduler],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ) -> None:
        self._set_members(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ArgumentError(
                "Sequential Schedulers expects number of schedulers provided to be one more than "
                f"the number of milestone points, but got {len(schedulers)} schedulers and "
                f"{len(milestones)} milestones"
            )
        self._milestones = list(milestones)
        self.last_epoch = last_epoch + 1
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for scheduler in _leaves(self):  # each has taken its first step; only one should have
            scheduler.last_epoch -= 1
        first = self._schedulers[bisect_right(self._milestones, 0)]
        first._begin()
        self._last_lr = first.get_last_lr()

    def step(self, epoch: int | None = None) -> None:
        """Set the next learning rates; call it after `optimizer.step()`."""
        if epoch is not None:
            raise ArgumentTypeError("SequentialLR.step() takes no epoch", "call step()")
        self.last_epoch += 1
        index = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[index]
        if index > 0 and self._milestones[index - 1] == self.last_epoch:
            scheduler._move(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Composed):
    """All schedulers at once: each modifies what the one before has set.

    Args:
        schedulers: In the order in which they are called; all belong to one optimizer.
        optimizer: That optimizer; the first scheduler's if None.

    Example:
        >>> import gradstep
        >>> from gradstep.optim.lr_scheduler import ConstantLR, ExponentialLR
        >>> optimizer = gradstep.optim.SGD([gradstep.ones(1, requires_grad=True)], lr=1.0)
        >>> members = [ConstantLR(optimizer, 0.5), ExponentialLR(optimizer, 0.5)]
        >>> scheduler = ChainedScheduler(members)
        >>> optimizer.step()
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [0.25]
    """

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        self._set_members(schedulers, optimizer)
        self._last_lr = self._current_rates()

    def step(self, epoch: int | None = None) -> None:
        """Step every scheduler; call it after `optimizer.step()`."""
        if epoch is not None:
            raise ArgumentTypeError("ChainedScheduler.step() takes no epoch", "call step()")
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self._current_rates()


def _leaves(scheduler: LRScheduler) -> Iterator[LRScheduler]:
    members = getattr(scheduler, "_schedulers", None)
    if members is None:
        yield scheduler
    else:
        for member in members:
            yield from _leaves(member)
