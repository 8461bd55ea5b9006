"""One numeric thread, unless the environment says otherwise; NumPy asks once, when it is imported.

How many threads share a matrix product decides on its last bits: (128, 2000) @ (2000, 200) in
float32 differs between one thread and two of OpenBLAS 0.3. A session shall replay to the bit on a
machine with other cores than the one that recorded it, and the window wants a core for itself.
"""

from __future__ import annotations

import os

__all__ = ["VARIABLES"]

VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
"""What OpenBLAS, MKL and Apple's Accelerate read."""

for _name in VARIABLES:
    os.environ.setdefault(_name, "1")
