"""A script that is held before each of its Operations, without a process of its own."""

from __future__ import annotations

import numpy as np

from gradstep.script.frame_reader import FrameReader
from gradstep.script.frames import Done, Graph, Held, Micro, Place, Refused, Rows, rows_of
from gradstep.script.tape import ScriptRun, Tape
from gradstep.script.tape_writer import TapeWriter, refusal
from tests.core.script.sent_frames import Sent


class HeldScript:
    """Plays the frames of a script up to the next Operation, as its agent does.

    Args:
        sent: What the script sends, all of it.
        insides: What happens inside some Operations: frames with their bodies, by Event.
        answers: What it sends to each change that it is asked for.

    Attributes:
        commands: What it was asked to change.
        held_variables: The answers about variables, by frame.
        held_arrays: The tensors that it hands over, by address.
        asked: The frames whose variables were asked for, each with what was opened.
    """

    def __init__(self, sent, insides=None, answers=()):
        self.commands, self.asked = [], []
        self.held_variables, self.held_arrays = {}, {}
        self._answers = list(answers)
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

    def advance(self, iteration=0):
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

    def skip(self):
        self._step()

    def variables(self, frame, opened=()):
        """Return what `held_variables` has for a frame."""
        self.asked.append((frame, *opened))
        return self.held_variables.get(frame)

    def arrays(self, addresses, most=0):
        """Return what `held_arrays` has."""
        found = {name: self.held_arrays[name] for name in addresses if name in self.held_arrays}
        return {
            name: array.reshape(-1)[:most] if most < array.size and most else array
            for name, array in found.items()
        }

    def change(self, operation, command, message):
        self.commands.append(command)
        self.writer.asked = operation, message
        for frame, body in self._answers.pop(0):
            self.writer.take(frame, body)
        self.writer.asked = None
        if isinstance(self.writer.answer, Refused):
            raise refusal(self.writer.answer)

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
        row = self._row(self._frames[0])
        place, loss = row.place, row.loss
        if "loss" in place.detail:
            loss = self._value_at_backward()
        return Held(
            *(row.number, place.kind, place.target, place.file, place.line, row.iteration),
            *(row.depth, repr(loss if loss is not None else float("nan")), []),
            epoch=row.epoch,
            again=bool(place.detail.get("again")),
            loss_name=place.detail.get("loss", ""),
            loss_line=place.detail.get("loss_line", 0),
        )

    def _value_at_backward(self):
        """Return the value of the loss of the next Backward, as the script knows it before."""
        places = {frame.id: frame for frame, _ in self._frames if isinstance(frame, Place)}
        places.update(self.writer._places)
        rows = [self._row(item, places) for item in self._frames if isinstance(item[0], Rows)]
        return next(row.loss for row in rows if row.place.kind == "backward")

    def _row(self, item, places=None):
        (row,) = rows_of(*item, places or self.writer._places)
        return row


def micro(kind, name, *, when="after", number=-1, depth=0, omitted=(), **arrays):
    """Return the frame of a part inside an Operation, and its body."""
    found = {key.replace("_", " "): np.asarray(v, np.float32) for key, v in arrays.items()}
    layouts = [(key, "float32", list(value.shape)) for key, value in found.items()]
    frame = Micro(1, kind, when, number, name, depth, layouts, list(omitted))
    return frame, b"".join(value.tobytes() for value in found.values())


def graph(loss, *nodes):
    """Return the frame of a graph, and its body."""
    return Graph(loss, [tuple(node) for node in nodes]), b""


def answer(action, *events, iteration=0):
    """Return what a script sends when it is changed: the calls of `Sent`, and that it is done."""
    sent = Sent()
    sent.iteration = iteration
    sent._places = dict.fromkeys(range(100), 0)  # those of the script itself
    for call, *arguments in events:
        getattr(sent, call)(*arguments[:-1], **arguments[-1])
    return [*list(FrameReader().feed(bytes(sent.stream)))[2:], (Done(action, 1), b"")]


def refused(action, message):
    """Return what a script sends when it cannot be changed so."""
    return [(Refused(action, message), b"")]
