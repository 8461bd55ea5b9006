"""Tensors as records: one array in numbers, and a named tensor with its gradient and state."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gradstep.errors import GradStepError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["ParameterRecord", "TensorRecord"]


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class TensorRecord:
    """Statistics of a tensor, and its values if they were requested.

    Attributes:
        shape: Its shape; `()` for a scalar.
        dtype: Its NumPy dtype name, such as "float32".
        norm: Euclidean norm of the finite elements; NaN when no element is finite.
        mean: Mean of the finite elements; NaN for none.
        minimum: Smallest finite element; NaN for none.
        maximum: Largest finite element; NaN for none.
        nan_count: The number of NaN elements.
        inf_count: The number of elements that are +Inf or -Inf.
        array: The values, read-only; None when they were not requested.
        is_recorded: Whether the values at this moment are known; else the statistics are NaN.
    """

    shape: tuple[int, ...]
    dtype: str
    norm: float
    mean: float
    minimum: float
    maximum: float
    nan_count: int
    inf_count: int
    array: NDArray[Any] | None = None
    is_recorded: bool = True

    def values(self, name: str) -> NDArray[Any]:
        """Return the values; raise GradStepError if they were not requested."""
        if self.array is None:
            raise GradStepError(
                f"the values of {name} are not in this snapshot",
                "request them by name when you take the snapshot",
            )
        return self.array


@dataclass(frozen=True, slots=True)
class ParameterRecord:
    """One named tensor of the program.

    Attributes:
        name: Its full name, such as "model.0.weight".
        value: The data.
        gradient: The gradient; None when `.grad` is None, as opposed to zeros.
        version: Its version counter: the number of in-place writes.
        requires_grad: Whether autograd tracks it.
        held_by: Names of the optimizers that hold it.
        buffers: The state of each optimizer for it: arrays as records, counters as floats.
        is_buffer: True for a module's buffer (a running mean), which no optimizer updates.
    """

    name: str
    value: TensorRecord
    gradient: TensorRecord | None
    version: int
    requires_grad: bool
    held_by: tuple[str, ...] = ()
    buffers: Mapping[str, Mapping[str, TensorRecord | float]] = field(default_factory=_nothing)
    is_buffer: bool = False

    @property
    def data(self) -> NDArray[Any]:
        """The values, an array of `value.shape`."""
        return self.value.values(self.name)

    @property
    def grad(self) -> NDArray[Any] | None:
        """The values of the gradient; None for no gradient."""
        return None if self.gradient is None else self.gradient.values(f"{self.name}.grad")

    @property
    def state(self) -> dict[str, Any]:
        """The optimizer's state by name; keyed by optimizer first when several hold the tensor."""
        plain = {
            optimizer: {
                key: buffer.values(f"{optimizer}/{self.name}/{key}")
                if isinstance(buffer, TensorRecord)
                else buffer
                for key, buffer in state.items()
            }
            for optimizer, state in self.buffers.items()
        }
        if len(self.held_by) > 1:
            return dict(plain)
        return next(iter(plain.values()), {})
