"""The syntax of conditions and watches, explained in a dialog."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout

from gradstep_gui.translation import QT_TRANSLATE_NOOP
from gradstep_gui.widgets.buttons import remove_button_icons

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

__all__ = ["EXAMPLES", "TABLE", "ConditionHelpDialog"]

TABLE: tuple[tuple[str, str], ...] = (
    (
        "loss",
        QT_TRANSLATE_NOOP("Language", "the last loss computed; use its name for a specific loss"),
    ),
    ("iteration", QT_TRANSLATE_NOOP("Language", "completed iterations of the loop")),
    ("event", QT_TRANSLATE_NOOP("Language", "number of events so far")),
    (
        'data("x")',
        QT_TRANSLATE_NOOP("Language", 'the values of a tensor; data("x")[0, 1] is one element'),
    ),
    ('grad("x")', QT_TRANSLATE_NOOP("Language", "the gradient of a tensor")),
    (
        'state("x", "exp_avg")',
        QT_TRANSLATE_NOOP(
            "Language", "an optimizer state buffer; put the optimizer first when several hold x"
        ),
    ),
    (
        'lr("optimizer")',
        QT_TRANSLATE_NOOP(
            "Language",
            "the learning rate of the first group, or of the group given as second argument",
        ),
    ),
    (
        'option("optimizer", "momentum")',
        QT_TRANSLATE_NOOP("Language", "any hyper-parameter, in the same way"),
    ),
    (
        "data grad buf",
        QT_TRANSLATE_NOOP(
            "Language", "the same for each parameter in turn; buf is its momentum_buffer or exp_avg"
        ),
    ),
    (
        "any_data any_grad",
        QT_TRANSLATE_NOOP("Language", "all elements of all parameters, of all gradients"),
    ),
    (
        'changed("x.grad")',
        QT_TRANSLATE_NOOP(
            "Language",
            "true when the last event changed it; also takes an element or an expression",
        ),
    ),
    ("raised", QT_TRANSLATE_NOOP("Language", "true when the last operation failed")),
    ("non_finite", QT_TRANSLATE_NOOP("Language", "true when the last event wrote a NaN or an Inf")),
    (
        "new_finding",
        QT_TRANSLATE_NOOP("Language", "true when the last event led to a new finding"),
    ),
    (
        "is_none(...)",
        QT_TRANSLATE_NOOP("Language", "true when there is no value: .grad is None, or no loss yet"),
    ),
    ("isnan isinf any", QT_TRANSLATE_NOOP("Language", "true for any element")),
    ("isfinite all", QT_TRANSLATE_NOOP("Language", "true for all elements")),
    (
        "norm sum mean std min max",
        QT_TRANSLATE_NOOP("Language", "over all elements; std divides by n - 1, as in torch"),
    ),
    ("dot(a, b)", QT_TRANSLATE_NOOP("Language", "the dot product of all elements")),
    ("abs sign sqrt log exp", QT_TRANSLATE_NOOP("Language", "elementwise")),
    (
        "+ - * / ** < <= == and or not",
        QT_TRANSLATE_NOOP("Language", "as in Python; also the constants pi, inf, nan"),
    ),
)
"""The terms of `gradstep.debugger.conditions.language.TABLE`, and what they mean."""


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
            for form, meaning in TABLE
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
