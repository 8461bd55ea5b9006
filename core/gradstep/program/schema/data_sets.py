"""The kinds of data sets in program documents, with their options."""

from __future__ import annotations

from typing import Annotated, Any, Literal

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
Categories = dict[str, Literal["codes", "one-hot"]]
Nested = Annotated[list[Any], Meta(min_length=1, max_length=MAX_SAMPLES)]


class DataSpec(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    tag_field="kind",
):
    """The options of data sets of every kind.

    Attributes:
        batch_size: The number of rows in a batch; None for all rows.
        shuffle: Draw a new order at the start of every epoch.
        drop_last: Drop the last batch if it is not full.
        standardize: Shift and scale every input column to mean 0 and standard deviation 1,
            computed from the training rows.
        limit: The maximum number of rows, from the first of each file; of a CSV file of more than
            16 MB, no more are read.
        validation: The fraction of rows, drawn at random, that only `"rows": "validation"` uses.
        seed: The seed of the random kinds; None for the program's.
    """

    batch_size: Count | None = None
    shuffle: bool = False
    drop_last: bool = False
    standardize: bool = False
    limit: Count | None = None
    validation: Annotated[float, Meta(ge=0, lt=1)] = 0.0
    seed: Annotated[int, Meta(ge=0, lt=2**32)] | None = None


class Inline(DataSpec, frozen=True, kw_only=True, tag="inline"):
    """Numbers in the document; integers in a flat `targets` list are class labels.

    Example:
        >>> Inline(inputs=[[1.0], [2.0]], targets=[[3.0], [5.0]]).batch_size is None
        True
    """

    inputs: Nested
    targets: Nested | None = None


class StraightLine(DataSpec, frozen=True, tag="line"):
    """`y = slope * x + intercept`, with x evenly spaced from `low` to `high`."""

    samples: Count = 100
    slope: Number = 2.0
    intercept: Number = 0.0
    noise: Noise = 0.0
    low: Number = -1.0
    high: Number = 1.0


class Polynomial(DataSpec, frozen=True, tag="polynomial"):
    """`y = c0 + c1 x + c2 x^2 ...`; the inputs are the powers of x from 1."""

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
    """Two interlocking half circles; classes 0 and 1."""

    samples: Count = 100
    noise: Noise = 0.0


class Circles(DataSpec, frozen=True, tag="circles"):
    """Two concentric circles, the inner one with `factor` times the radius; classes 0 and 1."""

    samples: Count = 100
    noise: Noise = 0.0
    factor: Annotated[float, Meta(gt=0, lt=1)] = 0.5


class Spirals(DataSpec, frozen=True, tag="spirals"):
    """Spiral arms that wind around the origin `turns` times; one class per arm."""

    samples: Count = 100
    classes: Annotated[int, Meta(ge=2, le=100)] = 2
    turns: Annotated[float, Meta(gt=0, le=100)] = 1.0
    noise: Noise = 0.0


class Blobs(DataSpec, frozen=True, tag="blobs"):
    """Gaussian clusters of standard deviation `spread` around random centers, one class each."""

    samples: Count = 100
    centers: Annotated[int, Meta(ge=1, le=1000)] = 3
    features: Width = 2
    spread: Noise = 1.0


class Xor(DataSpec, frozen=True, tag="xor"):
    """The four corners of the unit square, repeated; class 1 where the two inputs differ."""

    samples: Count = 4
    noise: Noise = 0.0


class Gaussian(DataSpec, frozen=True, tag="gaussian"):
    """Normally distributed inputs and targets, independent of each other."""

    samples: Count = 100
    inputs: Width = 1
    targets: Width = 1


class Csv(DataSpec, frozen=True, kw_only=True, tag="csv"):
    """Your own CSV file.

    Attributes:
        path: The file, relative to the program.
        inputs: Names of the input columns (without a header: numbers from 0); None for all but the
            target.
        target: The target column; None for no target.
        classes: The target column holds class labels: whole numbers or words.
        header: The first line holds the names of the columns.
        delimiter: The character between two cells.
        categories: Input columns of words: "one-hot" for a column of 0 and 1 per word, or "codes"
            for its place in sorted order, from 0.
        missing: What a missing number is (an empty cell, NA, NaN, null or ?): "drop" its row, or
            replace it by "zero" or by the "mean" of the training rows; None to reject it.
        validation_path: A second file with the same columns, for `"rows": "validation"`.
    """

    path: Path
    inputs: Columns | None = None
    target: str | None = None
    classes: bool = False
    header: bool = True
    delimiter: Annotated[str, Meta(min_length=1, max_length=1)] = ","
    categories: Categories = {}
    missing: Literal["drop", "mean", "zero"] | None = None
    validation_path: Path | None = None


class Npy(DataSpec, frozen=True, kw_only=True, tag="npy"):
    """Your own NumPy arrays: one file for the inputs and one for the targets.

    Attributes:
        inputs: The file of the inputs, relative to the program; its first axis counts the rows.
        targets: The file of the targets; whole numbers are class labels.
        validation_inputs: A file with more inputs, for `"rows": "validation"`.
        validation_targets: Their targets.
    """

    inputs: Path
    targets: Path | None = None
    validation_inputs: Path | None = None
    validation_targets: Path | None = None


class Iris(DataSpec, frozen=True, tag="iris"):
    """150 flowers, 4 measurements, 3 species (Fisher 1936)."""


class Digits(DataSpec, frozen=True, tag="digits"):
    """1797 handwritten digits of 8 x 8 gray levels from 0 to 16, 10 classes."""


class Diabetes(DataSpec, frozen=True, tag="diabetes"):
    """442 patients, 10 measurements, disease progression after a year (Efron et al. 2004)."""


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
