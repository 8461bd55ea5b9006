"""The two colour themes, light and dark: the only place where colours are defined.

Hues are those of Okabe and Ito, "Color Universal Design" (2008), which people with any kind of
colour vision can tell apart; they are darkened on light and lightened on dark backgrounds so that
text keeps a contrast of at least 4.5 to 1 (WCAG 2.2, level AA) and icons at least 3 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.program.operation import Operation

__all__ = [
    "DARK",
    "LIGHT",
    "Choice",
    "KindColors",
    "Theme",
    "apply",
    "blend",
    "contrast",
    "kind_of",
    "theme_of",
]

Choice = Literal["system", "light", "dark"]
"""The choices in the View menu."""


@dataclass(frozen=True, slots=True)
class KindColors:
    """The colours of one kind of Operation: `strong` for lines and text, `soft` for backgrounds."""

    strong: str
    soft: str


@dataclass(frozen=True, slots=True)
class Theme:
    """All colours of one theme, as `#rrggbb`.

    Attributes:
        name: "light" or "dark".
        window: The background of the window and of docks.
        base: The background of tables, fields and plots.
        alternate: The background of every second row.
        raised: The background of buttons.
        border: Lines between areas.
        text: Text.
        muted: Less important text, still readable.
        accent: Links, the focus ring, checked controls.
        selection: The background of selected items.
        error: Errors.
        warning: Warnings.
        kinds: Per kind of Operation: "zero_grad", "forward", "backward", "step", "edit".
        curves: The colours of curves, in order of use.
        heights: The colours of a surface from low to high: ever darker on a light background, ever
            lighter on a dark one, so that they are in order for any kind of colour vision.
    """

    name: Literal["light", "dark"]
    window: str
    base: str
    alternate: str
    raised: str
    border: str
    text: str
    muted: str
    accent: str
    selection: str
    error: str
    warning: str
    kinds: Mapping[str, KindColors]
    curves: tuple[str, ...]
    heights: tuple[str, ...]

    def kind(self, name: str) -> KindColors:
        """Return the colours of a kind of Operation; other kinds have those of an edit.

        Example:
            >>> LIGHT.kind("set_hyperparameter") == LIGHT.kind("edit")
            True
        """
        return self.kinds.get(name, self.kinds["edit"])


LIGHT = Theme(
    name="light",
    window="#f3f5f7",
    base="#ffffff",
    alternate="#f6f8fa",
    raised="#ffffff",
    border="#cfd6de",
    text="#1b2026",
    muted="#56616d",
    accent="#0a63b0",
    selection="#cbe1f5",
    error="#b3261e",
    warning="#8a5a00",
    kinds=MappingProxyType(
        {
            "zero_grad": KindColors("#9c3f78", "#f7e8f1"),
            "forward": KindColors("#005f97", "#e0eff8"),
            "backward": KindColors("#b04a00", "#fcebdd"),
            "step": KindColors("#00704f", "#dcf3eb"),
            "edit": KindColors("#7a5600", "#fbf0d5"),
        }
    ),
    curves=("#0072b2", "#d55e00", "#009e73", "#b8558a", "#b07800", "#3a9bd1", "#4d5661"),
    heights=("#fcfaec", "#eef0d8", "#d5e3cd", "#b4d1c6", "#92bcc2", "#759fbb", "#6281ae"),
)

DARK = Theme(
    name="dark",
    window="#1d2126",
    base="#15181c",
    alternate="#1a1e23",
    raised="#272c33",
    border="#3a424c",
    text="#e6eaee",
    muted="#a0abb7",
    accent="#5aa9ea",
    selection="#234661",
    error="#ff8f85",
    warning="#f0c050",
    kinds=MappingProxyType(
        {
            "zero_grad": KindColors("#e09cc4", "#3d2a37"),
            "forward": KindColors("#62b8ec", "#1c3444"),
            "backward": KindColors("#f5934f", "#432c1c"),
            "step": KindColors("#38c79b", "#17382e"),
            "edit": KindColors("#e8b84a", "#3b311a"),
        }
    ),
    curves=("#56b4e9", "#f5934f", "#38c79b", "#e09cc4", "#e8b84a", "#8fa8ff", "#c3ccd6"),
    heights=("#15202c", "#1a2f40", "#214354", "#2f5a65", "#477272", "#688b80", "#91a592"),
)


def theme_of(palette: QPalette) -> Theme:
    """Return the theme of a palette, recognized by the lightness of its window background.

    Widgets call it when they paint and on `QEvent.PaletteChange`, and store no theme.
    """
    return LIGHT if palette.color(QPalette.ColorRole.Window).lightness() > 127 else DARK  # noqa: PLR2004 - the middle of 0 to 255


def kind_of(operation: Operation) -> str:
    """Return the kind of an Operation record, its tag in JSON, as used by `Theme.kind`.

    Example:
        >>> from gradstep.program.operation import Forward
        >>> kind_of(Forward("loss"))
        'forward'
    """
    return str(operation.__struct_config__.tag)


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21, as WCAG 2.2 defines it.

    Example:
        >>> round(contrast("#000000", "#ffffff"))
        21
    """
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def blend(one: str, other: str, share: float) -> str:
    """Return a colour between two: `share` of the first, the rest of the other.

    Example:
        >>> blend("#ffffff", "#000000", 0.2)
        '#333333'
    """
    first, second = QColor(one), QColor(other)
    return QColor.fromRgbF(
        first.redF() * share + second.redF() * (1 - share),
        first.greenF() * share + second.greenF() * (1 - share),
        first.blueF() * share + second.blueF() * (1 - share),
    ).name()


