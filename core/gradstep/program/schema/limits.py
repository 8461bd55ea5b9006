"""The bounds of a program document, checked before anything is allocated.

They are far above what a step-through debugger can show, and far below what would stop a machine.
"""

from __future__ import annotations

__all__ = [
    "MAX_BYTES",
    "MAX_ELEMENTS",
    "MAX_EXPRESSION",
    "MAX_EXTENT",
    "MAX_LAYERS",
    "MAX_NAMES",
    "MAX_SAMPLES",
    "MAX_WIDTH",
]

MAX_BYTES = 16 * 1024 * 1024
"""Of a program document, and of each of the files that it names, in bytes."""

MAX_ELEMENTS = 50_000_000
"""Of all tensors of a program, of all its data, and of one layer's output: 200 MB in float32."""

MAX_EXPRESSION = 2000
"""Characters of an expression."""

MAX_EXTENT = 1000
"""Of a kernel, a window, a stride or a padding."""

MAX_LAYERS = 1000
"""Layers of a whole program."""

MAX_NAMES = 256
"""Entries of one section: modules, data sets, losses ..."""

MAX_SAMPLES = 1_000_000
"""Rows of a data set."""

MAX_WIDTH = 1_000_000
"""Inputs or outputs of a layer."""
