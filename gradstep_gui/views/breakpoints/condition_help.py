"""The syntax of conditions and watches, explained in a dialog."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout

from gradstep.history.records.breakpoints import CONDITION_TERMS
from gradstep_gui.widgets.buttons import remove_button_icons

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

__all__ = ["EXAMPLES", "ConditionHelpDialog"]

EXAMPLES = (
    'loss > 10 or norm(grad("model.0.weight")) > 1e3',
    'changed("model.0.weight[0, 1]") and iteration > 40',
    "dot(buf, grad) < 0",
)


class ConditionHelpDialog(QDialog):
    """A dialog that explains the syntax of conditions and watches."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Syntax of Conditions and Watches"))
        page = QTextBrowser(self)
        page.setAccessibleName(self.windowTitle())
        translate = QCoreApplication.translate
        rows = "".join(
            f"<tr><td style='padding:3px 16px 3px 2px'><code>{escape(form)}</code></td>"
            f"<td style='padding:3px 2px'>{escape(translate('Language', meaning))}</td></tr>"
            for form, meaning in CONDITION_TERMS
        )
        note = self.tr("A comparison with a missing value is false.")
        examples = "<br>".join(f"<code>{escape(text)}</code>" for text in EXAMPLES)
        head = self.tr("Examples")
        page.setHtml(
            f"<p>{escape(head)}<br>{examples}</p><table>{rows}</table><p>{escape(note)}</p>"
        )
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(page)
        column.addWidget(buttons)
        remove_button_icons(self)
        self.resize(720, 700)
