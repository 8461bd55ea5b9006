"""By which words an error message tells why a Backward failed, here as in PyTorch."""

from __future__ import annotations

__all__ = ["CHANGED", "FREED", "UNCONNECTED"]

FREED = "second time"
"""What the graph had saved was freed by an earlier Backward."""
CHANGED = "inplace operation"
"""What the graph had saved was then changed."""
UNCONNECTED = "does not require grad"
"""The loss is computed from nothing that requires a gradient."""
