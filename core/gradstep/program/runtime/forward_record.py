"""ForwardRecord: the data that rebuild a loss's last graph bit for bit.

A graph cannot be stored in a file. It is rebuilt by running its Forward again on the same batch,
with the generator state, the settings and the values of the original run. Values are copied only
when an Operation is about to change them while the graph is alive.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor
    from gradstep.program.operation_effect import Batch

__all__ = ["ForwardRecord", "ForwardSettings"]


@dataclass(frozen=True, slots=True)
class ForwardSettings:
    """The settings at a Forward that Freeze, SetMode and RebuildModule can change.

    Attributes:
        requires_grad: The flag of each tensor, by name.
        training: The modes of each module and its submodules, itself first, by name.
        generations: The number of times that each module had been rebuilt, by name.
    """

    requires_grad: Mapping[str, bool]
    training: Mapping[str, tuple[bool, ...]]
    generations: Mapping[str, int]


@dataclass(slots=True)
class ForwardRecord:
    """How a loss was last computed.

    Attributes:
        batch: The batch; None without data.
        inputs: The batch's inputs.
        targets: The batch's targets.
        tensors: The tensors from which it was computed, by their names at the time.
        versions: Version counters of `tensors` at the time.
        structure: The program's structure number at the time.
        generator: The generator's state at the time, if the loss draws random numbers.
        freed: Whether a Backward has freed the values that the graph had saved.
        original_values: The values at the time, by name, of tensors that have changed since.
        settings: The original settings; None while they have not changed.
        stepped: Whether a Step has evaluated the loss on this batch, so the next one takes another.
        added_to: The running totals that keep its graph alive.
        operand_names: The names of the operands of its graph, with the number of the structure for
            which they were found; None until they are.
    """

    batch: Batch | None
    inputs: Tensor | None
    targets: Tensor | None
    tensors: tuple[tuple[str, Tensor], ...]
    versions: tuple[int, ...]
    structure: int
    generator: Any = None
    freed: bool = False
    original_values: dict[str, NDArray[Any]] = field(default_factory=dict)
    settings: ForwardSettings | None = None
    stepped: bool = False
    added_to: tuple[str, ...] = ()
    operand_names: tuple[int, Mapping[int, Mapping[int, str]]] | None = None

    def save_original_values(self) -> None:
        """Copy the values that the graph was computed from, before they change."""
        if not self.freed and not self.original_values:
            self.original_values = {name: tensor._array.copy() for name, tensor in self.tensors}

    def is_intact(self) -> bool:
        """Return whether no later change could make a Backward fail part-way."""
        return (
            not self.freed
            and self.settings is None
            and self.versions == tuple([tensor._version for _, tensor in self.tensors])
        )