def apply(application: QApplication, choice: Choice) -> Theme:
    """Apply a theme to the whole application: the Fusion style with the palette of the theme.

    Args:
        application: The running application.
        choice: "system" follows the desktop's setting, or is light when there is none.
    """
    hints = QGuiApplication.styleHints()
    dark = choice == "dark" or (choice == "system" and hints.colorScheme() == Qt.ColorScheme.Dark)
    theme = DARK if dark else LIGHT
    if application.style().name().lower() != "fusion":
        application.setStyle(QStyleFactory.create("Fusion"))
    application.setPalette(_palette(theme))
    if dark:
        # Fusion draws borders darker than the window, which are invisible in a dark one; so
        # fields and check boxes get a lighter background instead.
        for widget in ("QCheckBox", "QRadioButton", "QLineEdit", "QAbstractSpinBox"):
            raised = _palette(theme)
            ground = theme.border if widget in {"QCheckBox", "QRadioButton"} else theme.raised
            raised.setColor(QPalette.ColorRole.Base, QColor(ground))
            application.setPalette(raised, widget)  # type: ignore[arg-type] # the stub asks for bytes, which the binding rejects
    return theme


def _palette(theme: Theme) -> QPalette:
    role, group = QPalette.ColorRole, QPalette.ColorGroup
    palette = QPalette()
    colors = {
        role.Window: theme.window,
        role.WindowText: theme.text,
        role.Base: theme.base,
        role.AlternateBase: theme.alternate,
        role.Text: theme.text,
        role.PlaceholderText: theme.muted,
        role.Button: theme.raised,
        role.ButtonText: theme.text,
        role.BrightText: theme.error,
        role.ToolTipBase: theme.raised,
        role.ToolTipText: theme.text,
        role.Highlight: theme.selection,
        role.HighlightedText: theme.text,
        role.Link: theme.accent,
        role.LinkVisited: theme.kinds["zero_grad"].strong,
        role.Accent: theme.accent,
        role.Light: theme.window,
        role.Midlight: theme.window,
        role.Mid: theme.border,
        role.Dark: theme.border,
        role.Shadow: theme.border,
    }
    for name, color in colors.items():
        palette.setColor(name, QColor(color))
    for name in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        palette.setColor(group.Disabled, name, QColor(blend(theme.muted, theme.window, 0.55)))
    palette.setColor(group.Disabled, role.Highlight, QColor(theme.border))
    return palette


def _luminance(color: str) -> float:
    value = QColor(color)
    channels = (value.redF(), value.greenF(), value.blueF())
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]  # noqa: PLR2004 - the sRGB curve
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
