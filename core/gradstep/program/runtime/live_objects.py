"""Live: the objects a Program consists of while it runs, and what they are called."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from gradstep.errors import OperationError
from gradstep.program.runtime.description import STALE
from gradstep.program.runtime.forward_record import ForwardRecord, Settings
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gradstep import nn
    from gradstep.autograd.tensor import Tensor
    from gradstep.optim import Optimizer
    from gradstep.program.runtime.batch_iterator import Feed
    from gradstep.program.runtime.loop_cursor import LoopCursor
    from gradstep.program.runtime.loss_computation import Loss
    from gradstep.program.runtime.random_stream import Stream

__all__ = ["Live"]


class Live:
    """The objects of a program.

    Every tensor has a key, under which its state is kept: its name, such as "trunk.0.weight", or
    "trunk~1.0.weight" when RebuildModule has replaced it, in its module's generation 1. Operations
    and views know it by its address: its name, or its name and `STALE`.

    Args:
        modules: The modules by name.
        free: The free tensors by name.
        optimizers: The optimizers by name.
        schedulers: The schedulers by name.
        feeds: The data by name.
        losses: How the losses are computed, by name.
        stream: The program's random numbers.
        cursor: Its place in the loop.
        make_module: Makes a fresh module of a name, drawing from the default generator.

    Attributes:
        generations: How often each module was rebuilt.
        kinds: The kind that each optimizer has in the document.
        retired: Replaced modules that an optimizer or a graph still holds, by name and generation.
        values: The last tensor of each loss.
        records: How each loss was last computed.
        unfinished: Value and record of a loss whose Forward is only being walked through.
        totals: By free tensor to which losses were added with their graphs: how many graphs hang at
            it, and how many nodes they have.
        structure: Grows whenever tensors, flags or modes change their meaning.
        effects: Effects seen since then, by what they depend on.
    """

    def __init__(
        self,
        *,
        modules: dict[str, nn.Module],
        free: dict[str, Tensor],
        optimizers: dict[str, Optimizer],
        schedulers: dict[str, Any],
        feeds: dict[str, Feed],
        losses: dict[str, Loss],
        stream: Stream,
        cursor: LoopCursor,
        make_module: Callable[[str], nn.Module],
    ) -> None:
        self.modules = modules
        self.free = free
        self.optimizers = optimizers
        self.schedulers = schedulers
        self.feeds = feeds
        self.losses = losses
        self.stream = stream
        self.cursor = cursor
        self.make_module = make_module
        self.kinds = {name: type(optimizer).__name__ for name, optimizer in optimizers.items()}
        self.generations = dict.fromkeys(modules, 0)
        self.retired: dict[tuple[str, int], nn.Module] = {}
        self.values: dict[str, Tensor | None] = dict.fromkeys(losses)
        self.records: dict[str, ForwardRecord] = {}
        self.unfinished: dict[str, tuple[Tensor, ForwardRecord]] = {}
        self.totals: dict[str, tuple[int, int]] = {}
        self.structure = 0
        self.effects: dict[Any, Any] = {}
        self.refresh()

    def refresh(self) -> None:
        """Name everything again, after tensors were replaced or their flags changed."""
        self.structure += 1
        self.effects.clear()
        self.keys: dict[str, Tensor] = {}
        self.addresses: dict[Tensor, str] = {}
        self.tensors: dict[str, Tensor] = {}
        self.buffers: frozenset[str] = frozenset(
            f"{name}.{inner}"
            for name, module in self.modules.items()
            for inner, _ in module.named_buffers()
        )
        for name, module in self.modules.items():
            for inner, tensor in _named(module):
                self._enter(f"{name}.{inner}", tensor)
        for name, tensor in self.free.items():
            self._enter(name, tensor)
        for (name, generation), module in self.retired.items():
            for inner, tensor in _named(module):
                self.keys[f"{name}~{generation}.{inner}"] = tensor
                self.addresses[tensor] = f"{name}.{inner}{STALE}"
        self.key_of = {tensor: key for key, tensor in self.keys.items()}
        self.held: dict[str, tuple[Tensor, ...]] = {
            name: tuple(chain.from_iterable(group["params"] for group in optimizer.param_groups))
            for name, optimizer in self.optimizers.items()
        }
        self.touched = {name: self._touched(loss) for name, loss in self.losses.items()}
        self.moving = {name: self._moving(loss) for name, loss in self.losses.items()}
        self.random = {name: self._is_random(loss) for name, loss in self.losses.items()}

    def drop_unheld(self) -> None:
        """Forget replaced modules that neither an optimizer nor a graph holds any more."""
        if not self.retired:
            return
        held = {
            parameter
            for optimizer in self.optimizers.values()
            for group in optimizer.param_groups
            for parameter in group["params"]
        }
        held.update(tensor for record in self.records.values() for _, tensor in record.touched)
        self.retired = {
            place: module
            for place, module in self.retired.items()
            if any(tensor in held for _, tensor in _named(module))
        }

    # -- by name -------------------------------------------------------------------------------

    def optimizer(self, name: str) -> Optimizer:
        """Return an optimizer, or tell which there are."""
        found: Optimizer = _found("optimizer", name, self.optimizers)
        return found

    def loss(self, name: str) -> Loss:
        """Return a loss, or tell which there are."""
        found: Loss = _found("loss", name, self.losses)
        return found

    def feed(self, name: str) -> Feed:
        """Return a data set's feed, or tell which there are."""
        found: Feed = _found("data", name, self.feeds)
        return found

    def scheduler(self, name: str) -> Any:  # noqa: ANN401 - any scheduler
        """Return a scheduler, or tell which there are."""
        return _found("scheduler", name, self.schedulers)

    def watches_metric(self, name: str) -> bool:
        """Tell whether a scheduler steps on the value of a loss."""
        return type(self.schedulers[name]).__name__ == "ReduceLROnPlateau"

    def module(self, name: str) -> nn.Module:
        """Return a module, or tell which there are."""
        found: nn.Module = _found("module", name, self.modules)
        return found

    def stepped_losses(self, optimizer: str) -> tuple[str, ...]:
        """Return the losses to train on that are computed from what an optimizer holds, by name.

        A tensor that was replaced stands for the one in its place, as it would in a script.
        """
        held = {self.addresses[tensor].removesuffix(STALE) for tensor in self.held[optimizer]}
        return tuple(
            name
            for name, loss in self.losses.items()
            if not loss.held_out and any(touched in held for touched, _ in self.touched[name])
        )

    # -- before something changes --------------------------------------------------------------

    def keep_values(self) -> None:
        """Let the living graphs keep the values that an Operation is about to change."""
        for record in self.records.values():
            if not record.freed:
                record.keep_values()

    def keep_settings(self) -> None:
        """Let the graphs keep the settings that an Operation is about to change."""
        for name, record in self.records.items():
            if record.settings is None:
                used = self.losses[name].spec.chain
                record.settings = Settings(
                    {touched: tensor.requires_grad for touched, tensor in record.touched},
                    {module: self.training(self.modules[module]) for module in used},
                    {module: self.generations[module] for module in used},
                )

    @staticmethod
    def training(module: nn.Module) -> tuple[bool, ...]:
        """Return the modes of a module and of all inside it."""
        return tuple([inner.training for inner in module.modules()])

    # -- inside --------------------------------------------------------------------------------

    def _enter(self, name: str, tensor: Tensor) -> None:
        self.keys[name] = self.tensors[name] = tensor
        self.addresses[tensor] = name

    def _touched(self, loss: Loss) -> tuple[tuple[str, Tensor], ...]:
        named: dict[str, Tensor] = {}
        for name in loss.spec.chain:
            named |= {f"{name}.{inner}": tensor for inner, tensor in _named(self.modules[name])}
        if loss.expression is not None:
            written = [name for name in loss.expression.names if name in self.tensors]
            named |= {name: self.tensors[name] for name in written}
        return tuple(named.items())

    def _moving(self, loss: Loss) -> tuple[Tensor, ...]:
        """Return the buffers that computing a loss writes: running means, while training."""
        return tuple(
            buffer
            for name in loss.spec.chain
            for inner in self.modules[name].modules()
            if inner.training
            for _, buffer in inner.named_buffers(recurse=False)
        )

    def _is_random(self, loss: Loss) -> bool:
        return any(
            type(inner).__name__.startswith("Dropout") and inner.training
            for name in loss.spec.chain
            for inner in self.modules[name].modules()
        )


def _named(module: nn.Module) -> Iterator[tuple[str, Tensor]]:
    yield from module.named_parameters()
    yield from module.named_buffers()


def _found(what: str, name: str, known: Mapping[str, Any]) -> Any:  # noqa: ANN401 - of many kinds
    try:
        return known[name]
    except KeyError:
        raise OperationError(f"there is no {what} {name!r}", nearest(name, known)) from None
