"""ProgramState: the state of a Program as plain data."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from gradstep.autograd.row_sparse import RowSparse
from gradstep.autograd.tensor import wrap
from gradstep.errors import ProgramError

__all__ = ["PackedArray", "ProgramState", "pack", "unpack", "unpack_state_entry"]


class ProgramState(msgspec.Struct, frozen=True, gc=False):
    """Everything that determines what a Program does next.

    All fields are dictionaries, lists, strings, numbers, None and NumPy arrays, so that a file can
    store a state. Its arrays are copies and are never written to.

    Attributes:
        tensors: By key: `[data, grad, version, version of grad, requires_grad]`.
        modules: `[name, generation, modes of its submodules]`, the current one of a name last.
        optimizers: By name: groups with the keys of their tensors, and state by key.
        schedulers: Their states, by name.
        generator: The random generator's state.
        feeds: By data set: `[epoch, position, order, batch size]`; the last may be missing.
        losses: By name: how the loss was last computed, and its value.
        cursor: `[complete iterations, index of the next line, epoch, position]`; the last two are
            where in the data the iteration began, and may be missing.
        totals: By free tensor: the number of graphs that it keeps alive, and of their nodes.
        loop: The lines of an edited loop, as JSON has them; None for the program's own.

    Example:
        >>> state = ProgramState({}, [], {}, {}, None, {}, {}, [0, 0])
        >>> ProgramState.from_tree(state.to_tree()) == state
        True
    """

    tensors: dict[str, list[Any]]
    modules: list[list[Any]]
    optimizers: dict[str, dict[str, Any]]
    schedulers: dict[str, dict[str, Any]]
    generator: Any
    feeds: dict[str, list[Any]]
    losses: dict[str, dict[str, Any]]
    cursor: list[int]
    totals: dict[str, list[int]] = {}
    loop: list[Any] | None = None

    def to_tree(self) -> dict[str, Any]:
        """Return the state as a tree of plain data; its arrays are shared, not copied."""
        return {name: getattr(self, name) for name in self.__struct_fields__}

    @classmethod
    def from_tree(cls, tree: Any) -> ProgramState:  # noqa: ANN401 - read from a file
        """Return the state that a tree holds.

        Raises:
            ProgramError: If it is not a state. `restore` checks whether it fits a program.
        """
        try:
            return msgspec.convert(tree, cls, strict=True)
        except (msgspec.ValidationError, AttributeError, RecursionError) as error:
            raise ProgramError(
                "", f"not a state of a program: {error}", "record it again"
            ) from None


PackedArray = Any
"""A C-contiguous array; `[array, axes]` for another memory order; or a dictionary of `values` and
`rows` for a row-sparse gradient."""


def pack(array: np.ndarray[Any, Any]) -> PackedArray:
    """Return a copy of an array, with the memory order of its axes if it is not C-contiguous.

    Gradients are often transposed in memory, and the memory order determines the order of
    summation. Bit-identical results therefore need the same memory order.

    Example:
        >>> pack(np.ones((2, 3)).T)[1]
        [1, 0]
    """
    if isinstance(array, RowSparse) and array.rows is not None:
        return {"values": np.array(array), "rows": array.rows.copy()}
    if array.flags.c_contiguous:
        return array.copy()
    axes = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
    return [array.transpose(axes).copy(), axes]


def unpack(packed: PackedArray) -> np.ndarray[Any, Any]:
    """Return the packed array in its original memory order; do not write to it.

    Example:
        >>> unpack(pack(np.ones((2, 3)).T)).flags.f_contiguous
        True
    """
    if isinstance(packed, dict):
        return RowSparse.of(packed["values"], packed["rows"])
    if isinstance(packed, list):
        array, axes = packed
        back: np.ndarray[Any, Any] = array.transpose(np.argsort(axes))
        return back
    whole: np.ndarray[Any, Any] = packed
    return whole


def unpack_state_entry(packed: Any) -> Any:  # noqa: ANN401 - of any kind
    """Return an entry of an optimizer's state, rebuilt from its captured form.

    Example:
        >>> unpack_state_entry({"items": [np.ones(2), 3]})
        [tensor([1., 1.], dtype=gradstep.float64), 3]
    """
    if isinstance(packed, dict):
        return [unpack_state_entry(item) for item in packed["items"]]
    if not isinstance(packed, (np.ndarray, list)):
        return packed
    array = unpack(packed)
    return wrap(array.copy(order="K") if array.flags.writeable else array)
