"""What the signatures of Qt's models and delegates have in common."""

from __future__ import annotations

from typing import TypeAlias

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt

__all__ = ["DISPLAY", "NO_INDEX", "ModelIndex"]

ModelIndex: TypeAlias = QModelIndex | QPersistentModelIndex
"""The index that Qt passes to models and delegates."""

NO_INDEX = QModelIndex()
"""The default parent: the root of a model."""

DISPLAY = Qt.ItemDataRole.DisplayRole
"""The default role: what a cell shows."""
