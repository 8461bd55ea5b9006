"""What a script changed between two Operations without calling one: `w -= lr * w.grad`."""

from __future__ import annotations

import weakref
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from gradstep_agent.data_writes import DataWrites
from gradstep_agent.tensor_reader import shard_of
from gradstep_agent.tracked import version_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep_agent.registry import Registry
    from gradstep_agent.tracked import TrackedTensor

    Report = Callable[[str, list[tuple[str, Any]]], None]

SAMPLE = 1 << 12
"""Elements of a tensor that are compared by value, because `.data` leaves no trace."""


_version = attrgetter("_version")
_gradient = attrgetter("grad")


class ChangesByHand:
    """Finds what changed since `note` was called.

    torch counts the in-place changes of a tensor; what is done to `tensor.data` it does not count.
    So tensors that no optimizer holds are compared by value as well, with their gradients, and all
    of them where a file of the script's own writes so: a small one whole, of a large one a sample.
    The counts are read several times an iteration, so they are read into lists that are compared as
    a whole, through proxies, because to follow many weak references takes as long as to read what
    they lead to; and what an Operation cannot have changed is not read again after it. Nor are
    gradients where the Operation that follows at once notes them.

    Args:
        registry: The tensors.
        torch: The script's own torch.
    """

    def __init__(self, registry: Registry, torch: Any) -> None:
        self._registry = registry
        self._equal = torch.equal
        self._revision = -1
        self._tracked: list[TrackedTensor] = []
        self._tensors: list[Any] = []  # proxies of them
        self._leaves: list[Any] = []  # those of them that can have gradients
        self._compared: list[TrackedTensor] = []
        self._without: list[int] = []  # the identities of gradients when there are none
        self._versions: list[int] = []  # how often each was changed in place
        self._gradients: list[int] = []  # their identities
        self._gradient_versions: list[int] = []  # empty where there is no gradient at all
        self._is_put_off = False
        self._data_writes = DataWrites()

    def note(self, *, values: bool = True, gradients: bool = True) -> None:
        """Note how an Operation has left everything.

        Args:
            values: Whether it may have changed values.
            gradients: Whether it may have changed gradients.
        """
        if self._is_put_off:
            self._is_put_off, gradients = False, True
        if self._revision != self._registry.revision:
            self._choose()
        try:
            if values:
                self._versions = list(map(_version, self._tensors))
            if gradients:
                found = list(map(_gradient, self._leaves))
                self._gradients = identities = list(map(id, found))
                self._gradient_versions = [] if identities == self._without else _versions_of(found)
        except ReferenceError:  # one has died just now
            self._choose()
            self.note(values=values, gradients=gradients)
            return
        if self._compared:
            with self._registry.outside_inference():
                self._copy(values=values, gradients=gradients)

    def put_off(self) -> None:
        """Leave the gradients to the next `note`, because nothing can change them until then."""
        self._is_put_off = True

    def catch_up(self) -> None:
        """Note the gradients that were put off: something else than was expected comes next.

        If that is an object of the script's own whose `step` was called for an optimizer's, and it
        has changed gradients first, they are not told from those that Backward wrote, this once.
        """
        if self._is_put_off:
            self.note(values=False)

    def _copy(self, *, values: bool, gradients: bool) -> None:
        """Copy what is compared by value, where it may have changed or was not copied yet."""
        for tracked in self._compared:
            tensor: Any = tracked.reference()
            if values or tracked.copy is None:
                tracked.copy = _copied(tensor, tracked.copy)
            if gradients or tracked.gradient_copy is None:
                tracked.gradient_copy = _copied(tensor.grad, tracked.gradient_copy)

    def may_have_changed(self) -> bool:
        """Return whether it is worth calling `report`."""
        if self._revision != self._registry.revision:
            self._choose()
        try:
            if self._compared and self._differ():
                return True
            if list(map(_version, self._tensors)) != self._versions:
                return True
            gradients = list(map(_gradient, self._leaves))
        except ReferenceError:  # one has died just now
            self._choose()
            return self.may_have_changed()
        if list(map(id, gradients)) != self._gradients:
            return True
        versions = self._gradient_versions
        return bool(versions) and _versions_of(gradients) != versions

    def report(self, report: Report) -> None:
        """Report what changed since then: values first, then gradients.

        Args:
            report: Called with "update", "clear" or "gradient", and what changed.
        """
        self._registry.rename_altered()
        if self._revision != self._registry.revision:
            self._choose()
        versions, gradients = self._versions, self._gradients
        gradient_versions = self._gradient_versions
        values_found, gradients_found = [], []
        for index, tracked in enumerate(self._tracked):
            tensor: Any = tracked.reference()
            if tensor is None:
                continue
            if tensor._version != versions[index] or self._differs(tracked.copy, tensor):
                values_found.append((tracked.name, tensor))
            if index >= len(self._leaves):
                continue
            gradient = tensor.grad
            if (
                id(gradient) != gradients[index]
                or (gradient is not None and version_of(gradient) != gradient_versions[index])
                or self._differs(tracked.gradient_copy, gradient)
            ):
                gradients_found.append((f"{tracked.name}.grad", gradient))
        if values_found:
            report("update", values_found)
        if gradients_found:
            cleared = all(found is None or not bool(found.any()) for _, found in gradients_found)
            report("clear" if cleared else "gradient", gradients_found)

    def _choose(self) -> None:
        """Choose the tensors again that are watched; keep what is noted of them."""
        versions, gradients = self._versions, self._gradients
        gradient_versions = self._gradient_versions
        for index, tracked in enumerate(self._tracked):
            tracked.version = versions[index]
            if index < len(self._leaves):
                tracked.gradient = gradients[index]
                tracked.gradient_version = gradient_versions[index] if gradient_versions else -1
        self._revision = self._registry.revision
        found = [pair for pair in self._registry.tensors() if pair[0].is_watched]
        found.sort(key=lambda pair: not pair[0].is_leaf)
        self._tracked = [tracked for tracked, _ in found]
        self._tensors = [weakref.proxy(tensor) for _, tensor in found]
        leaves = [tracked for tracked in self._tracked if tracked.is_leaf]
        self._leaves = self._tensors[: len(leaves)]  # they come first
        is_written = self._data_writes.look()
        self._compared = [tracked for tracked in leaves if is_written or not tracked.held]
        self._without = [id(None)] * len(leaves)
        self._versions = [tracked.version for tracked in self._tracked]
        self._gradients = [tracked.gradient for tracked in leaves]
        self._gradient_versions = [tracked.gradient_version for tracked in leaves]
        if self._gradients == self._without:
            self._gradient_versions = []

    def _differ(self) -> bool:
        """Return whether anything that is compared by value is not as it was copied."""
        for tracked in self._compared:
            tensor: Any = tracked.reference()
            if tensor is None or self._differs(tracked.copy, tensor):
                return True
            if self._differs(tracked.gradient_copy, tensor.grad):
                return True
        return False

    def _differs(self, before: Any, tensor: Any) -> bool:
        """Return whether a tensor is not as it was copied: a change through `.data` is not counted.

        Args:
            before: The copy; None without one.
            tensor: The tensor; None for a gradient that there is none of.
        """
        now = None if before is None else _sample(tensor)
        if now is None:
            return False
        if before.dtype != now.dtype or before.shape != now.shape:
            return True
        if self._equal(before, now):
            return False
        return not bool(((before == now) | (before.isnan() & now.isnan())).all())


def _versions_of(gradients: list[Any]) -> list[int]:
    """Return how often each gradient was changed in place."""
    try:
        return list(map(_version, gradients))
    except (AttributeError, RuntimeError):  # some have none, or torch does not count
        return list(map(version_of, gradients))


def _copied(tensor: Any, copy: Any) -> Any:
    """Return a copy of what is compared of a tensor, in the memory of an older copy if it fits."""
    sample = _sample(tensor)
    if sample is None or copy is None or copy.shape != sample.shape or copy.dtype != sample.dtype:
        return None if sample is None else sample.clone()
    return copy.copy_(sample)


def _sample(tensor: Any) -> Any:
    """Return what is compared of a tensor; None of a sparse one, and where there is nothing."""
    if tensor is None or getattr(tensor, "is_sparse", False):
        return None
    part = shard_of(tensor).detach()
    size = part.numel()
    try:
        if not size or not part.data_ptr():  # FSDP has freed its memory for now
            return None
    except RuntimeError:  # `torch.func` has wrapped it
        return None
    return part if size <= SAMPLE else part.reshape(-1)[:: -(-size // SAMPLE)]
