"""The text of a tensor, as torch prints it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import dtypes
from gradstep.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor

__all__ = ["PrintOptions", "describe", "set_printoptions"]

BIG, SMALL, SPREAD = 1e8, 1e-4, 1e3
"""Limits for the largest value, the smallest, and their ratio; beyond, numbers get an exponent."""


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """Print options of tensors.

    Args:
        precision: Digits after the point.
        threshold: The largest number of elements that is printed in full.
        edgeitems: Elements shown at each end of a dimension of larger tensors.
        linewidth: Characters per line.
        sci_mode: Whether numbers have an exponent; None means only if needed.
    """

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}
options: PrintOptions = PROFILES["default"]
"""The current options."""


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set print options of tensors; an option that is None stays, except `sci_mode`.

    Args:
        precision: Digits after the point; initially 4.
        threshold: The largest number of elements that is printed in full; initially 1000.
        edgeitems: Elements shown at each end of a dimension of larger tensors.
        linewidth: Characters per line.
        profile: "default", "short" or "full": the values of all options not given.
        sci_mode: Whether numbers have an exponent; None means only if needed.

    Example:
        >>> import gradstep
        >>> set_printoptions(precision=2)
        >>> gradstep.tensor([0.123])
        tensor([0.12])
        >>> set_printoptions(profile="default")
    """
    global options  # noqa: PLW0603 - the options have one owner, this module
    found = options
    if profile is not None:
        if profile not in PROFILES:
            raise ArgumentError(
                f"there is no print profile {profile!r}", f"use one of {', '.join(PROFILES)}"
            )
        found = PROFILES[profile]
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    options = replace(found, **chosen, sci_mode=sci_mode)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class _Format:
    """The format of elements: a format specification and a common width."""

    spec: str
    width: int

    def write(self, value: float) -> str:
        text = str(value) if not self.spec else f"{value:{self.spec}}"
        if self.spec == ".0f" and math.isfinite(value):
            text += "."
        return text.rjust(self.width)


def describe(tensor: Tensor) -> str:
    """Return the text of a tensor.

    Example:
        >>> import gradstep
        >>> describe(gradstep.tensor([1.0, 2.5]))
        'tensor([1.0000, 2.5000])'
    """
    array = tensor._array
    prefix = "tensor("
    extras = []
    kind = array.dtype
    if array.size == 0:
        body = "[]"
        if array.ndim != 1:
            extras.append(f"size={tuple(array.shape)}")
        if kind != dtypes.default:
            extras.append(f"dtype=gradstep.{kind.name}")
    else:
        if kind not in {dtypes.default, np.dtype(np.int64), np.dtype(np.bool_)}:
            extras.append(f"dtype=gradstep.{kind.name}")
        shown = _edges(array) if array.size > options.threshold else array
        shorten = array.size > options.threshold
        body = _block(array, len(prefix), _formatter(shown), shorten=shorten)
    if tensor._grad_fn is not None:
        extras.append(f"grad_fn=<{tensor._grad_fn.name()}>")
    elif tensor._requires_grad:
        extras.append("requires_grad=True")
    text = prefix + body
    width = len(text) - text.rfind("\n") + 1
    for extra in extras:
        if width + len(extra) + 2 > options.linewidth:
            text += ",\n" + " " * len(prefix) + extra
            width = len(prefix) + len(extra)
        else:
            text += ", " + extra
            width += len(extra) + 2
    return text + ")"


def _edges(array: NDArray[Any]) -> NDArray[Any]:
    """Return the elements of a large array that are printed."""
    for axis, size in enumerate(array.shape):
        if size > 2 * options.edgeitems:
            keep = [*range(options.edgeitems), *range(size - options.edgeitems, size)]
            array = array.take(keep, axis)
    return array


def _formatter(shown: NDArray[Any]) -> _Format:
    """Return the format for these elements."""
    if shown.dtype.kind != "f":
        return _Format("", max(len(str(value)) for value in shown.ravel().tolist()))
    values = shown[np.isfinite(shown) & (shown != 0)].astype(np.float64)
    if not values.size:
        return _Format(".0f", 1)
    size = np.abs(values)
    low, high = float(size.min()), float(size.max())
    exponent = options.sci_mode
    if exponent is None:
        exponent = high / low > SPREAD or high > BIG or low < SMALL
    if exponent:
        spec, dot = f".{options.precision}e", 0
    elif bool((values == np.ceil(values)).all()):
        spec, dot = ".0f", 1
    else:
        spec, dot = f".{options.precision}f", 0
    return _Format(spec, max(len(f"{value:{spec}}") for value in values.tolist()) + dot)


def _block(array: NDArray[Any], indent: int, form: _Format, *, shorten: bool) -> str:
    """Return the text of an array in brackets, starting at column `indent`."""
    if array.ndim == 0:
        return form.write(array.item())
    shorten_here = shorten and len(array) > 2 * options.edgeitems
    parts = [array[: options.edgeitems], array[-options.edgeitems :]] if shorten_here else [array]
    if array.ndim == 1:
        words = [[form.write(value) for value in part.tolist()] for part in parts]
        flat = [*words[0], " ...", *words[1]] if shorten_here else words[0]
        per_line = max(1, (options.linewidth - indent) // (form.width + 2))
        lines = [", ".join(flat[i : i + per_line]) for i in range(0, len(flat), per_line)]
        between = ",\n" + " " * (indent + 1)
    else:
        blocks = [
            [_block(row, indent + 1, form, shorten=shorten) for row in part] for part in parts
        ]
        lines = [*blocks[0], "...", *blocks[1]] if shorten_here else blocks[0]
        between = "," + "\n" * (array.ndim - 1) + " " * (indent + 1)
    return f"[{between.join(lines)}]"
