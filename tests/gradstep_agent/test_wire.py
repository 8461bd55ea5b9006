"""Frames: how Events are packed, what JSON cannot say, and who reads no more."""

from __future__ import annotations

import json
import math
import socket
import threading

import pytest

from gradstep_agent.wire import LENGTHS, ROW, Disconnected, Wire, packed_rows
from tests.gradstep_agent.client import command


@pytest.fixture
def ends():
    ours, theirs = socket.socketpair()
    yield Wire(ours), theirs
    ours.close()
    theirs.close()


def read(sock):
    header, body = LENGTHS.unpack(sock.recv(LENGTHS.size))
    return json.loads(sock.recv(header)), sock.recv(body) if body else b""


def read_exactly(sock, size):
    data = b""
    while len(data) < size:
        data += sock.recv(size - len(data))
    return data


def test_rows_wait_and_go_out_before_the_next_frame(ends):
    wire, other = ends
    wire.add_rows(2, b"onetwo")
    wire.send({"type": "next"}, [b"a", b"bc"])
    assert read(other) == ({"type": "rows", "count": 2}, b"onetwo")
    assert read(other) == ({"type": "next"}, b"abc")


def test_a_row_of_many_bytes_does_not_wait(ends):
    wire, other = ends
    wire.add_rows(1, b"")
    sender = threading.Thread(target=wire.add_values, args=([bytes((1 << 18) + 1)],))
    sender.start()
    header, body = LENGTHS.unpack(other.recv(LENGTHS.size))
    assert json.loads(other.recv(header)) == {"type": "rows", "count": 1}
    assert len(read_exactly(other, body)) == body == (1 << 18) + 1
    sender.join()


def test_numbers_that_json_cannot_say_are_text(ends):
    wire, other = ends
    wire.send({"lr": math.nan, "more": [math.inf, {"a": -math.inf}], "b": 1.5})
    assert read(other)[0] == {"lr": "nan", "more": ["inf", {"a": "-inf"}], "b": 1.5}


def test_commands_are_read_whole_and_in_their_order(ends):
    wire, other = ends
    assert not wire.has_command()
    both = command("go") + command("until", event=7)
    other.sendall(both[:13])
    other.sendall(both[13:])
    assert wire.has_command()
    assert [wire.receive(), wire.receive()] == [
        {"command": "go"},
        {"command": "until", "event": 7},
    ]


@pytest.mark.parametrize(
    "hostile", [LENGTHS.pack(1 << 30, 0), LENGTHS.pack(2, 5) + b"{}", LENGTHS.pack(2, 0) + b"[]"]
)
def test_what_is_no_command_ends_the_connection(ends, hostile):
    wire, other = ends
    other.sendall(hostile)
    with pytest.raises(Disconnected):
        wire.receive()


def test_a_closed_connection_is_noticed(ends):
    wire, other = ends
    other.close()
    assert wire.has_command()
    with pytest.raises(Disconnected, match="closed"):
        wire.receive()
    with pytest.raises(Disconnected):
        wire.send({"type": "next"})


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 200])
def test_rows_are_packed_one_after_the_other_however_many_there_are(count):
    rows = [(number % 3, 0, number // 4, 1, number / 3, 0.5) for number in range(count)]
    packed = packed_rows([value for row in rows for value in (0, *row)], 7)
    assert list(ROW.iter_unpack(packed)) == [(7 + at, *row) for at, row in enumerate(rows)]
