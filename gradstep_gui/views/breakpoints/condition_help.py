"""What conditions and watches can say, in the person's language."""

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
    ("loss", QT_TRANSLATE_NOOP("Language", "the loss computed last; or a loss by its own name")),
    ("iteration", QT_TRANSLATE_NOOP("Language", "whole passes of the loop that are complete")),
    ("event", QT_TRANSLATE_NOOP("Language", "events so far")),
    (
        'data("x")',
        QT_TRANSLATE_NOOP("Language", 'a tensor\'s values; one element is data("x")[0, 1]'),
    ),
    ('grad("x")', QT_TRANSLATE_NOOP("Language", "its gradient")),
    (
        'state("x", "exp_avg")',
        QT_TRANSLATE_NOOP(
            "Language", "a state buffer; name the optimizer first when several hold x"
        ),
    ),
    (
        'lr("optimizer")',
        QT_TRANSLATE_NOOP("Language", "the learning rate of a group; the first, or a second word"),
    ),
    (
        'option("optimizer", "momentum")',
        QT_TRANSLATE_NOOP("Language", "any hyper-parameter, likewise"),
    ),
    (
        "data grad buf",
        QT_TRANSLATE_NOOP(
            "Language", "of every parameter in turn; buf is its momentum_buffer or exp_avg"
        ),
    ),
    (
        "any_data any_grad",
        QT_TRANSLATE_NOOP("Language", "the elements of all parameters, of all gradients"),
    ),
    (
        'changed("x.grad")',
        QT_TRANSLATE_NOOP(
            "Language", "the event just done changed it; also an element, or any expression"
        ),
    ),
    ("raised", QT_TRANSLATE_NOOP("Language", "the operation just tried was refused")),
    ("non_finite", QT_TRANSLATE_NOOP("Language", "the event just done wrote a NaN or an Inf")),
    (
        "new_finding",
        QT_TRANSLATE_NOOP("Language", "a finding was noticed first at the event just done"),
    ),
    (
        "is_none(...)",
        QT_TRANSLATE_NOOP("Language", "there is no such value: a .grad of None, no loss yet"),
    ),
    ("isnan isinf any", QT_TRANSLATE_NOOP("Language", "of any element")),
    ("isfinite all", QT_TRANSLATE_NOOP("Language", "of all elements")),
    (
        "norm sum mean std min max",
        QT_TRANSLATE_NOOP("Language", "over all elements; std as torch's, over n - 1"),
    ),
    ("dot(a, b)", QT_TRANSLATE_NOOP("Language", "the sum of the products of the elements")),
    ("abs sign sqrt log exp", QT_TRANSLATE_NOOP("Language", "element by element")),
    (
        "+ - * / ** < <= == and or not",
        QT_TRANSLATE_NOOP("Language", "as in Python; also the numbers pi, inf, nan"),
    ),
)
"""The forms of `gradstep.debugger.conditions.language.TABLE`, and what they mean."""


EXAMPLES = (
    'loss > 10 or norm(grad("model.0.weight")) > 1e3',
    'changed("model.0.weight[0, 1]") and iteration > 40',
    "dot(buf, grad) < 0",
)


class ConditionHelpDialog(QDialog):
    """Shows the table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("What conditions and watches can say"))
        page = QTextBrowser(self)
        page.setAccessibleName(self.windowTitle())
        translate = QCoreApplication.translate
        rows = "".join(
            f"<tr><td style='padding:3px 16px 3px 2px'><code>{escape(form)}</code></td>"
            f"<td style='padding:3px 2px'>{escape(translate('Language', meaning))}</td></tr>"
            for form, meaning in TABLE
        )
        note = self.tr("Where a value is missing, no comparison with it holds.")
        examples = "<br>".join(f"<code>{escape(text)}</code>" for text in EXAMPLES)
        head = self.tr("For example")
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
