"""Hand-made batches of series, for the tests of plots."""

import numpy as np

from gradstep_gui.plotting.series import ColumnPatch, SeriesBatch


def batch(columns, *, start=0):
    """A batch of whole iterations: `columns` is {name: values from row `start` on}."""
    return SeriesBatch(
        {
            name: ColumnPatch(
                start, np.arange(start, start + len(y), dtype=float), np.array(y, dtype=float)
            )
            for name, y in columns.items()
        }
    )
