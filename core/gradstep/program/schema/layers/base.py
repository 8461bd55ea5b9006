"""What all layers of a program share: the elements they hold, the shapes they make."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from gradstep.program.schema.limits import MAX_EXTENT, MAX_WIDTH

__all__ = ["Extent", "LayerSpec", "Shape", "ShapeError", "Width", "channelled"]

Extent = Annotated[int, Meta(ge=1, le=MAX_EXTENT)]
Width = Annotated[int, Meta(ge=1, le=MAX_WIDTH)]
Shape = tuple[int, ...]


class ShapeError(Exception):
    """A shape that a layer cannot take: `wanted` by the layer, against what it is `given`."""

    def __init__(self, wanted: str, given: str) -> None:
        super().__init__(wanted, given)
        self.wanted = wanted
        self.given = given


class LayerSpec(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="kind"
):
    """What layers share: no elements of their own, and a shape that they leave as it is."""

    def elements(self) -> int:
        """Return how many parameter elements the layer will hold."""
        return 0

    def output_shape(self, shape: Shape) -> Shape:
        """Return the shape that the layer makes of `shape`, batch dimension included."""
        return shape

    def scratch(self, shape: Shape) -> int:  # noqa: ARG002 - most need nothing
        """Return how many numbers the layer needs besides its input of `shape` and its output."""
        return 0


def channelled(shape: Shape, spatial: int, channels: int | None = None) -> Shape:
    """Return `shape`, when it is (batch, channels, `spatial` sizes).

    Raises:
        ShapeError: It is not, or has not as many channels as wanted.

    Example:
        >>> channelled((10, 3, 8, 8), 2, 3)
        (10, 3, 8, 8)
    """
    if len(shape) != spatial + 2:
        sizes = "height x width" if spatial > 1 else "length"
        raise ShapeError(f"channels x {sizes} (Unflatten makes them)", f"shape {shape}")
    if channels is not None and shape[1] != channels:
        raise ShapeError(f"{channels} channels", f"{shape[1]}")
    return shape
