"""Frames are decoded strictly: whatever a script's process sends, nothing but a ScriptError.

GRADSTEP_STREAMS says how many mutated streams are tried; GRADSTEP_SEED draws others.
"""

from __future__ import annotations

import os
import random
import time

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.errors import ScriptError
from gradstep.script.frame_reader import FrameReader
from gradstep.script.frames import MAX_HEADER, Place, Rows, arrays_of, decode_header, rows_of
from gradstep.script.mirror import Mirror
from gradstep.script.tape import ScriptRun, Tape
from gradstep.script.tape_writer import TapeWriter
from tests.core.script.mutations import mutated_stream
from tests.core.script.sent_frames import Sent, descent, every_kind_of_frame, frame, take

STREAMS = int(os.environ.get("GRADSTEP_STREAMS", "1500"))
SEED = int(os.environ.get("GRADSTEP_SEED", "20261123"))
LIMIT_S = 5.0
"""Processor time that one stream may take."""


def test_frames_come_out_whole_however_the_stream_is_cut():
    stream = bytes(descent(2).stream)
    whole = list(FrameReader().feed(stream))
    for size in (1, 7, 100):
        reader = FrameReader()
        parts = [stream[at : at + size] for at in range(0, len(stream), size)]
        assert [found for part in parts for found in reader.feed(part)] == whole


def test_a_frame_that_claims_to_be_enormous_is_rejected_before_it_is_read():
    head = (MAX_HEADER + 1).to_bytes(4, "little") + bytes(4)
    with pytest.raises(ScriptError, match="16,777,217 bytes"):
        list(FrameReader().feed(head))


@pytest.mark.parametrize(
    "header",
    [
        b"{}",
        b"[]",
        b'{"type": "wrong"}',
        b'{"type": "rows", "count": -1}',
        b'{"type": "rows", "count": 1, "more": 2}',
        b'{"type": "rows", "count": NaN}',
        b"\xff\xfe",
        b"[" * 5000,
    ],
)
def test_a_header_that_no_agent_sends_is_a_script_error(header):
    with pytest.raises(ScriptError, match="sent an invalid message"):
        decode_header(header)


def test_bfloat16_becomes_float32_and_complex_numbers_get_a_last_dimension():
    body = np.array([0x3F80, 0xC000], "<u2").tobytes() + np.array([1 + 2j], "<c8").tobytes()
    found, end = arrays_of([("a", "bfloat16", [2]), ("b", "complex64", [1])], body)
    assert found["a"].tolist() == [1.0, -2.0]
    assert found["a"].dtype == np.float32
    assert found["b"].tolist() == [[1.0, 2.0]]
    assert end == len(body)


@pytest.mark.parametrize(
    ("layout", "reason"),
    [(("a", "object", [1]), "element type 'object'"), (("a", "float32", [2]), "a does not fit")],
)
def test_an_array_that_does_not_fit_its_frame_is_rejected(layout, reason):
    with pytest.raises(ScriptError, match=reason):
        arrays_of([layout], bytes(4))


def test_rows_must_fill_their_frame_exactly():
    place = Place(0, "step", "o", "", 1, {}, [], [], [])
    with pytest.raises(ScriptError, match="there are bytes after the last row"):
        rows_of(Rows(0), b"x", {0: place})
    with pytest.raises(ScriptError, match="a row does not fit"):
        rows_of(Rows(1), b"x", {0: place})
    with pytest.raises(ScriptError, match="unknown place 5"):
        rows_of(Rows(1), b"\0\0\0\0\5" + bytes(25), {0: place})


@pytest.mark.slow
def test_mutated_streams_end_in_a_script_error_and_what_came_before_can_be_debugged():
    draw = random.Random(SEED)
    streams = [bytes(sent.stream) for sent in (descent(3, momentum=0.5), every_kind_of_frame())]
    failed = 0
    for _ in range(STREAMS):
        started = time.process_time()
        stream = mutated_stream(draw, draw.choice(streams))
        writer, reader = TapeWriter(Tape(ScriptRun("train.py"))), FrameReader()
        lost = ""
        try:
            for found in reader.feed(stream):
                writer.take(*found)
            writer.finish()
        except ScriptError as error:
            lost = error.message
            failed += 1
        if not writer.tape.has_ended:
            writer.finish(lost)
        debugger = Debugger(Mirror(writer.tape))
        debugger.follow()
        debugger.seek(draw.randrange(len(debugger.events) + 1))
        assert debugger.snapshot.event_index <= len(writer.tape.rows)
        assert time.process_time() - started < LIMIT_S
    assert 0.4 * STREAMS < failed < STREAMS  # most changes are noticed, and some streams stay sound


@pytest.mark.parametrize("name", ["a/b", "optimizer/w"])
def test_a_name_with_a_slash_is_none(name):
    sent = Sent()
    sent.tensor(name, [1.0])
    with pytest.raises(ScriptError, match="sent an invalid message"):
        take(sent.stream)


@pytest.mark.parametrize(
    "stream",
    [
        frame({"type": "torch", "name": "torch", "version": "2"}),
        bytes(Sent().stream) * 2,
        bytes(descent(1).stream) + frame({"type": "interval", "iterations": 2}),
    ],
)
def test_hello_comes_first_and_once_and_nothing_after_bye(stream):
    with pytest.raises(ScriptError, match="out of its order"):
        take(stream)


def test_a_body_that_does_not_belong_to_a_frame_is_rejected_before_it_is_read():
    header = b'{"type": "interval", "iterations": 2}'
    start = len(header).to_bytes(4, "little") + (1 << 30).to_bytes(4, "little") + header
    with pytest.raises(ScriptError, match="1,073,741,824 bytes with Interval"):
        take(bytes(Sent().stream) + start)


def test_a_flood_of_frames_without_an_event_ends_the_connection(monkeypatch):
    monkeypatch.setattr("gradstep.script.frame_reader._MAX_WITHOUT_EVENT", 10)
    sound = bytes(descent(4).stream)
    assert len(take(sound).rows) == 16
    flood = frame({"type": "interval", "iterations": 1}) * 11
    with pytest.raises(ScriptError, match="more than 10 messages without an Event"):
        take(bytes(Sent().stream) + flood)
