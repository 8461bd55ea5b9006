"""What a script changed between two Operations without calling one: `w -= lr * w.grad`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from gradstep_agent.registry import Registry, TrackedTensor

    Report = Callable[[str, list[tuple[str, Any]], FrameType | None], None]

SAMPLE = 1 << 12
"""Elements of a tensor that are compared by value, because `.data` leaves no trace."""


class ChangesByHand:
    """Finds what changed since `note` was called.

    torch counts the in-place changes of a tensor; what is done to `tensor.data` it does not
    count. So the values of tensors that no optimizer holds are compared as well: all of a small
    one, of a large one a sample.

    Args:
        registry: The tensors.
        torch: The script's own torch.
    """

    def __init__(self, registry: Registry, torch: Any) -> None:
        self._registry = registry
        self._equal = torch.equal

    def note(self) -> None:
        """Note how an Operation has left everything."""
        for tracked, tensor in self._registry.tensors():
            tracked.note(tensor)
            if _is_compared(tracked):
                sample = _sample(tensor)
                if tracked.copy is None or tracked.copy.shape != sample.shape:
                    tracked.copy = sample.clone()
                else:
                    tracked.copy.copy_(sample)
                tracked.has_gradient = tensor.grad is not None and bool(tensor.grad.any())

    def report(self, frame: FrameType | None, report: Report) -> None:
        """Report what changed since then: values first, then gradients.

        Args:
            frame: The person's frame, for the line.
            report: Called with "update", "clear" or "gradient", and what changed.
        """
        values, gradients = [], []
        for tracked, tensor in self._registry.tensors():
            if tracked.is_buffer:
                continue
            if tensor._version != tracked.version or self._has_changed(tracked, tensor):
                values.append((tracked.name, tensor))
            if not tracked.is_leaf:
                continue
            gradient = tensor.grad
            if id(gradient) == tracked.gradient and (
                gradient is None or gradient._version == tracked.gradient_version
            ):
                if tracked.has_gradient and _is_cleared(tracked, gradient):
                    gradients.append((f"{tracked.name}.grad", gradient))
            else:
                gradients.append((f"{tracked.name}.grad", gradient))
        if values:
            report("update", values, frame)
        if gradients:
            cleared = all(found is None or not bool(found.any()) for _, found in gradients)
            report("clear" if cleared else "gradient", gradients, frame)

    def _has_changed(self, tracked: TrackedTensor, tensor: Any) -> bool:
        """Return whether `.data` was changed, which is not counted."""
        if tracked.copy is None or not _is_compared(tracked):
            return False
        before, now = tracked.copy, _sample(tensor)
        if self._equal(before, now):
            return False
        return before.shape != now.shape or not bool(
            ((before == now) | (before.isnan() & now.isnan())).all()
        )


def _is_compared(tracked: TrackedTensor) -> bool:
    return tracked.is_leaf and not tracked.held and not tracked.is_buffer


def _is_cleared(tracked: TrackedTensor, gradient: Any) -> bool:
    """Return whether `.grad.data` was filled with zeros."""
    return _is_compared(tracked) and gradient is not None and not bool(gradient.any())


def _sample(tensor: Any) -> Any:
    flat = tensor.detach().reshape(-1)
    return flat[:: -(-flat.numel() // SAMPLE) or 1]
