"""LossComputation: computes one loss of a program from a batch, modules and tensors."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ExpressionError, ProgramError
from gradstep.program.schema.layers.basic import Embedding
from gradstep.program.schema.program_spec import MetricSpec
from gradstep.program.schema.shapes import chain_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from gradstep import nn
    from gradstep.program.expressions.compiler import Expression
    from gradstep.program.operation_effect import Batch
    from gradstep.program.runtime.batch_iterator import BatchIterator
    from gradstep.program.schema.layers.basic import Layer
    from gradstep.program.schema.program_spec import LossSpec

__all__ = ["LossComputation", "evaluation_mode", "targets_for_criterion"]


@dataclass(frozen=True, slots=True)
class LossComputation:
    """How one loss is computed.

    Attributes:
        name: Its name.
        spec: Its specification in the document.
        layers: The layers of every module of the program.
        modules: The modules that it is computed with.
        batches: The iterator of its data, or None.
        inputs: The data's inputs.
        targets: The data's targets, in the form that the criterion expects.
        criterion: The criterion as a module, or None.
        output: The formula of the model's output, or None.
        expression: The formula, or None.
        components: The other losses that its formula reads.
        warning: The criterion's warning on the first batch; empty if it gives none.
        part_values: The values of the components, and of theirs, when it was last computed.
    """

    name: str
    spec: LossSpec
    layers: Mapping[str, Sequence[Layer]]
    modules: tuple[str, ...]
    batches: BatchIterator | None = None
    inputs: NDArray[Any] | None = None
    targets: NDArray[Any] | None = None
    criterion: nn.Module | None = None
    output: Expression | None = None
    expression: Expression | None = None
    components: tuple[LossComputation, ...] = ()
    warning: str = ""
    part_values: dict[str, float] = field(default_factory=dict)
    _checked: set[tuple[str, tuple[int, ...]]] = field(default_factory=set)

    @property
    def held_out(self) -> bool:
        """Whether it only evaluates, on held-out rows or as a metric; it then records no graph."""
        return self.spec.rows == "validation" or isinstance(self.spec, MetricSpec)

    @property
    def part_names(self) -> frozenset[str]:
        """The names of its components, and of theirs."""
        return frozenset().union(*({part.name, *part.part_names} for part in self.components))

    @property
    def in_evaluation_mode(self) -> bool:
        """Whether it puts its modules in evaluation mode while it is computed."""
        return isinstance(self.spec, MetricSpec) and self.spec.mode == "eval"

    def evaluated_rows(self) -> Batch:
        """Return the rows of one that only evaluates: all held-out or all training rows."""
        assert self.batches is not None
        if self.spec.rows == "validation":
            return self.batches.held_out()
        return self.batches.all_training()

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Its own formulas and those of its components."""
        own = tuple(filter(None, (self.output, self.expression)))
        return (*own, *(text for part in self.components for text in part.expressions))

    def tensors(self, batch: Batch | None) -> tuple[Tensor | None, Tensor | None]:
        """Return the inputs and the targets of a batch as tensors."""
        if batch is None or self.inputs is None:
            return None, None
        rows: Any = batch.rows
        first, last = rows[0], rows[-1] + 1
        if self.batches is not None and self.batches.order is None and last - first == len(rows):
            rows = slice(first, last)
        else:
            rows = np.array(rows)
        return wrap(self.inputs[rows]), None if self.targets is None else wrap(self.targets[rows])

    def compute(
        self,
        modules: Mapping[str, nn.Module],
        tensors: Mapping[str, Tensor],
        inputs: Tensor | None,
        targets: Tensor | None,
    ) -> Tensor:
        """Compute the loss.

        Args:
            modules: The modules by name.
            tensors: The free tensors by name.
            inputs: The batch's inputs.
            targets: The batch's targets.

        Returns:
            A tensor of one element, with its graph.
        """
        if not self.in_evaluation_mode:
            return self._computed(modules, tensors, inputs, targets)
        with evaluation_mode([modules[name] for name in self.modules]):
            return self._computed(modules, tensors, inputs, targets)

    def _computed(
        self,
        modules: Mapping[str, nn.Module],
        tensors: Mapping[str, Tensor],
        inputs: Tensor | None,
        targets: Tensor | None,
    ) -> Tensor:
        """Compute the loss in the modes that the modules have."""
        if self.expression is None and self.output is None:
            return self.criterion(self._chained(modules, inputs), targets)  # type: ignore[misc, no-any-return]
        values = self._output_values(modules, tensors, inputs, targets)
        output = values.get("output")
        if self.expression is None:
            return self.criterion(output, targets)  # type: ignore[misc, no-any-return]
        for part in self.components:
            found = part.compute(modules, tensors, *part.adapted(inputs, targets))
            values[part.name] = found
            self.part_values.update({part.name: found._array.item(), **part.part_values})
        value = self.expression(values)
        # A bare tensor, as in "x": the loss must not change when the tensor does.
        bare = any(value is tensor for tensor in tensors.values())
        return value.clone() if bare else value  # type: ignore[no-any-return]

    @property
    def predicts(self) -> bool:
        """Whether its output follows from the inputs, so that it can be computed for any."""
        if self.inputs is None:
            return False
        return bool(self.spec.chain) or (
            self.output is not None and "target" not in self.output.names
        )

    def predict(
        self, modules: Mapping[str, nn.Module], tensors: Mapping[str, Tensor], inputs: Tensor
    ) -> Tensor:
        """Compute the output for any inputs; only of a loss that `predicts`."""
        if self.output is None:
            return self._chained(modules, inputs)  # type: ignore[no-any-return]
        return self._output_values(modules, tensors, inputs, None)["output"]  # type: ignore[no-any-return]

    def _chained(self, modules: Mapping[str, nn.Module], inputs: Tensor | None) -> Any:  # noqa: ANN401 - None without data
        """Pass the inputs through the chain."""
        output: Any = inputs
        for name in self.spec.chain:
            output = modules[name](output)
        return output

    def _output_values(
        self,
        modules: Mapping[str, nn.Module],
        tensors: Mapping[str, Tensor],
        inputs: Tensor | None,
        targets: Tensor | None,
    ) -> dict[str, Any]:
        """Return what formulas read by name: tensors, modules, the batch and the output."""
        values: dict[str, Any] = {**tensors, **self._calls(modules)}
        output = self._chained(modules, inputs)
        if inputs is not None:
            values |= {"input": inputs, "target": targets, "output": output}
        if self.output is not None:
            values["output"] = self.output(values)
        return values

    def adapted(
        self, inputs: Tensor | None, targets: Tensor | None
    ) -> tuple[Tensor | None, Tensor | None]:
        """Return a batch of the same data in the form that this loss expects."""
        if inputs is None or self.inputs is None:
            return None, None
        if inputs._array.dtype != self.inputs.dtype:
            inputs = wrap(inputs._array.astype(self.inputs.dtype))
        if targets is None or self.targets is None or self.targets.dtype == targets._array.dtype:
            return inputs, targets
        fitting = targets_for_criterion(
            targets._array, takes_class_labels=False, dtype=self.targets.dtype.name
        )
        return inputs, None if fitting is None else wrap(fitting)

    def _calls(self, modules: Mapping[str, nn.Module]) -> dict[str, Callable[[Any], Any]]:
        """Return the functions that the formulas call, one for each module."""
        called = {
            name for text in (self.output, self.expression) if text for name in text.callables
        }
        return {name: partial(self._call, name, modules[name]) for name in called}

    def _call(self, name: str, module: nn.Module, value: Any) -> Any:  # noqa: ANN401 - what a formula gives
        if not isinstance(value, Tensor):
            raise ExpressionError(f"{name} takes a tensor, not {value}", f"write {name}(input)")
        key = name, value._array.shape
        if key not in self._checked:
            try:
                chain_shape(self.layers, (name,), value._array.shape, "the value")
            except ProgramError as error:
                raise ExpressionError(error.message, error.remedy) from None
            self._checked.add(key)
        if isinstance(self.layers[name][0], Embedding):
            value = wrap(value._array.astype(np.int64))
        return module(value)


@contextmanager
def evaluation_mode(modules: Sequence[nn.Module]) -> Iterator[None]:
    """Put modules in evaluation mode, and restore the mode of each of their submodules."""
    modes = [(inner, inner.training) for module in modules for inner in module.modules()]
    for inner, _ in modes:
        inner.training = False
    try:
        yield
    finally:
        for inner, training in modes:
            inner.training = training


def targets_for_criterion(
    targets: NDArray[Any] | None, *, takes_class_labels: bool, dtype: str
) -> NDArray[Any] | None:
    """Return targets in the form that a criterion expects.

    Class labels become a column of values if the criterion expects values; values are unchanged.

    Example:
        >>> targets_for_criterion(np.array([0, 1]), takes_class_labels=False, dtype="float32")
        array([[0.], [1.]], dtype=float32)
    """
    if targets is None or targets.dtype.kind == "f" or takes_class_labels:
        return targets
    return (targets[:, None] if targets.ndim == 1 else targets).astype(dtype)
