"""The optimizers of a script as GradStep's own, so that their Steps can be explained."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, cast

import gradstep.optim
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import GradStepError, UnsupportedError
from gradstep.optim import Optimizer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from gradstep.optim.terms import Terms
    from gradstep.script.tape import TrackedOptimizer

__all__ = ["UnknownOptimizer", "drop_state", "mirrored_optimizer", "set_options", "set_state"]


class UnknownOptimizer(Optimizer):
    """An optimizer of a class that GradStep lacks: its values are shown, but not its update."""

    def __init__(self, groups: list[dict[str, Any]]) -> None:
        self._init_hooks()
        self.defaults = {key: value for group in groups for key, value in group.items()}
        self.defaults.pop("params", None)
        self.state = defaultdict(dict)
        self.param_groups = groups
        self._forget_batches()

    def _update(self, block: Any, group: dict[str, Any]) -> Terms:  # noqa: ANN401, ARG002 - as in Optimizer
        """Reject: only the script knows what its own class does.

        Raises:
            UnsupportedError: Always.
        """
        raise UnsupportedError(
            f"{type(self).__name__} is a class of the script: GradStep does not know its update",
            "compare the values, the gradient and the state before and after the Step",
        )


def mirrored_optimizer(known: TrackedOptimizer, tensors: Mapping[str, Tensor]) -> Optimizer:
    """Return an optimizer like the script's, over the mirrored tensors.

    Args:
        known: The script's optimizer.
        tensors: The mirrored tensors by name.
    """
    groups = [
        {"params": [tensors[name] for name in names], **options}
        for names, options in zip(known.groups, known.options, strict=True)
    ]
    kind: Any = getattr(gradstep.optim, known.kind, None)
    made: Optimizer
    is_torchs = known.module.split(".")[0] in {"torch", "gradstep", "gradstep_torch"}
    if is_torchs and isinstance(kind, type) and issubclass(kind, Optimizer):
        try:
            made = cast("Any", kind)([{"params": group["params"]} for group in groups])
        except (GradStepError, TypeError):
            pass
        else:
            set_options(made, known.options)
            return made
    name = known.kind if known.kind.isidentifier() else UnknownOptimizer.__name__
    unknown: Any = type(name, (UnknownOptimizer,), {})
    made = unknown(groups)
    return made


def set_options(optimizer: Optimizer, options: tuple[dict[str, Any], ...]) -> None:
    """Set the options of each group; those that its class does not know are skipped.

    Every class knows what schedulers add: the learning rate that theirs began with.
    """
    knows_all = isinstance(optimizer, UnknownOptimizer)
    for group, own in zip(optimizer.param_groups, options, strict=False):
        known = own if knows_all else own.keys() & {*group, "initial_lr"}
        group.update({key: own[key] for key in own if key in known})


def set_state(optimizer: Optimizer, tensor: Tensor, key: str, array: NDArray[Any]) -> None:
    """Set one entry of the state of a tensor to a copy of an array.

    Args:
        optimizer: The optimizer.
        tensor: A tensor that it holds.
        key: The entry.
        array: Its value.
    """
    optimizer.state[tensor][key] = wrap(array.copy())
    optimizer.has_stepped = True
    optimizer._forget_batches()


def drop_state(optimizer: Optimizer, tensor: Tensor, key: str) -> None:
    """Remove one entry of the state of a tensor: the script has made the optimizer again.

    Args:
        optimizer: The optimizer.
        tensor: A tensor that it holds.
        key: The entry.
    """
    entries = optimizer.state.get(tensor, {})
    entries.pop(key, None)
    if not entries:
        optimizer.state.pop(tensor, None)
    optimizer.has_stepped = bool(optimizer.state)
    optimizer._forget_batches()
