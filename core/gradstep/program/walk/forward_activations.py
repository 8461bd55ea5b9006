"""Activations: the outputs of a program's modules and layers, as a Forward computed them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gradstep.autograd.tensor import Tensor
from gradstep.nn.attention import MultiheadAttention
from gradstep.nn.module_hooks import watched
from gradstep.program.walk.node_origins import module_names, without_side_effects

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from gradstep.nn.module import Module
    from gradstep.program.runtime.forward_record import ForwardRecord
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["activation_losses", "capture_activations", "last_activations"]


def activation_losses(live: LiveObjects) -> Mapping[str, tuple[str, ...]]:
    """Return the losses that run each module and each layer, by the layer's full name."""
    found: dict[str, tuple[str, ...]] = {}
    for loss in live.losses.values():
        for module in loss.modules:
            for path in _called_modules(live.modules[module]):
                name = f"{module}.{path}" if path else module
                found[name] = (*found.get(name, ()), loss.name)
    return found


def _called_modules(module: Module) -> Iterator[str]:
    """Return the paths of a module and of those inside it that are called.

    MultiheadAttention, as torch's, only reads the parameters of its `out_proj`: that has no output.
    """
    layers = dict(module.named_modules())
    inside = tuple(f"{path}." for path in layers if isinstance(layers[path], MultiheadAttention))
    return (path for path in layers if not path.startswith(inside))


def last_activations(live: LiveObjects, loss: str) -> Mapping[str, NDArray[Any]] | None:
    """Return the outputs of the last Forward of a loss, by the full name of the layer.

    The Forward is computed again on the same batch, without side effects.

    Returns:
        Copies; of a layer that is called several times, the last output. None if there was no
        Forward, or if autograd has noticed a change of something that it used. A write through
        `.data` is not noticed.
    """
    record = live.forward_records.get(loss)
    if record is None or not _is_unchanged(live, record):
        return None
    with without_side_effects(live, loss), capture_activations(live) as found:
        if record.generator is not None:
            live.random_stream.set_default_state(record.generator)
        live.compute(live.loss(loss), record.inputs, record.targets, record)
    return found


@contextmanager
def capture_activations(live: LiveObjects) -> Iterator[Mapping[str, NDArray[Any]]]:
    """Collect the last output of each layer that runs inside a `with` block, by its full name."""
    names = module_names(live)
    found: dict[str, NDArray[Any]] = {}

    def leave(module: Module, _args: tuple[Any, ...], output: Any) -> None:  # noqa: ANN401 - a layer's
        first = output[0] if isinstance(output, tuple) and output else output
        if module in names and isinstance(first, Tensor):
            found[names[module]] = first._array.copy()  # a later layer may write to it in place

    with watched(after=leave):
        yield found


def _is_unchanged(live: LiveObjects, record: ForwardRecord) -> bool:
    return (
        record.settings is None
        and record.structure == live.structure_version
        and record.versions == tuple([tensor._version for _, tensor in record.tensors])
    )
