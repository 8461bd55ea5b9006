"""LiveObjects: the live objects of a Program, with their names and addresses."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from itertools import chain
from typing import TYPE_CHECKING, Any

from gradstep.autograd import grad_mode
from gradstep.errors import OperationError
from gradstep.program.expressions.loss_language import draws_random
from gradstep.program.runtime.descriptions import STALE, OptimizerTensor, optimizer_tensors
from gradstep.program.runtime.forward_record import ForwardRecord, ForwardSettings
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gradstep import nn
    from gradstep.autograd.tensor import Tensor
    from gradstep.optim import Optimizer
    from gradstep.program.operation import AddLoss
    from gradstep.program.runtime.batch_iterator import BatchIterator
    from gradstep.program.runtime.loop_cursor import LoopCursor
    from gradstep.program.runtime.loss_computation import LossComputation
    from gradstep.program.runtime.random_stream import RandomStream

__all__ = ["LiveObjects"]


class LiveObjects:
    """The live objects of a program.

    Every tensor has a key for its state: its name, such as "trunk.0.weight", or "trunk~1.0.weight"
    after RebuildModule replaced generation 1 of its module. Operations and views use its address:
    its name, followed by `STALE` if the tensor was replaced.

    Args:
        modules: The modules by name.
        free_tensors: The free tensors by name.
        optimizers: The optimizers by name.
        schedulers: The schedulers by name.
        batch_iterators: The batch iterators by data set.
        losses: The loss computations by name.
        random_stream: The program's random numbers.
        cursor: The position in the loop.
        make_module: Builds a fresh module by name, drawing from the default generator.

    Attributes:
        initial_loop: The lines of the loop before any was edited.
        generations: The number of times that each module was rebuilt.
        kinds: The kind of each optimizer in the document.
        replaced_modules: Modules that RebuildModule has replaced and that an optimizer or a graph
            still holds, by name and generation.
        loss_values: The last tensor of each loss.
        forward_records: How each loss was last computed.
        losses_in_progress: Value and record of a loss whose Forward is being stepped through.
        running_totals: For each free tensor to which losses were added with their graphs, the
            number of graphs that it keeps alive, and of their nodes.
        structure_version: Increases when tensors are replaced, or flags or modes change.
        effect_cache: The effects of Operations since the last such change, by the Operation and
            whatever else determines the effect.
    """

    def __init__(
        self,
        *,
        modules: dict[str, nn.Module],
        free_tensors: dict[str, Tensor],
        optimizers: dict[str, Optimizer],
        schedulers: dict[str, Any],
        batch_iterators: dict[str, BatchIterator],
        losses: dict[str, LossComputation],
        random_stream: RandomStream,
        cursor: LoopCursor,
        make_module: Callable[[str], nn.Module],
    ) -> None:
        self.modules = modules
        self.free_tensors = free_tensors
        self.optimizers = optimizers
        self.schedulers = schedulers
        self.batch_iterators = batch_iterators
        self.losses = losses
        self.random_stream = random_stream
        self.cursor = cursor
        self.initial_loop = cursor.lines
        self.make_module = make_module
        self.kinds = {name: type(optimizer).__name__ for name, optimizer in optimizers.items()}
        self.generations = dict.fromkeys(modules, 0)
        self.replaced_modules: dict[tuple[str, int], nn.Module] = {}
        self.loss_values: dict[str, Tensor | None] = dict.fromkeys(losses)
        self.forward_records: dict[str, ForwardRecord] = {}
        self.losses_in_progress: dict[str, tuple[Tensor, ForwardRecord]] = {}
        self.running_totals: dict[str, tuple[int, int]] = {}
        self.structure_version = 0
        self.effect_cache: dict[Any, Any] = {}
        self.refresh()

    def refresh(self) -> None:
        """Rebuild the name tables after tensors were replaced or their flags changed."""
        self.structure_version += 1
        self.effect_cache.clear()
        self.keys: dict[str, Tensor] = {}
        self.addresses: dict[Tensor, str] = {}
        self.tensors: dict[str, Tensor] = {}
        self.buffers: frozenset[str] = frozenset(
            f"{name}.{inner}"
            for name, module in self.modules.items()
            for inner, _ in module.named_buffers()
        )
        for name, module in self.modules.items():
            for inner, tensor in _named_tensors(module):
                self._register(f"{name}.{inner}", tensor)
        for name, tensor in self.free_tensors.items():
            self._register(name, tensor)
        for (name, generation), module in self.replaced_modules.items():
            for inner, tensor in _named_tensors(module):
                self.keys[f"{name}~{generation}.{inner}"] = tensor
                self.addresses[tensor] = f"{name}.{inner}{STALE}"
        self.key_of = {tensor: key for key, tensor in self.keys.items()}
        self.held_tensors: dict[str, tuple[Tensor, ...]] = {
            name: tuple(chain.from_iterable(group["params"] for group in optimizer.param_groups))
            for name, optimizer in self.optimizers.items()
        }
        self.loss_tensors = {name: self._loss_tensors(loss) for name, loss in self.losses.items()}
        self.running_buffers = {
            name: self._running_buffers(loss) for name, loss in self.losses.items()
        }
        self.draws_random = {name: self._is_random(loss) for name, loss in self.losses.items()}

    def drop_unused_modules(self) -> None:
        """Remove replaced modules that neither an optimizer nor a graph holds."""
        if not self.replaced_modules:
            return
        held = {
            parameter
            for optimizer in self.optimizers.values()
            for group in optimizer.param_groups
            for parameter in group["params"]
        }
        held.update(
            tensor for record in self.forward_records.values() for _, tensor in record.tensors
        )
        self.replaced_modules = {
            key: module
            for key, module in self.replaced_modules.items()
            if any(tensor in held for _, tensor in _named_tensors(module))
        }

    # -- lookup by name ------------------------------------------------------------------------

    def optimizer_tensors(self) -> tuple[OptimizerTensor, ...]:
        """Return the tensors that every optimizer holds, in order."""
        return optimizer_tensors(self.optimizers, self.addresses, self.tensors)

    def optimizer(self, name: str) -> Optimizer:
        """Return an optimizer; raise an OperationError if there is none of this name."""
        found: Optimizer = _lookup("optimizer", name, self.optimizers)
        return found

    def loss(self, name: str) -> LossComputation:
        """Return a loss; raise an OperationError if there is none of this name."""
        found: LossComputation = _lookup("loss", name, self.losses)
        return found

    def batch_iterator(self, name: str) -> BatchIterator:
        """Return a data set's iterator; raise an OperationError if there is none of this name."""
        found: BatchIterator = _lookup("data", name, self.batch_iterators)
        return found

    def scheduler(self, name: str) -> Any:  # noqa: ANN401 - any scheduler
        """Return a scheduler; raise an OperationError if there is none of this name."""
        return _lookup("scheduler", name, self.schedulers)

    def watches_metric(self, name: str) -> bool:
        """Return whether a scheduler monitors the value of a loss."""
        return type(self.schedulers[name]).__name__ == "ReduceLROnPlateau"

    def module(self, name: str) -> nn.Module:
        """Return a module; raise an OperationError if there is none of this name."""
        found: nn.Module = _lookup("module", name, self.modules)
        return found

    def stepped_losses(self, optimizer: str) -> tuple[str, ...]:
        """Return the names of the training losses that depend on an optimizer's tensors.

        Not those that another one reads, which are computed with it. A replaced tensor counts as
        the tensor that replaced it, as it would in a script.
        """
        held = {
            self.addresses[tensor].removesuffix(STALE) for tensor in self.held_tensors[optimizer]
        }
        found = {
            name: loss
            for name, loss in self.losses.items()
            if not loss.held_out and any(touched in held for touched, _ in self.loss_tensors[name])
        }
        parts = {part for loss in found.values() for part in loss.part_names}
        return tuple(name for name in found if name not in parts)

    def running_total(self, operation: AddLoss) -> Tensor:
        """Return the running total of an AddLoss.

        Raises:
            OperationError: If there is no such loss or free tensor, or it cannot be a total.
        """
        self.loss(operation.loss)
        name = operation.tensor
        total = self.free_tensors.get(name)
        if total is None:
            raise OperationError(
                f"there is no free tensor {name!r}", nearest(name, self.free_tensors)
            )
        if total._array.size != 1 or total._array.dtype.kind != "f":
            raise OperationError(
                f"{name} is not a single number, so it cannot be a running total",
                'set its "value" to 0.0',
            )
        if total.requires_grad:
            raise OperationError(
                f"{name} requires a gradient, so nothing can be added to it in place",
                'remove "requires_grad"',
            )
        users = [
            loss for loss, used in self.loss_tensors.items() if any(key == name for key, _ in used)
        ]
        if users:
            raise OperationError(
                f"{users[0]} is computed from {name}, so {name} cannot be a running total",
                "add to another tensor",
            )
        return total

    # -- computing and replacing ---------------------------------------------------------------

    def compute(
        self,
        loss: LossComputation,
        inputs: Tensor | None,
        targets: Tensor | None,
        record: ForwardRecord | None = None,
        modules: Mapping[str, nn.Module] | None = None,
    ) -> Tensor:
        """Compute a loss with the current modules and tensors, or those of an earlier Forward.

        A loss over held-out rows records no graph.
        """
        chain = self.modules if modules is None else modules
        tensors = self.tensors if record is None else {**self.tensors, **dict(record.tensors)}
        if not loss.held_out and not loss.warning:
            return loss.compute(chain, tensors, inputs, targets)
        with warnings.catch_warnings(), grad_mode.no_grad() if loss.held_out else nullcontext():
            if loss.warning:  # the OperationEffect's message reports it once
                warnings.simplefilter("ignore")
            return loss.compute(chain, tensors, inputs, targets)

    def replace_optimizer(self, name: str, fresh: Optimizer) -> None:
        """Replace an optimizer, also in its schedulers."""
        old = self.optimizers[name]
        self.optimizers[name] = fresh
        for scheduler in self.schedulers.values():
            if scheduler.optimizer is old:
                scheduler.optimizer = fresh

    # -- before something changes --------------------------------------------------------------

    def save_graph_values(self) -> None:
        """Save the values of live graphs that an Operation is about to change."""
        for record in self.forward_records.values():
            if not record.freed:
                record.save_original_values()

    def save_graph_settings(self) -> None:
        """Save the settings of graphs that an Operation is about to change."""
        for name, record in self.forward_records.items():
            if record.settings is None:
                used = self.losses[name].modules
                record.settings = ForwardSettings(
                    {touched: tensor.requires_grad for touched, tensor in record.tensors},
                    {module: self.training(self.modules[module]) for module in used},
                    {module: self.generations[module] for module in used},
                )

    @staticmethod
    def training(module: nn.Module) -> tuple[bool, ...]:
        """Return the modes of a module and all its submodules."""
        return tuple([inner.training for inner in module.modules()])

    # -- internals -----------------------------------------------------------------------------

    def _register(self, name: str, tensor: Tensor) -> None:
        self.keys[name] = self.tensors[name] = tensor
        self.addresses[tensor] = name

    def _loss_tensors(self, loss: LossComputation) -> tuple[tuple[str, Tensor], ...]:
        named: dict[str, Tensor] = {}
        for name in loss.modules:
            named |= {
                f"{name}.{inner}": tensor for inner, tensor in _named_tensors(self.modules[name])
            }
        for expression in loss.expressions:
            read = [name for name in expression.names if name in self.tensors]
            named |= {name: self.tensors[name] for name in read}
        return tuple(named.items())

    def _running_buffers(self, loss: LossComputation) -> tuple[Tensor, ...]:
        """Return the buffers that computing a loss writes: running statistics in training mode."""
        if loss.in_evaluation_mode:
            return ()
        return tuple(
            buffer
            for name in loss.modules
            for inner in self.modules[name].modules()
            if inner.training
            for _, buffer in inner.named_buffers(recurse=False)
        )

    def _is_random(self, loss: LossComputation) -> bool:
        return any(map(draws_random, loss.expressions)) or (
            not loss.in_evaluation_mode
            and any(
                type(inner).__name__.startswith("Dropout") and inner.training
                for name in loss.modules
                for inner in self.modules[name].modules()
            )
        )


def _named_tensors(module: nn.Module) -> Iterator[tuple[str, Tensor]]:
    yield from module.named_parameters()
    yield from module.named_buffers()


def _lookup(what: str, name: str, known: Mapping[str, Any]) -> Any:  # noqa: ANN401 - of many kinds
    try:
        return known[name]
    except KeyError:
        raise OperationError(f"there is no {what} {name!r}", nearest(name, known)) from None
