"""LossProbe: a loss as a function of its tensors, on rows that are held."""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.errors import GradStepError
from gradstep.pluralize import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradstep.autograd.tensor import Tensor
    from gradstep.program.operation_effect import Batch
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["MOST_ROWS", "LossProbe"]

MOST_ROWS = 4096
"""The most rows that a loss is computed on where no batch is held."""

_NORMALIZES_BATCHES = ("BatchNorm", "InstanceNorm")


class LossProbe:
    """Computes a loss again and again, after its caller has written other values into its tensors.

    Every call sees the same rows, the same masks of dropout and the same modes, so that the loss is
    a function of the tensors alone. The running statistics of normalization layers follow each
    call, and masks are drawn from the default generator: both have to be restored afterwards.

    Args:
        live: The live objects.
        name: The name of the loss.
        all_rows: Use all rows of its data instead of the batch of its last Forward.

    Attributes:
        batch: The rows; None for a loss without data.
        notes: Sentences on what is held.
    """

    def __init__(self, live: LiveObjects, name: str, *, all_rows: bool = False) -> None:
        self._live = live
        self._loss = live.loss(name)
        self._name = name
        record = live.forward_records.get(name)
        self._is_held = record is not None and not all_rows
        self.batch: Batch | None = None
        self._inputs: Tensor | None = None
        self._targets: Tensor | None = None
        if record is not None and not all_rows:
            self.batch, self._inputs, self._targets = record.batch, record.inputs, record.targets
        elif self._loss.batches is not None:
            self.batch = self._loss.evaluated_rows() if self._loss.held_out else None
            self.batch = self.batch or self._loss.batches.all_training()
            self._inputs, self._targets = self._loss.tensors(self.batch)
            if len(self.batch.rows) > MOST_ROWS and self._inputs is not None:
                self._inputs = self._inputs[:MOST_ROWS]
                self._targets = None if self._targets is None else self._targets[:MOST_ROWS]
        drawn = None if record is None or all_rows else record.generator
        self._generator = live.random_stream.state if drawn is None else drawn
        self._is_random = live.draws_random[name]
        self.notes = tuple(self._notes())

    def __call__(self) -> float:
        """Return the loss; NaN where it cannot be computed."""
        live = self._live
        if self._is_random:
            live.random_stream.set_default_state(self._generator)
        try:
            with grad_mode.no_grad(), np.errstate(all="ignore"):
                value = live.compute(self._loss, self._inputs, self._targets)
        except GradStepError:  # such as a logarithm's argument: the Forward there reports it
            return math.nan
        return float(value._array.item())

    @property
    def signature(self) -> bytes:
        """A digest of the rows, masks and modes that are held."""
        live, found = self._live, hashlib.blake2b(digest_size=16)
        rows = None if self.batch is None else (self.batch.data, self.batch.rows)
        modes = [live.training(live.modules[name]) for name in self._loss.modules]
        found.update(repr((self._name, rows, modes)).encode())
        if self._is_random:
            found.update(self._generator.tobytes())
        return found.digest()

    def _notes(self) -> Iterator[str]:
        batch, count = self.batch, 0 if self._inputs is None else len(self._inputs._array)
        if batch is not None:
            rows = pluralize(count, "row")
            if self._is_held and not self._loss.held_out and batch.count > 1:
                place = f"batch {batch.number} of {batch.count} of epoch {batch.epoch}"
                yield f"Every point is computed on {place}: {rows}."
            else:
                whole = "all" if count == len(batch.rows) else "the first"
                yield f"Every point is computed on {whole} {rows}."
        kinds = self._kinds()
        is_training = not self._loss.in_evaluation_mode
        if dropout := [kind for kind, _ in kinds if kind.startswith("Dropout")]:
            if self._is_random:
                yield f"{dropout[0]} drops the same elements at every point."
            else:
                yield f"{dropout[0]} drops nothing: it is in evaluation mode."
        for kind, training in kinds:
            if kind.startswith(_NORMALIZES_BATCHES):
                uses = "those of these rows" if training and is_training else "its running ones"
                yield f"{kind} normalizes by statistics, {uses}."

    def _kinds(self) -> list[tuple[str, bool]]:
        """Return the classes of the layers, once each, and whether they are in training mode."""
        found: dict[str, Any] = {}
        for name in self._loss.modules:
            for inner in self._live.modules[name].modules():
                found.setdefault(type(inner).__name__, inner.training)
        return list(found.items())
