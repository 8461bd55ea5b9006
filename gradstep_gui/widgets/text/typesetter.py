"""Typesetting formulas: LaTeX becomes an SVG picture, on a thread of its own, once each."""

from __future__ import annotations

import logging
import queue
import threading
import weakref
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import QObject, QRectF, QSizeF, QTimer, Signal
from PySide6.QtSvg import QSvgRenderer

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

__all__ = ["RenderedFormula", "Typesetter"]

MOST_KEPT = 512
"""Pictures that are kept: a formula takes 10 ms and some 10 kB."""


LOOK_MS = 10
"""How often what was asked for is looked for."""


@dataclass(frozen=True, slots=True)
class _Request:
    latex: str
    color: str
    size: float


_Requests: TypeAlias = "queue.SimpleQueue[_Request | None]"
_Made: TypeAlias = "queue.SimpleQueue[tuple[_Request, bytes]]"


class RenderedFormula:
    """A typeset formula, drawn from its outlines at any scale.

    Args:
        svg: The drawing; empty where the formula could not be typeset.

    Attributes:
        size: Its width and height, in pixels of its letters' size; empty where it has failed.
    """

    __slots__ = ("_renderer", "size")

    def __init__(self, svg: bytes) -> None:
        self._renderer = QSvgRenderer(svg) if svg else QSvgRenderer()
        self.size = self._renderer.viewBoxF().size() if self._renderer.isValid() else QSizeF()

    @property
    def failed(self) -> bool:
        """Whether there is nothing to draw."""
        return self.size.isEmpty()

    def paint(self, painter: QPainter, place: QRectF) -> None:
        """Draw it, filling a rectangle that should have its proportions."""
        self._renderer.render(painter, place)


class Typesetter(QObject):
    """Makes pictures of formulas, and keeps them.

    The library is imported by the thread that sets the first formula, so that neither the start
    of the window nor a session without formulas pays for it. Nothing waits for that thread.

    Args:
        parent: Its owner.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> typesetter = Typesetter()
        >>> print(typesetter.picture("x^2", "#000000", 16.0))  # it is being made
        None
    """

    ready = Signal()
    """A picture that was asked for is there."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pictures: OrderedDict[_Request, RenderedFormula] = OrderedDict()
        self._asked: set[_Request] = set()
        self._wishes: _Requests = queue.SimpleQueue()
        self._made: _Made = queue.SimpleQueue()
        self._has_thread = False
        self._look = QTimer(self, interval=LOOK_MS)
        self._look.timeout.connect(self._take)
        weakref.finalize(self, self._wishes.put, None)

    @property
    def is_busy(self) -> bool:
        """Whether pictures that were asked for are still being made."""
        return bool(self._asked)

    def picture(self, latex: str, color: str, size: float) -> RenderedFormula | None:
        """Return the picture of a formula; None while it is being made, which `ready` ends.

        Args:
            latex: The formula.
            color: As `#rrggbb`.
            size: Of its letters, in pixels.
        """
        wish = _Request(latex, color, size)
        picture = self._pictures.get(wish)
        if picture is not None:
            self._pictures.move_to_end(wish)
        elif wish not in self._asked:
            self._asked.add(wish)
            self._wishes.put(wish)
            self._look.start()
            if not self._has_thread:
                self._has_thread = True
                threading.Thread(
                    target=_work,
                    args=(self._wishes, self._made),
                    name="gradstep-typesetter",
                    daemon=True,
                ).start()
        return picture

    def _take(self) -> None:
        """Keep what has been made since."""
        if self._made.empty():
            return
        while not self._made.empty():
            wish, svg = self._made.get()
            self._asked.discard(wish)
            self._pictures[wish] = RenderedFormula(svg)
        while len(self._pictures) > MOST_KEPT:
            self._pictures.popitem(last=False)
        if not self._asked:
            self._look.stop()
        self.ready.emit()


def _work(wishes: _Requests, made: _Made) -> None:
    """Typeset what is wished for, until None is; the thread knows nothing of the window."""
    while (wish := wishes.get()) is not None:
        made.put((wish, _typeset(wish)))


def _typeset(wish: _Request) -> bytes:
    """Return the SVG of a formula; empty where the library cannot set it."""
    try:
        import ziamath  # noqa: PLC0415 - at start-up it would cost more than the window

        ziamath.config.svg2 = False  # QtSvg knows SVG 1.1 alone, and draws nothing else
        formula = ziamath.Latex(wish.latex, size=wish.size, color=wish.color)
        return str(formula.svg()).encode()
    except Exception as error:  # noqa: BLE001 - the boundary to a library: text stands in for it
        logging.getLogger(__name__).warning("could not typeset %r: %s", wish.latex, error)
        return b""
