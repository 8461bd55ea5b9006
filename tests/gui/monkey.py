"""Monkey: does at random what a person can do with mouse, wheel and keys, and can be repeated."""

from __future__ import annotations

import random

from PySide6.QtCore import QObject, QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from gradstep.program.gallery import scenarios

KEYS = (
    *(Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Return, Qt.Key.Key_Space, Qt.Key.Key_Escape),
    *(Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home),
    *(Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Delete, Qt.Key.Key_Menu),
    *(Qt.Key.Key_F2, Qt.Key.Key_F5, Qt.Key.Key_F8, Qt.Key.Key_F10, Qt.Key.Key_F11, Qt.Key.Key_A),
    *(Qt.Key.Key_C, Qt.Key.Key_E, Qt.Key.Key_0, Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_3),
    *(Qt.Key.Key_Period, Qt.Key.Key_Minus, Qt.Key.Key_Plus, Qt.Key.Key_Backspace),
)
MODIFIERS = (
    *(Qt.KeyboardModifier.NoModifier,) * 6,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
BUTTONS = (*(Qt.MouseButton.LeftButton,) * 5, Qt.MouseButton.RightButton)
SIZES = ((800, 600), (1024, 768), (1280, 800), (1900, 1000))
LONGEST_RUN = 60


class Monkey(QObject):
    """Makes one random move in each turn of the event loop, in dialogs and menus as well.

    Args:
        window: The window to play with; its dialogs for files must answer by themselves.
        seed: The same moves come of the same seed, as far as the worker is as fast.
        moves: How many.
        files: What it opens now and then; the programs that ship by default.
    """

    done = Signal()

    def __init__(self, window, seed, moves, files=()):
        super().__init__(window)
        self.window = window
        self.left = moves
        self.moves = []
        self._top = window
        self._random = random.Random(seed)
        self._files = files or [found.path for found in scenarios()]
        self._kinds = (
            (self.trigger, 8),
            (self.click, 10),
            (self.press_key, 6),
            (self.turn_wheel, 3),
            (self.drag, 3),
            (self.move_dock, 2),
            (self.resize, 1),
            (self.open, 1),
            (self.run_a_little, 2),
        )

    def start(self):
        """Begin."""
        QTimer.singleShot(0, self, self._move)

    def _move(self):
        if self.left == 0:
            self._leave()
            return
        self.left -= 1
        QTimer.singleShot(0, self, self._move)  # first: a move may open a dialog, and stay in it
        kinds, weights = zip(*self._kinds, strict=True)
        (kind,) = self._random.choices(kinds, weights)
        kind()

    def _leave(self):
        """Close what is open over the window, the last first, so that nothing waits in it."""
        over = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if over is None:
            self.window.controller.pause()
            self.done.emit()
        else:
            self._note("close", over)
            if isinstance(over, QDialog):
                over.done(0)  # a dialog may ask again whether to close, without end
            else:
                over.close()
            QTimer.singleShot(0, self, self._leave)

    def _note(self, what, on=""):
        name = on if isinstance(on, str) else f"{type(on).__name__} {on.objectName()}"
        self.moves.append(f"{what} {name}".strip())

    def _place(self):
        """What lies on top, and a point in it."""
        over = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        floats = [dock for dock in self.window.docks.values() if dock.isFloating()]
        tops = [self.window] * 5 + [dock for dock in floats if dock.isVisible()]
        self._top = top = over or self._random.choice(tops)  # kept: without it its children go
        seen = [
            child
            for child in top.findChildren(QWidget)
            if child.isVisibleTo(top) and not child.visibleRegion().isEmpty() and child.isEnabled()
        ]
        chosen = self._random.choice(seen) if seen else top
        room = chosen.visibleRegion().boundingRect()
        x = self._random.randint(room.left(), max(room.left(), room.right()))
        y = self._random.randint(room.top(), max(room.top(), room.bottom()))
        return chosen, QPoint(x, y)

    def trigger(self):
        """Choose an entry of a menu that can be chosen now."""
        if QApplication.activeModalWidget() is not None:
            self.click()
            return
        entries = [
            found
            for found in self.window.findChildren(QAction)
            if found.isEnabled() and "." in found.objectName().replace("file.quit", "")
        ]
        chosen = self._random.choice(entries)
        self._note("trigger", chosen.objectName())
        chosen.trigger()

    def click(self):
        """Click once, or twice, anywhere."""
        chosen, at = self._place()
        button = self._random.choice(BUTTONS)
        twice = self._random.random() < 0.15
        self._note(f"{button.name} {'twice ' if twice else ''}on {at.x()},{at.y()} of", chosen)
        (QTest.mouseDClick if twice else QTest.mouseClick)(chosen, button, pos=at)

    def press_key(self):
        """Press a key where the focus is."""
        over = QApplication.activePopupWidget() or QApplication.activeModalWidget() or self.window
        key, modifier = self._random.choice(KEYS), self._random.choice(MODIFIERS)
        chosen = QApplication.focusWidget() or over
        self._note(f"{modifier.name} {key.name} in", chosen)
        QTest.keyClick(chosen, key, modifier)

    def turn_wheel(self):
        """Turn the wheel, alone or with Ctrl."""
        chosen, at = self._place()
        turn = self._random.choice((-120, 120, 360))
        modifier = self._random.choice(MODIFIERS)
        self._note(f"wheel {turn} {modifier.name}", chosen)
        place = QPointF(at)
        event = QWheelEvent(
            place,
            chosen.mapToGlobal(place),
            QPoint(),
            QPoint(0, turn),
            Qt.MouseButton.NoButton,
            modifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(chosen, event)

    def drag(self):
        """Press, move and let go."""
        chosen, at = self._place()
        to = at + QPoint(self._random.randint(-80, 80), self._random.randint(-80, 80))
        self._note(f"drag {at.x()},{at.y()} to {to.x()},{to.y()} of", chosen)
        QTest.mousePress(chosen, Qt.MouseButton.LeftButton, pos=at)
        for part in (0.3, 0.6, 1.0):
            QTest.mouseMove(chosen, at + (to - at) * part)
        QTest.mouseRelease(chosen, Qt.MouseButton.LeftButton, pos=to)

    def move_dock(self):
        """Let a dock float, put it back, close it or show it."""
        dock = self._random.choice(list(self.window.docks.values()))
        how = self._random.randrange(4)
        self._note(("float", "put back", "toggle", "raise")[how], dock)
        if how < 2:
            dock.setFloating(how == 0)
        elif how == 2:
            dock.toggleViewAction().trigger()
        else:
            self.window.show_view(self._random.choice(list(self.window.views)))

    def resize(self):
        """Give the window another size."""
        size = self._random.choice(SIZES)
        self._note(f"resize {size[0]}x{size[1]}")
        self.window.resize(*size)

    def open(self):
        """Open a program that ships, or another of its files."""
        if QApplication.activeModalWidget() is None:
            path = self._random.choice(self._files)
            self._note("open", path.stem)
            self.window.controller.open(path, as_copy=True)

    def run_a_little(self):
        """Run some iterations."""
        if self.window.controller.state.work == "paused":
            count = self._random.randint(1, LONGEST_RUN)
            self._note(f"run {count}")
            self.window.controller.iterate(count)
