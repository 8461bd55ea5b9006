"""The names of series: how they are built and parsed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast

from gradstep.errors import GradStepError

__all__ = [
    "OUTPUT",
    "SeriesName",
    "element",
    "gradient_of",
    "loss",
    "norm",
    "output",
    "parse",
    "update",
]

SeriesKind = Literal["loss", "norm", "element", "update", "output"]

OUTPUT = ".output"
"""The end of the address of a layer's output."""

_PATTERN = re.compile(
    r"(?:(?P<kind>loss|norm|update|output)|(?P<element>element))/(?P<name>.+?)(?P<grad>\.grad)?"
    r"(?(element)\[(?P<index>(?:\d{1,18}(?:,\d{1,18})*)?)\])"
)


@dataclass(frozen=True, slots=True)
class SeriesName:
    """The parsed name of a series.

    Args:
        kind: "loss", "norm", "element", "update" (the norm of a step's change), or "output" (the
            norm of a layer's output).
        name: The loss, the tensor, or the layer.
        gradient: Whether it is of the tensor's `.grad`.
        index: The index of the element; `()` for a scalar.
    """

    kind: SeriesKind
    name: str
    gradient: bool = False
    index: tuple[int, ...] = ()

    @property
    def address(self) -> str:
        """The address that an Operation writes when it changes this series.

        Example:
            >>> parse("element/model.0.weight.grad[0,3]").address
            'model.0.weight.grad'
        """
        if self.kind == "output":
            return f"{self.name}{OUTPUT}"
        return f"{self.name}.grad" if self.gradient else self.name

    @property
    def label(self) -> str:
        """A short name for a legend.

        Example:
            >>> parse("element/model.0.weight.grad[0,3]").label
            'model.0.weight[0,3]'
            >>> parse("norm/model.0.weight").label
            '|model.0.weight|'
            >>> parse("output/model.1").label
            '|model.1.output|'
        """
        if self.kind == "loss":
            return self.name
        if self.kind == "element":
            return f"{self.name}[{','.join(map(str, self.index))}]" if self.index else self.name
        delta = "\N{GREEK CAPITAL LETTER DELTA} " if self.kind == "update" else ""
        return f"|{delta}{self.address if self.kind == 'output' else self.name}|"


def loss(name: str) -> str:
    """Return the column of a loss's value."""
    return f"loss/{name}"


def norm(tensor: str) -> str:
    """Return the column of the Euclidean norm of a tensor's data."""
    return f"norm/{tensor}"


def update(tensor: str) -> str:
    """Return the column of the norm of a tensor's change in an iteration."""
    return f"update/{tensor}"


def output(layer: str) -> str:
    """Return the column of the norm of a layer's output."""
    return f"output/{layer}"


def element(tensor: str, index: tuple[int, ...]) -> str:
    """Return the column of one element of a tensor's data.

    Example:
        >>> element("model.0.weight", (0, 3))
        'element/model.0.weight[0,3]'
    """
    return f"element/{tensor}[{','.join(map(str, index))}]"


def gradient_of(column: str) -> str:
    """Return the column that holds the `.grad` of what `column` holds.

    Example:
        >>> gradient_of("element/x[1]"), gradient_of("norm/x[1]")
        ('element/x.grad[1]', 'norm/x[1].grad')
    """
    if not column.startswith("element/"):
        return f"{column}.grad"
    head, bracket, tail = column.rpartition("[")
    return f"{head}.grad{bracket}{tail}"


def parse(column: str) -> SeriesName:
    """Parse the name of a series.

    Raises:
        GradStepError: It is not the name of a series.

    Example:
        >>> parse("element/x.grad[1]")
        SeriesName(kind='element', name='x', gradient=True, index=(1,))
    """
    found = _PATTERN.fullmatch(column)
    if found is None:
        raise GradStepError(
            f"'{column}' is not a series", "use a name such as 'norm/model.0.weight'"
        )
    digits = found["index"]
    return SeriesName(
        kind=cast("SeriesKind", found["kind"] or found["element"]),
        name=found["name"],
        gradient=found["grad"] is not None,
        index=tuple(int(part) for part in digits.split(",")) if digits else (),
    )
