"""Check the sizes and shapes of modules before anything is allocated."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from gradstep.errors import ProgramError
from gradstep.program.schema.layers.base import ShapeError
from gradstep.program.schema.limits import MAX_ELEMENTS, MAX_LAYERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gradstep.program.schema.layers.basic import Layer
    from gradstep.program.schema.program_spec import ProgramSpec

__all__ = ["chain_shape", "check_size"]


def check_size(spec: ProgramSpec) -> None:
    """Reject modules that would not fit in memory.

    Example:
        >>> from gradstep.program.document.codec import decode
        >>> check_size(decode(
        ...     b'{"gradstep": 1, "modules": {"m": [{"kind": "Linear", "in_features": 99999,'
        ...     b' "out_features": 99999}]}}'))
        Traceback (most recent call last):
        gradstep.errors.ProgramError: $.modules.m[0]: Linear has 9,999,900,000 parameters;
        use at most 50,000,000 in the whole program
    """
    layers = elements = 0
    for name, module in spec.modules.items():
        for index, layer in enumerate(module):
            layers += 1
            elements += layer.num_elements()
            if elements > MAX_ELEMENTS:
                raise ProgramError(
                    f"$.modules.{name}[{index}]",
                    f"{type(layer).__name__} has {layer.num_elements():,} parameters",
                    f"use at most {MAX_ELEMENTS:,} in the whole program",
                )
        if layers > MAX_LAYERS:
            raise ProgramError(
                f"$.modules.{name}", f"{layers} layers up to here", f"use at most {MAX_LAYERS}"
            )


def chain_shape(
    modules: Mapping[str, Sequence[Layer]],
    chain: Sequence[str],
    shape: tuple[int, ...],
    source: str,
) -> tuple[int, ...]:
    """Return the output shape of a chain of modules.

    Args:
        modules: The layers of each module.
        chain: The modules, in order.
        shape: The shape of an input batch.
        source: The source of the batch, for messages, such as "the data a".

    Raises:
        ProgramError: If a layer does not accept its input shape, or its output is too large.

    Example:
        >>> from gradstep.program.document.codec import decode
        >>> spec = decode(
        ...     b'{"gradstep": 1, "modules": {"m": [{"kind": "Linear", "in_features": 2,'
        ...     b' "out_features": 3}]}}')
        >>> chain_shape(spec.modules, ["m"], (10, 4), "the data a")
        Traceback (most recent call last):
        gradstep.errors.ProgramError: $.modules.m[0]: Linear expects 2 inputs, but the data a gives
        4; make the two match
    """
    for name in chain:
        for index, layer in enumerate(modules[name]):
            place = f"$.modules.{name}[{index}]"
            kind = type(layer).__name__
            try:
                output = layer.output_shape(shape)
                needed = max(prod(output), layer.workspace_elements(shape))
            except ShapeError as error:
                raise ProgramError(
                    place,
                    f"{kind} expects {error.expected}, but {source} gives {error.given}",
                    "make the two match",
                ) from None
            shape = output
            if needed > MAX_ELEMENTS:
                raise ProgramError(
                    place,
                    f"{kind} produces {needed:,} numbers per batch",
                    "use smaller batches or layers",
                )
            source = f"{name}[{index}]"
    return shape
