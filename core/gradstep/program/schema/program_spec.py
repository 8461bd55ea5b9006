"""ProgramSpec: the declarative document from which a program is built."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from gradstep.program.operation import MAX_LINES, LoopLine
from gradstep.program.schema.criteria import Criterion  # noqa: TC001 - msgspec reads the annotations
from gradstep.program.schema.data_sets import Data  # noqa: TC001 - likewise
from gradstep.program.schema.layers.basic import Layer
from gradstep.program.schema.limits import MAX_EXPRESSION, MAX_LAYERS, MAX_NAMES

__all__ = [
    "GroupSpec",
    "InitSpec",
    "Intent",
    "LossSpec",
    "MetricSpec",
    "OptimizerSpec",
    "ProgramSpec",
    "SchedulerSpec",
    "TensorSpec",
]

Text = Annotated[str, Meta(max_length=100_000)]
Name = Annotated[str, Meta(min_length=1, max_length=64)]
Pattern = Annotated[str, Meta(min_length=1, max_length=256)]
Patterns = Annotated[list[Pattern], Meta(max_length=MAX_LAYERS)]
Layers = Annotated[list[Layer], Meta(min_length=1, max_length=MAX_LAYERS)]
Options = dict[str, Any]
RANDOM_FUNCTIONS = frozenset({"rand_like", "randn_like"})
"""Functions of expressions that draw random numbers."""

Intent = Literal["gradient_accumulation", "frozen_backbone", "adversarial"]


class TensorSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A free tensor: a number or nested lists of numbers.

    Example:
        >>> TensorSpec(value=[1, 2], requires_grad=True).value
        [1, 2]
    """

    value: Any
    requires_grad: bool = False


class LossSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A loss: a chain of modules and a criterion over data, or an expression.

    Attributes:
        data: The data set that feeds it.
        chain: Modules through which the inputs pass, in order.
        criterion: Compares the output of the chain with the targets.
        expression: The loss as a formula of tensors; with data also of `input` and `target`, with a
            chain also of `output`.
        rows: Whether it uses the training rows or the held-out rows.
    """

    data: Name | None = None
    chain: Annotated[list[Name], Meta(max_length=MAX_NAMES)] = []
    output: Annotated[str, Meta(max_length=MAX_EXPRESSION)] | None = None
    criterion: Criterion | None = None
    expression: Annotated[str, Meta(max_length=MAX_EXPRESSION)] | None = None
    rows: Literal["training", "validation"] = "training"

    def reads(self, name: str) -> bool:
        """Return whether one of its formulas reads a name, such as `target`.

        Example:
            >>> LossSpec(expression="mean((output - target) ** 2)").reads("target")
            True
        """
        texts = filter(None, (self.output, self.expression))
        return any(name in _names_in(text)[1] for text in texts)


class MetricSpec(LossSpec, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A metric: a formula over all held-out or all training rows, computed without a graph.

    A Forward line computes it; no Backward belongs to it.

    Attributes:
        rows: The rows it is computed on, all in one batch.
        mode: "eval" computes it in evaluation mode, and then restores the modes of the modules.
    """

    rows: Literal["training", "validation"] = "validation"
    mode: Literal["current", "eval"] = "current"


class GroupSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A parameter group: patterns of tensor names, and its own hyperparameters."""

    params: Patterns
    options: Options = {}


class OptimizerSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An optimizer: its class, its parameters, and its hyperparameters.

    `params` lists patterns of tensor names, which form one group, and further groups.
    """

    kind: Name
    params: Annotated[list[Pattern | GroupSpec], Meta(max_length=MAX_LAYERS)]
    options: Options = {}


class SchedulerSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A learning-rate scheduler: its class, its optimizer, and its arguments."""

    kind: Name
    optimizer: Name = "optimizer"
    options: Options = {}


class InitSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Initial values: the name of a function of `torch.nn.init`, and its arguments."""

    kind: Name
    options: Options = {}


