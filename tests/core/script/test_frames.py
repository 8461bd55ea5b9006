"""Frames are decoded strictly: whatever a script's process sends, nothing but a ScriptError."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gradstep.errors import ScriptError
from gradstep.script.frame_reader import FrameReader
from gradstep.script.frames import MAX_HEADER, Place, Rows, arrays_of, decode_header, rows_of
from gradstep.script.mirror import Mirror
from gradstep.script.tape import ScriptRun, Tape
from gradstep.script.tape_writer import TapeWriter
from tests.core.script.sent_frames import descent


def take(stream):
    """Write a whole stream to a tape, as the recording process does."""
    writer, reader = TapeWriter(Tape(ScriptRun("train.py"))), FrameReader()
    for frame, body in reader.feed(bytes(stream)):
        writer.take(frame, body)
    writer.finish()
    return writer.tape


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
def test_mutated_streams_end_in_a_script_error_or_in_a_tape_that_can_be_played():
    draw = random.Random(20261123)
    sound = bytes(descent(3, momentum=0.5).stream)
    failed = 0
    for _ in range(5000):
        stream = bytearray(sound)
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(len(stream))
            match draw.randrange(3):
                case 0:
                    stream[at] = draw.randrange(256)
                case 1:
                    del stream[at : at + draw.randrange(1, 40)]
                case 2:
                    stream[at:at] = stream[draw.randrange(len(stream)) :][:20]
        try:
            mirror = Mirror(take(stream))
            while mirror.next_operation is not None:
                try:
                    mirror.run(mirror.next_operation)
                except ScriptError:
                    break
        except ScriptError:
            failed += 1
    assert 1000 < failed < 5000  # most mutations are noticed, and some streams stay sound
