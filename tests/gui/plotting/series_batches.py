"""Hand-made batches of series, for the tests of plots."""

from types import SimpleNamespace

import numpy as np


def points(y, first=0):
    return SimpleNamespace(
        x=np.arange(first, first + len(y), dtype=float), y=np.array(y, dtype=float)
    )


def batch(columns, *, first=0, restart=False):
    return SimpleNamespace(
        columns={name: points(y, first) for name, y in columns.items()}, restart=restart
    )
