"""LayerSpec, the base of all layers: the size of a layer and the shape of its output."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from gradstep.program.schema.limits import MAX_EXTENT, MAX_WIDTH

__all__ = ["Extent", "LayerSpec", "Shape", "ShapeError", "Width", "require_channels"]

Extent = Annotated[int, Meta(ge=1, le=MAX_EXTENT)]
Width = Annotated[int, Meta(ge=1, le=MAX_WIDTH)]
Shape = tuple[int, ...]


class ShapeError(Exception):
    """A layer does not accept a shape: it expects `expected` and gets `given`."""

    def __init__(self, expected: str, given: str) -> None:
        super().__init__(expected, given)
        self.expected = expected
        self.given = given


class LayerSpec(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="kind"
):
    """Base of all layers; by default without parameters and with an output shaped as the input."""

    def num_elements(self) -> int:
        """Return the number of elements in the layer's parameters and buffers."""
        return 0

    def output_shape(self, shape: Shape) -> Shape:
        """Return the output shape for an input of `shape`, batch dimension included.

        Raises:
            ShapeError: If the layer does not accept the input.
        """
        return shape

    def workspace_elements(self, shape: Shape) -> int:  # noqa: ARG002 - most layers need none
        """Return the number of temporary elements for an input of `shape`, besides the output."""
        return 0


def require_channels(shape: Shape, spatial: int, channels: int | None = None) -> Shape:
    """Return `shape` if it is (batch, channels, `spatial` sizes).

    Args:
        shape: The shape of a layer's input.
        spatial: The number of spatial dimensions.
        channels: The number of channels that it must have; None for any.

    Raises:
        ShapeError: If it has another number of dimensions or of channels.

    Example:
        >>> require_channels((10, 3, 8, 8), 2, 3)
        (10, 3, 8, 8)
    """
    if len(shape) != spatial + 2:
        sizes = "height x width" if spatial > 1 else "length"
        raise ShapeError(f"channels x {sizes} (Unflatten makes them)", f"shape {shape}")
    if channels is not None and shape[1] != channels:
        raise ShapeError(f"{channels} channels", f"{shape[1]}")
    return shape
