"""The tensors, optimizers and losses of a script, with the values that its Events have left."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd.graph import Node
from gradstep.autograd.graph import walk as walk_graph
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ReplayError
from gradstep.program import operation as ops
from gradstep.program.state.program_state import ProgramState, pack, unpack, unpack_state_entry
from gradstep.script.measured import MeasuredNorms
from gradstep.script.mirrored_graph import mirrored_loss
from gradstep.script.mirrored_optimizers import (
    drop_state,
    mirrored_optimizer,
    set_options,
    set_state,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.optim import Optimizer
    from gradstep.script.tape import ScriptRun, TapeRow

__all__ = ["MirroredState"]


_UNREAD = np.empty(0)
"""Stands for the value of a loss that was not read."""


class MirroredState:
    """What a script has, as GradStep's own objects.

    Nothing is computed here: every value is one that the script's process has sent.

    Args:
        run: What is known of the run; all its tensors and optimizers are there from the start.

    Attributes:
        tensors: Every named tensor.
        names: Their names.
        optimizers: The optimizers by name.
        losses: The last tensor of each loss.
        unread: Those of them whose value the script's agent has not read.
        measured: The norms that were measured where values were not recorded.
        graphs: The number of the graph of each loss that was computed.
    """

    def __init__(self, run: ScriptRun) -> None:
        self._run = run
        self.measured = MeasuredNorms(run.measured)
        self.tensors: dict[str, Tensor] = {}
        for name, array in run.initial.items():
            if name.removesuffix(".grad") not in self.tensors:
                tensor = self.tensors[name] = wrap(array.copy())
                tensor._requires_grad = name in run.trained
        self.names = {tensor: name for name, tensor in self.tensors.items()}
        self.optimizers: dict[str, Optimizer] = {
            name: mirrored_optimizer(known, self.tensors) for name, known in run.optimizers.items()
        }
        self.losses: dict[str, Tensor | None] = dict.fromkeys(run.losses)
        self.unread: set[str] = set()
        self.graphs: dict[str, int | None] = {}
        for address, array in run.initial.items():
            if address.endswith(".grad") and address.removesuffix(".grad") in self.tensors:
                self._write(address, array)

    def apply(self, row: TapeRow) -> None:
        """Write what an Event wrote."""
        for name, groups in row.options.items():
            if name in self.optimizers:
                set_options(self.optimizers[name], groups)
        for address, array in row.values.items():
            self._write(address, array)
        self.measured.take(row)
        match row.operation:
            case ops.Step() if row.loss is not None:  # it evaluates the loss itself
                for name in self.losses.keys() & set(row.writes):
                    self._compute(name, np.array(row.loss), None)
            case ops.Forward(loss=loss):
                value = _UNREAD if row.loss is None else np.array(row.loss)
                self._compute(loss, value, row.graph)
            case ops.Backward(loss=loss):
                self._backpropagate(loss, row)
            case ops.Freeze(frozen=frozen):
                for name in row.writes:
                    self.tensors[name]._requires_grad = not frozen

    def _backpropagate(self, loss: str, row: TapeRow) -> None:
        """Note what a Backward shows besides its values: what is trained, and a freed graph."""
        for address in row.writes:
            if address.endswith(".grad"):  # what got one required it, whatever it did first
                self.tensors[address.removesuffix(".grad")]._requires_grad = True
        value = self.losses.get(loss)
        if value is not None:
            for node in walk_graph(value.grad_fn):
                node.release()

    def _compute(self, loss: str, value: NDArray[Any], graph: int | None) -> None:
        nodes = () if graph is None else self._run.graphs[graph]
        if value.size:
            self.unread.discard(loss)
        else:
            self.unread.add(loss)
            value = np.array(np.nan)
        self.losses[loss] = mirrored_loss(value, nodes, self.tensors)
        self.graphs[loss] = graph

    def _write(self, address: str, array: NDArray[Any] | None) -> None:
        if "/" in address:
            optimizer, _, rest = address.partition("/")
            name, _, key = rest.rpartition("/")
            if optimizer not in self.optimizers or name not in self.tensors:
                return
            if array is None:
                drop_state(self.optimizers[optimizer], self.tensors[name], key)
            else:
                set_state(self.optimizers[optimizer], self.tensors[name], key, array)
        elif address in self.tensors:
            if array is not None:
                tensor = self.tensors[address]
                tensor._array = _written(tensor._array, array)
                tensor._version_counter[0] += 1  # as a write in place does
        elif address.endswith(".grad") and address.removesuffix(".grad") in self.tensors:
            tensor = self.tensors[address.removesuffix(".grad")]
            if array is None or tensor._grad is None:
                tensor._grad = None if array is None else wrap(array.copy())
            else:
                tensor._grad._array = _written(tensor._grad._array, array)

    def capture(self, iteration: int, position: int) -> ProgramState:
        """Return the whole state, at a moment of the tape."""
        return ProgramState(
            {name: _captured(tensor) for name, tensor in self.tensors.items()},
            [],
            {name: self._captured_optimizer(item) for name, item in self.optimizers.items()},
            {},
            None,
            {},
            {
                name: {
                    "value": _UNREAD if name in self.unread else np.array(value._array),
                    "graph": self.graphs.get(name),
                    "freed": isinstance(value._grad_fn, Node) and value._grad_fn.freed,
                }
                for name, value in self.losses.items()
                if value is not None
            },
            [iteration, position],
        )

    def restore(self, state: ProgramState) -> int:
        """Restore a captured state; return its position on the tape.

        Raises:
            ReplayError: It is a state of something else.
        """
        if not set(state.tensors) <= set(self.tensors) or not set(state.losses) <= set(self.losses):
            raise ReplayError("the state belongs to another script", "record the script again")
        try:
            self._restore(state)
            return int(state.cursor[1])
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise ReplayError(
                f"the state cannot be read: {type(error).__name__}", "record the script again"
            ) from error

    def _restore(self, state: ProgramState) -> None:
        for name, (data, grad, version, _, requires_grad) in state.tensors.items():
            if type(version) is not int or version < 0 or type(requires_grad) is not bool:
                raise ReplayError(f"the state of {name} is damaged", "record the script again")
            tensor = self.tensors[name]
            tensor._array = np.array(unpack(data), order="K")
            tensor._grad = None if grad is None else wrap(np.array(unpack(grad), order="K"))
            tensor._version_counter = [version]
            tensor._requires_grad = requires_grad
        for name, saved in state.optimizers.items():
            optimizer = self.optimizers[name]
            optimizer.state = defaultdict(dict)
            for key, entries in saved["state"].items():
                optimizer.state[self.tensors[key]] = {
                    entry: unpack_state_entry(value) for entry, value in entries.items()
                }
            set_options(optimizer, tuple(saved["groups"]))
            optimizer.has_stepped = bool(saved["stepped"])
            optimizer._forget_batches()
        self.losses = dict.fromkeys(self.losses)
        for name, loss in state.losses.items():
            graph = loss["graph"]
            if graph is not None and not 0 <= graph < len(self._run.graphs):
                raise ReplayError("the state has an unknown graph", "record the script again")
            self._compute(name, loss["value"], graph)
            if loss["freed"]:
                for node in walk_graph(self.losses[name].grad_fn):  # type: ignore[union-attr]
                    node.release()

    def _captured_optimizer(self, optimizer: Optimizer) -> dict[str, Any]:
        return {
            "groups": [
                {key: value for key, value in group.items() if key not in {"params", "param_names"}}
                for group in optimizer.param_groups
            ],
            "state": {
                self.names[tensor]: {
                    key: pack(value._array) if isinstance(value, Tensor) else value
                    for key, value in entries.items()
                }
                for tensor, entries in optimizer.state.items()
            },
            "stepped": optimizer.has_stepped,
            "kind": type(optimizer).__name__,
        }


def _captured(tensor: Tensor) -> list[Any]:
    grad = tensor._grad
    return [
        pack(tensor._array),
        None if grad is None else pack(grad._array),
        tensor._version,
        0 if grad is None else grad._version,
        tensor._requires_grad,
    ]


def _written(values: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
    """Write values in place, so that who holds the array sees that they changed.

    Returns:
        The array; a new one where the shape or the element type is another.
    """
    if values.shape != new.shape or values.dtype != new.dtype:
        return new.copy()
    values[...] = new
    return values
