"""LossComputation: computes one loss of a program from a batch, modules and tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd.tensor import Tensor, wrap

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from gradstep import nn
    from gradstep.program.expressions.compiler import Expression
    from gradstep.program.operation_effect import Batch
    from gradstep.program.runtime.batch_iterator import BatchIterator
    from gradstep.program.schema.program_spec import LossSpec

__all__ = ["LossComputation", "targets_for_criterion"]


@dataclass(frozen=True, slots=True)
class LossComputation:
    """How one loss is computed.

    Attributes:
        name: Its name.
        spec: Its specification in the document.
        batches: The iterator of its data, or None.
        inputs: The data's inputs.
        targets: The data's targets, in the form that the criterion expects.
        criterion: The criterion as a module, or None.
        expression: The formula, or None.
        warning: The criterion's warning on the first batch; empty if it gives none.
    """

    name: str
    spec: LossSpec
    batches: BatchIterator | None = None
    inputs: NDArray[Any] | None = None
    targets: NDArray[Any] | None = None
    criterion: nn.Module | None = None
    expression: Expression | None = None
    warning: str = ""

    @property
    def held_out(self) -> bool:
        """Whether it uses the held-out rows; it then records no graph."""
        return self.spec.rows == "validation"

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
        if inputs is None and self.expression is not None:
            value = self.expression(tensors)
            # A bare tensor, as in "x": the loss must not change when the tensor does.
            bare = any(value is tensor for tensor in tensors.values())
            return value.clone() if bare else value  # type: ignore[no-any-return]
        output: Any = inputs
        for name in self.spec.chain:
            output = modules[name](output)
        if self.criterion is not None:
            return self.criterion(output, targets)  # type: ignore[no-any-return]
        assert self.expression is not None
        values = {**tensors, "input": inputs, "target": targets, "output": output}
        return self.expression(values)  # type: ignore[no-any-return]


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
