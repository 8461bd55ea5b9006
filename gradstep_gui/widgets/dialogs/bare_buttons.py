"""Buttons of dialogs without the pictures that Qt gives them on some systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QPushButton

if TYPE_CHECKING:
    from PySide6.QtWidgets import QDialog

__all__ = ["bare_buttons"]


def bare_buttons(dialog: QDialog) -> None:
    """Take the pictures off a dialog's buttons: drawn for light grounds, they vanish on dark ones.

    A style of ours could say so for all dialogs, but Qt would then ask Python at each stroke.
    """
    for button in dialog.findChildren(QPushButton):
        button.setIcon(QIcon())
