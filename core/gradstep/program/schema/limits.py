"""Limits of program documents, checked before anything is allocated.

They are far above what a step-through debugger can show, and far below what would exhaust the
memory of a machine.
"""

from __future__ import annotations

__all__ = [
    "MAX_BYTES",
    "MAX_DATA_BYTES",
    "MAX_ELEMENTS",
    "MAX_EXPRESSION",
    "MAX_EXTENT",
    "MAX_LAYERS",
    "MAX_NAMES",
    "MAX_SAMPLES",
    "MAX_WIDTH",
]

MAX_BYTES = 16 * 1024 * 1024
"""Maximum size of a program document in bytes."""

MAX_DATA_BYTES = 256 * 1024 * 1024
"""Maximum size in bytes of what is read of each file that a program names."""

MAX_ELEMENTS = 50_000_000
"""Maximum number of elements in all tensors of a program, in all its data, or in one layer's
output: 200 MB in float32."""

MAX_EXPRESSION = 2000
"""Maximum number of characters in an expression."""

MAX_EXTENT = 1000
"""Maximum size of a kernel, a window, a stride or a padding."""

MAX_LAYERS = 1000
"""Maximum number of layers in a program."""

MAX_NAMES = 256
"""Maximum number of entries in one section: modules, data sets, losses, ..."""

MAX_SAMPLES = 1_000_000
"""Maximum number of rows in a data set."""

MAX_WIDTH = 1_000_000
"""Maximum number of inputs or outputs of a layer."""
