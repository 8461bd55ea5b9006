"""Operations: the frozen records of what a person, or the loop, does to a Program.

An Operation is data. `Program.run` carries it out, an `Event` tells what it did, a session file
stores it as JSON, and a program's loop is a list of them.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import msgspec

__all__ = [
    "AddLoss",
    "Backward",
    "ClipGradNorm",
    "ClipGradValue",
    "Forward",
    "Freeze",
    "LoadState",
    "Operation",
    "RebuildModule",
    "ReplaceOptimizer",
    "SchedulerStep",
    "SetBatchSize",
    "SetHyperparameter",
    "SetMode",
    "SetValue",
    "Skip",
    "Step",
    "ZeroGrad",
    "target",
]


class _Operation(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    kw_only=True,
    tag_field="op",
):
    """What all Operations share: they are frozen, compared by value, and tagged in JSON by `op`.

    Attributes:
        out_of_loop: The Operation counts as no line of the loop, even when one like it comes
            next, so it does not advance the iteration. Stored as `aside`.
    """

    _hidden_defaults: ClassVar[tuple[tuple[str, object], ...]] = (("out_of_loop", False),)

    out_of_loop: bool = msgspec.field(default=False, name="aside")

    def __repr__(self) -> str:
        """Return the call that makes it, without what is as in most calls."""
        fields = [
            f"{name}={value!r}"
            for name in self.__struct_fields__
            if (name, value := getattr(self, name)) not in self._hidden_defaults
        ]
        return f"{type(self).__name__}({', '.join(fields)})"


class ZeroGrad(_Operation, frozen=True, tag="zero_grad"):
    """Clear the `.grad` of every parameter that an optimizer holds, to None or to zeros."""

    optimizer: str = "optimizer"
    set_to_none: bool = True


class Forward(_Operation, frozen=True, tag="forward"):
    """Compute a loss on the next batch, or once more on the batch it last saw."""

    loss: str = "loss"
    batch: Literal["next", "held"] = "next"


class Backward(_Operation, frozen=True, tag="backward"):
    """Backpropagate from a loss; gradients are added to the leaves' `.grad`."""

    loss: str = "loss"
    retain_graph: bool = False


class Step(_Operation, frozen=True, tag="step"):
    """Let an optimizer update the parameters it holds, from their `.grad`.

    One that evaluates the loss itself (LBFGS) computes it, and the gradients, on the batch of the
    last Forward; on the next batch where a step has used that one; or always on the one it last
    saw, when `batch` is "held". Others leave `batch` alone.
    """

    _hidden_defaults = (("out_of_loop", False), ("batch", "next"))

    optimizer: str = "optimizer"
    batch: Literal["next", "held"] = "next"


class SchedulerStep(_Operation, frozen=True, tag="scheduler_step"):
    """Let a scheduler set the next learning rate; `metric` names the loss it watches, if any."""

    scheduler: str = "scheduler"
    metric: str | None = None


class ClipGradNorm(_Operation, frozen=True, tag="clip_grad_norm"):
    """Scale the gradients of an optimizer's parameters to a total norm of at most `max_norm`."""

    max_norm: float
    optimizer: str = "optimizer"
    norm_type: float = 2.0


class ClipGradValue(_Operation, frozen=True, tag="clip_grad_value"):
    """Clamp every gradient element of an optimizer's parameters to +-`clip_value`."""

    clip_value: float
    optimizer: str = "optimizer"


class SetHyperparameter(_Operation, frozen=True, tag="set_hyperparameter"):
    """Change one hyper-parameter (`lr`, `momentum`, ...) of one parameter group."""

    name: str
    value: float | bool | list[float]
    optimizer: str = "optimizer"
    group: int = 0


class Freeze(_Operation, frozen=True, tag="freeze"):
    """Set `requires_grad` of the tensors that a pattern matches: False, or True to thaw them."""

    pattern: str
    frozen: bool = True


class SetMode(_Operation, frozen=True, tag="set_mode"):
    """Put a module, or all modules when it is None, in training or evaluation mode."""

    training: bool
    module: str | None = None


class RebuildModule(_Operation, frozen=True, tag="rebuild_module"):
    """Replace a module by a freshly initialised one; optimizers keep holding the old tensors."""

    module: str


class ReplaceOptimizer(_Operation, frozen=True, tag="replace_optimizer"):
    """Make an optimizer anew, of another kind: it holds the same tensors, and its state is empty.

    Groups keep `lr`, and what was set otherwise than by default where the new kind has it too;
    `options` set others.
    """

    kind: str
    optimizer: str = "optimizer"
    options: dict[str, Any] = {}


class SetBatchSize(_Operation, frozen=True, tag="set_batch_size"):
    """Let the next batches of a data set have so many rows, or all of them when it is None."""

    data: str
    size: int | None


class SetValue(_Operation, frozen=True, tag="set_value"):
    """Write numbers into a tensor: one into all of it or into one element, or nested lists of them.

    Autograd notices, as of a write under `no_grad`; with `through_data` it does not, as of a write
    to `tensor.data`: a graph that has saved the old values then goes backward with the new ones.
    """

    tensor: str
    value: float | list[Any]
    index: tuple[int, ...] | None = None
    through_data: bool = False


class AddLoss(_Operation, frozen=True, tag="add_loss"):
    """Add the last value of a loss to a free tensor of one number.

    As `running_loss += loss` does, which keeps the graph of the loss alive as long as it; with
    `item`, as `running_loss += loss.item()`, which adds the number alone.
    """

    _hidden_defaults = (("out_of_loop", False), ("item", False))

    loss: str = "loss"
    tensor: str = "running_loss"
    item: bool = False


class LoadState(_Operation, frozen=True, tag="load_state"):
    """Go back to the state the program had after Event `event`, wholly or only the parts named.

    `parts` is any of "modules", "optimizers", "schedulers", "generator", "data_order".
    """

    event: int
    parts: tuple[str, ...] = ("modules", "optimizers", "schedulers", "generator", "data_order")


ExecutableOperation = (
    ZeroGrad
    | Forward
    | Backward
    | Step
    | SchedulerStep
    | ClipGradNorm
    | ClipGradValue
    | SetHyperparameter
    | Freeze
    | SetMode
    | RebuildModule
    | ReplaceOptimizer
    | SetBatchSize
    | SetValue
    | AddLoss
    | LoadState
)


class Skip(_Operation, frozen=True, tag="skip"):
    """Leave an Operation out: nothing is done, but a line of the loop that it stands for is over.

    So Events and iterations are numbered as where it was carried out.
    """

    operation: ExecutableOperation


Operation = ExecutableOperation | Skip


def target(operation: Operation) -> tuple[type[Operation], str]:
    """Return what tells two Operations of a loop apart: the kind, and what it is done to.

    A Skip stands for the Operation that it leaves out.

    Example:
        >>> target(Forward(loss="loss_a", batch="held"))[1]
        'loss_a'
    """
    if isinstance(operation, Skip):
        return target(operation.operation)
    if isinstance(operation, (Forward, Backward, AddLoss)):
        name = operation.loss
    elif isinstance(operation, SchedulerStep):
        name = operation.scheduler
    else:
        name = str(
            getattr(operation, "optimizer", None)
            or getattr(operation, "module", None)
            or getattr(operation, "data", None)
            or getattr(operation, "tensor", None)
            or getattr(operation, "pattern", "")
        )
    return type(operation), name
