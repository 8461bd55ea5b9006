"""ForwardRecord: what is needed to compute a loss's last graph again, bit for bit.

A graph cannot be put into a file. It is made again by running its Forward on the same batch, with
the generator, the settings and the values of that time. What is still as it was then is not kept
twice: values are copied only when an Operation is about to change them while the graph is alive.
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
    """What Freeze, SetMode and RebuildModule change, as it was at a Forward.

    Attributes:
        requires_grad: By name of the tensor.
        training: By module, of all modules inside it, itself first.
        generations: By module, how often it had been rebuilt.
    """

    requires_grad: Mapping[str, bool]
    training: Mapping[str, tuple[bool, ...]]
    generations: Mapping[str, int]


@dataclass(slots=True)
class ForwardRecord:
    """How a loss was last computed.

    Attributes:
        batch: The batch it saw; None without data.
        inputs: The batch's inputs.
        targets: The batch's targets.
        touched: The tensors that it was computed from, by the names they had at the time.
        versions: Version counters of `touched` at the time.
        structure: The program's structure number at the time.
        generator: The generator's state at the time, when the loss draws random numbers.
        freed: Whether a Backward has let go of what the graph had saved.
        kept: Values of the time, by name, of tensors that were changed since.
        settings: ForwardSettings of the time; None while they are still the same.
        stepped: Whether a step has evaluated the loss on this batch, so that the next one moves on.
        added_to: The totals at which its graph hangs.
    """

    batch: Batch | None
    inputs: Tensor | None
    targets: Tensor | None
    touched: tuple[tuple[str, Tensor], ...]
    versions: tuple[int, ...]
    structure: int
    generator: Any = None
    freed: bool = False
    kept: dict[str, NDArray[Any]] = field(default_factory=dict)
    settings: ForwardSettings | None = None
    stepped: bool = False
    added_to: tuple[str, ...] = ()

    def keep_values(self) -> None:
        """Copy the values that the graph was computed from, once, before they change."""
        if not self.freed and not self.kept:
            self.kept = {name: tensor._array.copy() for name, tensor in self.touched}

    def is_intact(self) -> bool:
        """Whether nothing has happened since that could make a Backward fail half-way."""
        return (
            not self.freed
            and self.settings is None
            and self.versions == tuple([tensor._version for _, tensor in self.touched])
        )
