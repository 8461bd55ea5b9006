"""The language of the window: which one is shown, and its translations."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, get_args

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator

from gradstep_gui.resources import resource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PySide6.QtCore import QCoreApplication

__all__ = ["LANGUAGES", "LanguageChoice", "install_language", "language_of"]

LanguageChoice = Literal["system", "en", "de"]
"""A language, or that of the system."""

LANGUAGES: Mapping[str, str] = MappingProxyType({"en": "English", "de": "Deutsch"})
"""The name of each language in itself. The sources are English, and need no translation."""

_OWNER = "gradstep_language"


def language_of(choice: LanguageChoice, preferred: Sequence[str] | None = None) -> str:
    """Return the language to show.

    Args:
        choice: What the user has chosen.
        preferred: The languages that the system prefers, the first most; the system's when None.

    Example:
        >>> language_of("system", ["fr-CH", "de-CH", "en"]), language_of("system", ["fr"])
        ('de', 'en')
        >>> language_of("en", ["de"])
        'en'
    """
    if choice != "system":
        return choice
    wanted = QLocale.system().uiLanguages() if preferred is None else preferred
    found = (name.replace("_", "-").partition("-")[0] for name in wanted)
    return next((name for name in found if name in LANGUAGES), "en")


def install_language(application: QCoreApplication, choice: LanguageChoice) -> str:
    """Show everything that is made from now on in a language; return which one.

    Qt's own texts, such as those of its file dialogs, are translated as well.
    """
    assert choice in get_args(LanguageChoice), choice
    for earlier in application.findChildren(QTranslator, _OWNER):
        application.removeTranslator(earlier)
        earlier.deleteLater()
    language = language_of(choice)
    if language == "en":
        return language
    of_qt = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    own = str(resource("translations"))
    for name, folder in ((f"qtbase_{language}", of_qt), (f"gradstep_{language}", own)):
        translator = QTranslator(application)
        translator.setObjectName(_OWNER)
        if translator.load(name, folder):
            application.installTranslator(translator)
    return language