class ProgramSpec(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True
):
    """A program as a document. It contains only names and numbers, no code.

    Attributes:
        gradstep: The version of this format.
        name: A title.
        description: What the user should look for.
        intent: Intended properties that would look like mistakes; the diagnostics do not report
            them.
        iterations: A sensible number of iterations to run.
        seed: The seed of initial values, data orders and dropout masks.
        dtype: The dtype of every tensor.
        data: Data sets by name.
        modules: Modules by name, each a list of layers.
        init: Initial values of parameters by pattern of their names, applied in order; others have
            those of their layers.
        tensors: Free tensors by name.
        losses: Losses by name.
        metrics: Metrics by name.
        optimizers: Optimizers by name.
        schedulers: Schedulers by name.
        loop: One iteration; None for the default loop of zero_grad, forward, backward and step. It
            computes a loss that another one reads only with that one.

    Example:
        >>> ProgramSpec(gradstep=1, tensors={"x": TensorSpec([1, 2])}).dtype
        'float32'
    """

    gradstep: Literal[1]
    name: Annotated[str, Meta(max_length=200)] = ""
    description: Text = ""
    intent: list[Intent] = []
    iterations: Annotated[int, Meta(ge=1, le=100_000_000)] = 100
    seed: Annotated[int, Meta(ge=0, lt=2**32)] = 0
    dtype: Literal["float32", "float64"] = "float32"
    data: dict[str, Data] = {}
    modules: dict[str, Layers] = {}
    init: Annotated[dict[Pattern, InitSpec], Meta(max_length=MAX_NAMES)] = {}
    tensors: dict[str, TensorSpec] = {}
    losses: dict[str, LossSpec] = {}
    metrics: dict[str, MetricSpec] = {}
    optimizers: dict[str, OptimizerSpec] = {}
    schedulers: dict[str, SchedulerSpec] = {}
    loop: Annotated[list[LoopLine], Meta(min_length=1, max_length=MAX_LINES)] | None = None

    @property
    def computed(self) -> dict[str, LossSpec]:
        """Losses and metrics by name: all that a Forward computes."""
        return {**self.losses, **self.metrics} if self.metrics else self.losses

    def modules_of(self, loss: str) -> tuple[str, ...]:
        """Return the modules that a loss is computed with, in order of appearance.

        Example:
            >>> spec = ProgramSpec(
            ...     gradstep=1,
            ...     modules={"body": [], "head": []},
            ...     losses={"a": LossSpec(output="head(body(input) + input)")})
            >>> spec.modules_of("a")
            ('head', 'body')
        """
        own = self.computed[loss]
        found = dict.fromkeys(own.chain)
        for text in filter(None, (own.output, own.expression)):
            called, read = _names_in(text)
            found |= dict.fromkeys(name for name in called if name in self.modules)
            for name in read:
                if name in self.losses and name != loss:
                    found |= dict.fromkeys(self.modules_of(name))
        return tuple(found)

    @property
    def scheduler_members(self) -> frozenset[str]:
        """The schedulers that a SequentialLR or a ChainedScheduler steps."""
        named = [item.options.get("schedulers") for item in self.schedulers.values()]
        lists = [names for names in named if isinstance(names, list)]
        return frozenset(name for names in lists for name in names if isinstance(name, str))

    def is_random(self, loss: str) -> bool:
        """Return whether a Forward of a loss may draw random numbers: noise or Dropout.

        Example:
            >>> spec = ProgramSpec(
            ...     gradstep=1, losses={"a": LossSpec(expression="mean(randn_like(x) * x)")})
            >>> spec.is_random("a")
            True
        """
        own = self.computed[loss]
        called = [_names_in(text)[0] for text in (own.output or "", own.expression or "")]
        return (
            any(not RANDOM_FUNCTIONS.isdisjoint(names) for names in called)
            or any(map(self.is_random, self.components_of(loss)))
            or any(
                type(layer).__name__.startswith("Dropout")
                for name in self.modules_of(loss)
                for layer in self.modules[name]
            )
        )

    def components_of(self, loss: str) -> tuple[str, ...]:
        """Return the other losses that the expression of a loss reads.

        Example:
            >>> spec = ProgramSpec(gradstep=1, losses={
            ...     "a": LossSpec(), "b": LossSpec(), "total": LossSpec(expression="a + 0.1 * b")})
            >>> spec.components_of("total")
            ('a', 'b')
        """
        _, read = _names_in(self.computed[loss].expression or "")
        return tuple(name for name in read if name in self.losses)


@lru_cache(maxsize=512)
def _names_in(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names that an expression calls, and those that it reads, in order."""
    try:
        nodes = list(ast.walk(ast.parse(text.strip(), mode="eval")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return (), ()  # the builder reports it
    calls = {id(node.func): node for node in nodes if isinstance(node, ast.Call)}
    names = sorted(
        (node for node in nodes if isinstance(node, ast.Name)), key=lambda node: node.col_offset
    )
    called = dict.fromkeys(node.id for node in names if id(node) in calls)
    read = dict.fromkeys(node.id for node in names if id(node) not in calls)
    return tuple(called), tuple(read)
