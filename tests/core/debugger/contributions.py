"""What every list of contributions to a gradient must be: one that adds up to it."""

from __future__ import annotations

import numpy as np


def assert_add_up(parts, grad):
    """Check that contributions add up to a gradient: bit for bit unless it was clipped."""
    summed = np.zeros_like(grad)
    for part in parts:
        summed += part.value
    clipped = any(part.kind == "clip" for part in parts)
    largest = max((float(np.abs(part.value).max()) for part in parts), default=0.0)
    close = 8 * np.finfo(grad.dtype).eps * largest if clipped else 0.0
    np.testing.assert_allclose(summed, grad, rtol=0, atol=close)
