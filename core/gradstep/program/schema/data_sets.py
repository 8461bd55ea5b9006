"""The data sets a program may name: what each kind takes."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from gradstep.program.schema.limits import MAX_SAMPLES, MAX_WIDTH

__all__ = [
    "Blobs",
    "Circles",
    "Csv",
    "Data",
    "Diabetes",
    "Digits",
    "Gaussian",
    "Inline",
    "Iris",
    "Moons",
    "Npy",
    "Polynomial",
    "Sine",
    "Spirals",
    "StraightLine",
    "Xor",
]

Count = Annotated[int, Meta(ge=1, le=MAX_SAMPLES)]
Width = Annotated[int, Meta(ge=1, le=MAX_WIDTH)]
Noise = Annotated[float, Meta(ge=0, le=1e6)]
Number = Annotated[float, Meta(ge=-1e9, le=1e9)]
Path = Annotated[str, Meta(min_length=1, max_length=1024)]
Columns = Annotated[list[str], Meta(min_length=1, max_length=10_000)]
Nested = Annotated[list[Any], Meta(min_length=1, max_length=MAX_SAMPLES)]


class DataSpec(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    tag_field="kind",
):
    """What data sets of every kind share.

    Attributes:
        batch_size: Rows in a batch; None for all of them.
        shuffle: Draw a new order at the start of every epoch.
        drop_last: Leave out a last batch that is not full.
        standardize: Shift and scale every input column to mean 0 and standard deviation 1,
            with the figures of the training rows.
        limit: Use only so many rows, from the first.
        validation: The share of rows, drawn at random, that only `"rows": "validation"` sees.
        seed: Of the random numbers that the kind needs; None for the program's own.
    """

    batch_size: Count | None = None
    shuffle: bool = False
    drop_last: bool = False
    standardize: bool = False
    limit: Count | None = None
    validation: Annotated[float, Meta(ge=0, lt=1)] = 0.0
    seed: Annotated[int, Meta(ge=0, lt=2**32)] | None = None


class Inline(DataSpec, frozen=True, kw_only=True, tag="inline"):
    """Numbers written in the document; whole numbers in a flat `targets` are class labels.

    Example:
        >>> Inline(inputs=[[1.0], [2.0]], targets=[[3.0], [5.0]]).batch_size is None
        True
    """

    inputs: Nested
    targets: Nested | None = None


class StraightLine(DataSpec, frozen=True, tag="line"):
    """`y = slope * x + intercept`, x evenly from `low` to `high`."""

    samples: Count = 100
    slope: Number = 2.0
    intercept: Number = 0.0
    noise: Noise = 0.0
    low: Number = -1.0
    high: Number = 1.0


class Polynomial(DataSpec, frozen=True, tag="polynomial"):
    """`y = c0 + c1 x + c2 x^2 ...`; the inputs are the powers of x from 1 on."""

    samples: Count = 100
    coefficients: Annotated[tuple[Number, ...], Meta(min_length=2, max_length=16)] = (
        0.0,
        1.0,
        -2.0,
        1.0,
    )
    noise: Noise = 0.0
    low: Number = -1.0
    high: Number = 1.0


class Sine(DataSpec, frozen=True, tag="sine"):
    """`y = amplitude * sin(frequency * x + phase)`."""

    samples: Count = 100
    amplitude: Number = 1.0
    frequency: Number = 1.0
    phase: Number = 0.0
    noise: Noise = 0.0
    low: Number = -3.141592653589793
    high: Number = 3.141592653589793


class Moons(DataSpec, frozen=True, tag="moons"):
    """Two half circles that interlock; classes 0 and 1."""

    samples: Count = 100
    noise: Noise = 0.0


class Circles(DataSpec, frozen=True, tag="circles"):
    """A circle around a smaller one, `factor` times its radius; classes 0 and 1."""

    samples: Count = 100
    noise: Noise = 0.0
    factor: Annotated[float, Meta(gt=0, lt=1)] = 0.5


class Spirals(DataSpec, frozen=True, tag="spirals"):
    """Arms that wind around the origin `turns` times; one class an arm."""

    samples: Count = 100
    classes: Annotated[int, Meta(ge=2, le=100)] = 2
    turns: Annotated[float, Meta(gt=0, le=100)] = 1.0
    noise: Noise = 0.0


class Blobs(DataSpec, frozen=True, tag="blobs"):
    """Round clouds of standard deviation `spread` about random centers; one class a cloud."""

    samples: Count = 100
    centers: Annotated[int, Meta(ge=1, le=1000)] = 3
    features: Width = 2
    spread: Noise = 1.0


class Xor(DataSpec, frozen=True, tag="xor"):
    """The four corners 0/1 in turn; class 1 where the two inputs differ."""

    samples: Count = 4
    noise: Noise = 0.0


class Gaussian(DataSpec, frozen=True, tag="gaussian"):
    """Normal random inputs and normal random targets: nothing to learn, but much to fit."""

    samples: Count = 100
    inputs: Width = 1
    targets: Width = 1


class Csv(DataSpec, frozen=True, kw_only=True, tag="csv"):
    """A text table of your own.

    Attributes:
        path: The file, relative to the program.
        inputs: Names (or numbers from 0, without a header) of the input columns; None for all
            but the target.
        target: The target column; None for no target.
        classes: The target column holds class labels: whole numbers, or words.
        header: The first line holds the names of the columns.
        delimiter: What stands between two cells.
    """

    path: Path
    inputs: Columns | None = None
    target: str | None = None
    classes: bool = False
    header: bool = True
    delimiter: Annotated[str, Meta(min_length=1, max_length=1)] = ","


class Npy(DataSpec, frozen=True, kw_only=True, tag="npy"):
    """NumPy arrays of your own: one file for the inputs and one for the targets."""

    inputs: Path
    targets: Path | None = None


class Iris(DataSpec, frozen=True, tag="iris"):
    """150 flowers, 4 measures, 3 species (Fisher 1936)."""


class Digits(DataSpec, frozen=True, tag="digits"):
    """1797 handwritten digits of 8 by 8 grey levels from 0 to 16, 10 classes."""


class Diabetes(DataSpec, frozen=True, tag="diabetes"):
    """442 patients, 10 measures, progression after a year (Efron et al. 2004)."""


Data = (
    Inline
    | StraightLine
    | Polynomial
    | Sine
    | Moons
    | Circles
    | Spirals
    | Blobs
    | Xor
    | Gaussian
    | Csv
    | Npy
    | Iris
    | Digits
    | Diabetes
)
