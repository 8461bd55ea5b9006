"""A script that is held before each of its Operations, without a process of its own."""

from __future__ import annotations

import numpy as np

from gradstep.script.frame_reader import FrameReader
from gradstep.script.frames import Graph, Held, Micro, Rows, rows_of
from gradstep.script.tape import ScriptRun, Tape
from gradstep.script.tape_writer import TapeWriter


class HeldScript:
    """Plays the frames of a script up to the next Operation, as its agent does.

    Args:
        sent: What the script sends, all of it.
        insides: What happens inside some Operations: frames with their bodies, by Event.
    """

    def __init__(self, sent, insides=None):
        self._insides = insides or {}
        self._gone_inside = 0
        self.tape = Tape(ScriptRun("train.py"))
        self.writer = TapeWriter(self.tape)
        self._frames = list(FrameReader().feed(bytes(sent.stream)))

    @property
    def coming(self):
        return self.writer.coming

    def hold(self):
        self.tape.feed = self
        self._step()

    def advance(self):
        before = len(self.tape.rows)
        while not self.tape.has_ended and len(self.tape.rows) == before:
            self._step()

    def go_inside(self):
        entered = self.tape.entered
        if entered is None:
            self.writer.enter()
            entered, self._gone_inside = self.tape.entered, 0
        left = self._insides.get(self.writer.held.event, [])[self._gone_inside :]
        for frame, body in left:
            self.writer.take(frame, body)
            self._gone_inside += 1
            if isinstance(frame, Micro):
                return
        self._step()

    def end(self):
        """End the script, which has no process."""
        self._frames.clear()

    def _step(self):
        """Play up to the next Operation, and say what it is."""
        self._play_row()
        while self._frames and not isinstance(self._frames[0][0], Rows):
            self.writer.take(*self._frames.pop(0))
        if not self._frames:
            self.writer.finish()
            return
        self.writer.take(self._held(), b"")
        if self.writer.waits:
            self._step()

    def _play_row(self):
        if self.writer.held is not None:
            self.writer.take(*self._frames.pop(0))

    def _held(self):
        """Return the frame that announces the row that comes."""
        frame, body = self._frames[0]
        (row,) = rows_of(frame, body, self.writer._places)
        place = row.place
        return Held(
            *(row.number, place.kind, place.target, place.file, place.line, row.iteration),
            *(row.depth, repr(row.loss if row.loss is not None else float("nan")), []),
            epoch=row.epoch,
            again=bool(place.detail.get("again")),
        )


def micro(kind, name, *, when="after", number=-1, depth=0, **arrays):
    """Return the frame of a part inside an Operation, and its body."""
    found = {key.replace("_", " "): np.asarray(v, np.float32) for key, v in arrays.items()}
    layouts = [(key, "float32", list(value.shape)) for key, value in found.items()]
    frame = Micro(1, kind, when, number, name, depth, layouts, [])
    return frame, b"".join(value.tobytes() for value in found.values())


def graph(loss, *nodes):
    """Return the frame of a graph, and its body."""
    return Graph(loss, [tuple(node) for node in nodes]), b""
