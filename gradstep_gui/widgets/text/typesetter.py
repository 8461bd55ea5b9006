"""Renders LaTeX formulas as SVG, in a separate thread, with a cache."""

from __future__ import annotations

import logging
import math
import queue
import threading
import time
import weakref
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import QObject, QRectF, QSizeF, QTimer, Signal
from PySide6.QtSvg import QSvgRenderer

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QPainter

__all__ = ["RenderedFormula", "Typesetter"]

MOST_KEPT = 512
"""The size of the cache; a formula takes 10 ms and about 10 kB."""

LOOK_MS = 10
"""The interval at which results are polled."""

REST_MS = 80
"""The time without new formulas after which those that were held back are rendered."""

BURST_S = 0.04
"""The time in which the formulas of one moment are requested: some when they are laid out, others
when they are painted."""


@dataclass(frozen=True, slots=True)
class _FormulaRequest:
    latex: str
    color: str
    size: float


_FormulaRequests: TypeAlias = "queue.SimpleQueue[_FormulaRequest | None]"
_Made: TypeAlias = "queue.SimpleQueue[tuple[_FormulaRequest, bytes]]"


class RenderedFormula:
    """A typeset formula, which can be drawn at any scale.

    Args:
        svg: The drawing; empty when the formula could not be typeset.

    Attributes:
        size: Its width and height in pixels; empty when it failed.
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
        """Draw it into a rectangle, which should have its proportions."""
        self._renderer.render(painter, place)


class Typesetter(QObject):
    """Renders formulas and caches them.

    The thread imports the library when the first formula is rendered, so that neither the start of
    the window nor a session without formulas pays for it. Nothing waits for that thread.

    The thread and the window share one interpreter. So while formulas are replaced faster than
    anyone reads them, as when a key that steps is held down, only the first and the last of them
    are rendered.

    Args:
        parent: The parent widget.
        clock: Returns the time in seconds.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> typesetter = Typesetter()
        >>> print(typesetter.picture("x^2", "#000000", 16.0))  # it is being rendered
        None
    """

    ready = Signal()
    """A requested formula was rendered: what shows formulas requests them again."""

    def __init__(
        self, parent: QObject | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(parent)
        self._clock = clock
        self._pictures: OrderedDict[_FormulaRequest, RenderedFormula] = OrderedDict()
        self._pending: set[_FormulaRequest] = set()
        self._requests: _FormulaRequests = queue.SimpleQueue()
        self._made: _Made = queue.SimpleQueue()
        self._has_thread = False
        self._burst_at = self._requested_at = -math.inf  # the clock may have started a moment ago
        self._is_held = False
        self._waiting: list[_FormulaRequest] = []
        self._rest = QTimer(self, interval=REST_MS, singleShot=True)
        self._rest.timeout.connect(self._render_waiting)
        self._look = QTimer(self, interval=LOOK_MS)
        self._look.timeout.connect(self._take)
        weakref.finalize(self, self._requests.put, None)

    @property
    def is_busy(self) -> bool:
        """Whether requested formulas are still being rendered."""
        return bool(self._pending)

    def picture(self, latex: str, color: str, size: float) -> RenderedFormula | None:
        """Return a rendered formula; None while it is being rendered, until `ready`.

        Args:
            latex: The formula.
            color: As `#rrggbb`.
            size: Of its letters, in pixels.
        """
        request = _FormulaRequest(latex, color, size)
        picture = self._pictures.get(request)
        if picture is not None:
            self._pictures.move_to_end(request)
        elif request not in self._pending:
            self._pending.add(request)
            self._look.start()
            self._add(request)
        return picture

    def _add(self, request: _FormulaRequest) -> None:
        """Have a new request rendered: at once, or when no other moment follows for a while."""
        now = self._clock()
        if now - self._burst_at > BURST_S:
            self._burst_at = now
            self._is_held = now - self._requested_at <= REST_MS / 1000
            self._pending.difference_update(self._waiting)
            self._waiting.clear()
        self._requested_at = now
        if self._is_held:
            self._waiting.append(request)
            self._rest.start()
        else:
            self._render(request)

    def _render_waiting(self) -> None:
        """Have the formulas of the last moment rendered."""
        while self._waiting:
            self._render(self._waiting.pop(0))

    def _render(self, request: _FormulaRequest) -> None:
        self._requests.put(request)
        if not self._has_thread:
            self._has_thread = True
            threading.Thread(
                target=_work,
                args=(self._requests, self._made),
                name="gradstep-typesetter",
                daemon=True,
            ).start()

    def _take(self) -> None:
        """Add new results to the cache."""
        if self._made.empty():
            return
        while not self._made.empty():
            request, svg = self._made.get()
            self._pending.discard(request)
            self._pictures[request] = RenderedFormula(svg)
        while len(self._pictures) > MOST_KEPT:
            self._pictures.popitem(last=False)
        if not self._pending:
            self._look.stop()
        self.ready.emit()


def _work(requests: _FormulaRequests, made: _Made) -> None:
    """Render requests until there is None; the thread knows nothing of the window."""
    while (request := requests.get()) is not None:
        made.put((request, _typeset(request)))


def _typeset(request: _FormulaRequest) -> bytes:
    """Return the SVG of a formula; empty when the library cannot render it."""
    try:
        import ziamath  # noqa: PLC0415 - at start-up it would cost more than the window

        from gradstep_gui.widgets.text import formula_rows  # noqa: F401, PLC0415 - likewise

        ziamath.config.svg2 = False  # QtSvg knows SVG 1.1 alone, and draws nothing else
        formula = ziamath.Latex(request.latex, size=request.size, color=request.color)
        return str(formula.svg()).encode()
    except Exception as error:  # noqa: BLE001 - the boundary to a library: text stands in for it
        logging.getLogger(__name__).warning("could not typeset %r: %s", request.latex, error)
        return b""
