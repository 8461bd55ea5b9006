"""One numeric thread, unless the environment sets another number; read once, on importing NumPy.

The last bits of a matrix product depend on the number of threads: (128, 2000) @ (2000, 200) in
float32 differs between one thread and two of OpenBLAS 0.3. A session must replay to the bit on a
machine with other cores than the one that recorded it, and the window needs a core for itself.
"""

from __future__ import annotations

import os

__all__ = ["ADDED", "VARIABLES"]

VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
"""The variables of OpenBLAS, MKL and Apple's Accelerate."""

ADDED = tuple([name for name in VARIABLES if name not in os.environ])
"""Those that are set here: a user's script, which we start, does not get them."""

os.environ.update(dict.fromkeys(ADDED, "1"))
