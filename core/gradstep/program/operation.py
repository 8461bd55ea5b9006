"""Operations: frozen records of the actions that the user or the loop applies to a Program.

An Operation is data. `Program.run` applies it, an `Event` records its effect, a session file stores
it as JSON, and a program's loop is a list of Operations.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal

import msgspec
from msgspec import Meta

__all__ = [
    "MAX_LINES",
    "MAX_PERIOD",
    "AddLoss",
    "Backward",
    "ClipGradNorm",
    "ClipGradValue",
    "EditLoop",
    "Forward",
    "Freeze",
    "LoadState",
    "LoopLine",
    "Operation",
    "RebuildModule",
    "ReplaceOptimizer",
    "SchedulerStep",
    "ScriptCall",
    "SetBatchSize",
    "SetHyperparameter",
    "SetMode",
    "SetValue",
    "Skip",
    "Step",
    "ZeroGrad",
    "line_name",
    "loop_key",
]


MAX_LINES: Final = 1000
"""Most lines of a loop."""

MAX_PERIOD: Final = 1_000_000
"""Most iterations from one run of a line to the next."""

_RARELY_SET: Final = (("out_of_loop", False), ("at", ""))


class _Operation(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    kw_only=True,
    tag_field="op",
):
    """Base of all Operations: frozen, compared by value, and tagged by `op` in JSON.

    Attributes:
        out_of_loop: The Operation does not advance the loop, even if an equal one is the next line.
            Stored as `aside`.
        at: Where a person's own script does it, such as "train.py:42"; empty for programs.
    """

    _hidden_defaults: ClassVar[tuple[tuple[str, object], ...]] = ()

    out_of_loop: bool = msgspec.field(default=False, name="aside")
    at: str = ""

    def __repr__(self) -> str:
        """Return the constructor call, without the arguments that are rarely set."""
        fields = [
            f"{name}={value!r}"
            for name in self.__struct_fields__
            if (name, value := getattr(self, name)) not in (*_RARELY_SET, *self._hidden_defaults)
        ]
        return f"{type(self).__name__}({', '.join(fields)})"


class ZeroGrad(_Operation, frozen=True, tag="zero_grad"):
    """Clear the `.grad` of every parameter that an optimizer holds, to None or to zeros."""

    optimizer: str = "optimizer"
    set_to_none: bool = True


class Forward(_Operation, frozen=True, tag="forward"):
    """Compute a loss on the next batch, or again on its last batch.

    With `batch="current"` it takes the batch that its data set delivered last, also to another
    loss, so that several losses see the same rows.
    """

    loss: str = "loss"
    batch: Literal["next", "held", "current"] = "next"


class Backward(_Operation, frozen=True, tag="backward"):
    """Backpropagate from a loss; gradients accumulate in the leaves' `.grad`."""

    loss: str = "loss"
    retain_graph: bool = False


class Step(_Operation, frozen=True, tag="step"):
    """Update the parameters that an optimizer holds, from their `.grad`.

    An optimizer that evaluates the loss itself (LBFGS) computes the loss and the gradients on the
    batch of the last Forward, or on the next batch if a Step has already used that one. With
    `batch="held"` it always uses the last batch. Other optimizers ignore `batch`.
    """

    _hidden_defaults = (("batch", "next"),)

    optimizer: str = "optimizer"
    batch: Literal["next", "held"] = "next"


class SchedulerStep(_Operation, frozen=True, tag="scheduler_step"):
    """Set the next learning rate by a scheduler; `metric` names the loss it monitors, if any."""

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
    """Change one hyperparameter (`lr`, `momentum`, ...) of one parameter group."""

    name: str
    value: float | bool | list[float]
    optimizer: str = "optimizer"
    group: int = 0


class Freeze(_Operation, frozen=True, tag="freeze"):
    """Set `requires_grad` of the tensors that match a pattern: False, or True to unfreeze them."""

    pattern: str
    frozen: bool = True


class SetMode(_Operation, frozen=True, tag="set_mode"):
    """Put a module, or all modules if it is None, in training or evaluation mode."""

    training: bool
    module: str | None = None


class RebuildModule(_Operation, frozen=True, tag="rebuild_module"):
    """Replace a module by a freshly initialized one; optimizers still hold the old tensors."""

    module: str


class ReplaceOptimizer(_Operation, frozen=True, tag="replace_optimizer"):
    """Replace an optimizer by one of another kind, with the same tensors and an empty state.

    Groups keep `lr`, and every option that was not at its default and that the new kind also has;
    `options` sets others. With `rebind` the new one holds the current tensors of rebuilt modules
    instead of those that they replaced, as `optimizer = SGD(model.parameters())` does.
    """

    _hidden_defaults = (("rebind", False),)

    kind: str
    optimizer: str = "optimizer"
    options: dict[str, Any] = {}
    rebind: bool = False


class SetBatchSize(_Operation, frozen=True, tag="set_batch_size"):
    """Set the number of rows in the next batches of a data set; None for all rows."""

    data: str
    size: int | None


