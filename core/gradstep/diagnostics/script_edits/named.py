"""Named: the variables of a script that a change of its lines names."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Named"]


class Named(NamedTuple):
    """The variables of a script that a change of its lines names.

    Attributes:
        optimizers: The optimizers of the script.
        modules: The modules that a finding is about.
        total: The running total, or the list of losses, that it is about.
        loss: The loss that is added to the total.
        uncleared: The optimizer whose gradients are to be cleared before another Backward.
        spared: The module whose gradients are to be cleared before a Step.
        plain: The list of a module that hides layers from torch, such as "model.layers".
        by_hand: The tensors that the script updates by hand.
        attribute: What was set to False, where that freezes nothing.
        expanded: How the output was expanded to match the target: "from [32, 1] to [32, 32]".
        scheduler: The scheduler that is created for another optimizer,
        optimizer: and the optimizer that it is meant for.
        line: The line that ended the script, such as "train.py:12", where a change is to begin.
        carried: What brings the graph of one iteration into the next, such as "hidden[0]".
        unheld: The tensors, or modules, that no optimizer holds.
        divisor: How many batches are summed, as the script spells it.
        loader: The DataLoader whose sampler is to be given the epoch.
        fit: The classes of a criterion and of the layer that it is applied to, which do not fit.
    """

    optimizers: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    total: str = ""
    loss: str = ""
    uncleared: str = ""
    spared: str = ""
    plain: str = ""
    by_hand: tuple[str, ...] = ()
    attribute: str = ""
    expanded: str = ""
    scheduler: str = ""
    optimizer: str = ""
    line: str = ""
    carried: tuple[str, ...] = ()
    unheld: tuple[str, ...] = ()
    divisor: str = ""
    loader: str = ""
    fit: str = ""
