"""What is known of a tensor that has a name, and of an optimizer."""

from __future__ import annotations

import weakref
from operator import itemgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_PLAIN = (bool, int, float, str, type(None))


class TrackedTensor:
    """A tensor that has a name, and how the last Operation left it."""

    __slots__ = (
        "__weakref__",
        "copy",
        "form",
        "gradient",
        "gradient_copy",
        "gradient_version",
        "held",
        "is_buffer",
        "is_leaf",
        "is_watched",
        "name",
        "proposed",
        "reference",
        "version",
    )

    def __init__(
        self,
        tensor: Any,
        reference: weakref.ref[Any],
        name: str,
        proposed: str,
        form: tuple[Any, ...],
        *,
        is_buffer: bool,
    ) -> None:
        self.reference: Callable[[], Any] = reference
        self.name = name
        self.proposed = proposed  # its name, if no other one had it
        self.form = form  # its shape and element type when it was met
        self.is_buffer = is_buffer
        self.is_leaf: bool = tensor.is_leaf
        self.held = False  # by an optimizer
        self.copy: Any = None
        self.gradient_copy: Any = None
        gradient = tensor.grad if self.is_leaf else None
        self.version = version_of(tensor)
        self.is_watched = not is_buffer and self.version >= 0
        self.gradient = id(gradient)
        self.gradient_version = version_of(gradient)

    def forget_copies(self) -> None:
        """Forget the values that it is compared with."""
        self.copy = self.gradient_copy = None


def version_of(tensor: Any) -> int:
    """Return how often a tensor was changed in place; -1 for none, and where torch does not count.

    It does not count the changes of tensors that were made in inference mode.
    """
    try:
        return -1 if tensor is None else int(tensor._version)
    except RuntimeError:
        return -1


class KnownOptimizer:
    """An optimizer by weak reference, and the options that were last described.

    Attributes:
        is_partial: Whether it was described without tensors that have no elements yet.
    """

    __slots__ = ("_groups", "is_partial", "is_torchs_own", "name", "reference")

    def __init__(self, optimizer: Any, name: str) -> None:
        self.reference: weakref.ref[Any] = weakref.ref(optimizer)
        self.name = name
        self.is_partial = False
        self.is_torchs_own = type(optimizer).__module__.startswith("torch.optim.")
        self._groups: list[tuple[int, Callable[[Any], Any], Any]] = []

    def note(self, groups: list[dict[str, Any]]) -> None:
        """Note the plain options of each group."""
        keys = [plain_keys(group) for group in groups]
        getters = [itemgetter(*found) if found else _nothing for found in keys]
        self._groups = [
            (len(group), get, get(group))
            for group, get in zip(groups, getters)  # noqa: B905 - Python 3.9
        ]

    def has_changed(self, groups: list[dict[str, Any]]) -> bool:
        """Return whether a group or one of its options is another than noted."""
        if self.is_partial or len(groups) != len(self._groups):
            return True
        for group, (size, get, options) in zip(groups, self._groups):  # noqa: B905 - Python 3.9
            if len(group) != size:
                return True
            try:
                if get(group) != options:
                    return True
            except KeyError:
                return True
        return False


def _is_plain(value: object) -> bool:
    if isinstance(value, (tuple, list)):
        return len(value) <= 8 and all(isinstance(item, _PLAIN) for item in value)  # noqa: PLR2004
    return isinstance(value, _PLAIN)


def plain_keys(group: dict[str, Any]) -> tuple[str, ...]:
    """Return the options of a group that are plain values, or short lists of such."""
    return tuple(key for key, value in group.items() if _is_plain(value))


def _nothing(_: object) -> None:
    return None