class SetValue(_Operation, frozen=True, tag="set_value"):
    """Write into a tensor: one number into all elements or one of them, or nested lists of numbers.

    Autograd notices, as it does for a write under `no_grad`. With `through_data` it does not, as
    for a write to `tensor.data`: a graph that saved the old values then uses the new ones in its
    backward pass.
    """

    tensor: str
    value: float | list[Any]
    index: tuple[int, ...] | None = None
    through_data: bool = False


class AddLoss(_Operation, frozen=True, tag="add_loss"):
    """Add the last value of a loss to a free tensor of one element.

    Like `running_loss += loss`, which keeps the graph of the loss alive; with `item`, like
    `running_loss += loss.item()`, which adds only the number.
    """

    _hidden_defaults = (("item", False),)

    loss: str = "loss"
    tensor: str = "running_loss"
    item: bool = False


class LoadState(_Operation, frozen=True, tag="load_state"):
    """Load the state after Event `event`, all of it or only some parts.

    `parts` is any of "modules", "optimizers", "schedulers", "generator", "data_order".
    """

    event: int
    parts: tuple[str, ...] = ("modules", "optimizers", "schedulers", "generator", "data_order")


Period = Annotated[int, Meta(ge=1, le=MAX_PERIOD)]


class LoopLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A line of the loop: an Operation, and the iterations in which it runs.

    Attributes:
        operation: The Operation.
        every: A number k: in every k-th iteration, counted from 1. "epoch": in iterations that
            complete an epoch of the data. `(k, "epoch")`: after every k-th batch of an epoch and
            after its last one, as for accumulated gradients.
        offset: For a number k: in iterations offset, offset + k, ... instead of k, 2 k, ...
        enabled: Whether it runs at all; a line that is switched off is a comment in the script.

    Example:
        >>> LoopLine(Step(), (4, "epoch")).period, LoopLine(Forward()).period
        (4, 1)
        >>> LoopLine(Step(), "epoch").follows_epochs
        True
    """

    operation: Operation
    # msgspec 0.22 crashes on tuple[Period, Literal["epoch"]] here; the codec checks the members.
    every: Period | Literal["epoch"] | tuple[Any, ...] = 1
    offset: Annotated[int, Meta(ge=0, le=MAX_PERIOD)] = 0
    enabled: bool = True

    @property
    def follows_epochs(self) -> bool:
        """Whether the data, not the iteration alone, decide when the line runs."""
        return not isinstance(self.every, int)

    @property
    def period(self) -> int | None:
        """The iterations from one run to the next at most; None for a line that runs by epochs."""
        if isinstance(self.every, int):
            return self.every
        return int(self.every[0]) if isinstance(self.every, tuple) else None


class EditLoop(_Operation, frozen=True, tag="edit_loop"):
    """Replace the lines of the loop.

    The number of the iteration, and everything else, stay.

    Attributes:
        lines: All lines of the new loop.
        following: The index of the line that comes next; the number of lines if the iteration is
            complete.
    """

    lines: Annotated[tuple[LoopLine, ...], Meta(min_length=1, max_length=MAX_LINES)]
    following: Annotated[int, Meta(ge=0, le=MAX_LINES)] = 0


class ScriptCall(_Operation, frozen=True, tag="script_call"):
    """What a person's own script did that is none of the other Operations.

    `call` is one of the kinds in docs/agent_protocol.md, such as "update_by_hand" for
    `w -= lr * w.grad`, "forward" for a module whose output no Backward used, or "autograd_grad".
    A program cannot apply it.

    Attributes:
        call: The kind.
        name: What it was done to.
        has_grad: Whether grad mode was on.
        is_line_known: Whether a change by hand is known to be at the line `at`; otherwise that is
            the line of the Operation that came next.
    """

    call: str
    name: str = ""
    has_grad: bool = True
    is_line_known: bool = False


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
    | EditLoop
    | ScriptCall
)


class Skip(_Operation, frozen=True, tag="skip"):
    """Skip an Operation: nothing is done, but the loop advances past its line.

    Events and iterations are therefore numbered as if it had been applied.
    """

    operation: ExecutableOperation


Operation = ExecutableOperation | Skip


def loop_key(operation: Operation) -> tuple[type[Operation], str]:
    """Return the key that identifies an Operation in a loop: its type and the name it acts on.

    A Skip has the key of the Operation that it skips.

    Example:
        >>> loop_key(Forward(loss="loss_a", batch="held"))[1]
        'loss_a'
    """
    if isinstance(operation, Skip):
        return loop_key(operation.operation)
    if isinstance(operation, (Forward, Backward, AddLoss)):
        name = operation.loss
    elif isinstance(operation, SchedulerStep):
        name = operation.scheduler
    elif isinstance(operation, ScriptCall):
        name = f"{operation.call} {operation.name}"
    else:
        name = str(
            getattr(operation, "optimizer", None)
            or getattr(operation, "module", None)
            or getattr(operation, "data", None)
            or getattr(operation, "tensor", None)
            or getattr(operation, "pattern", "")
        )
    return type(operation), name


def line_name(operation: Operation) -> str:
    """Return the name of an Operation's line in a loop; lines that do the same have the same.

    Example:
        >>> line_name(ZeroGrad("optimizer")), line_name(Backward(retain_graph=True))
        ('zero_grad optimizer', 'backward loss')
    """
    kind, name = loop_key(operation)
    return f"{kind.__struct_config__.tag} {name}".rstrip()
