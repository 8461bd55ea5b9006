"""A process that listens is attached to with its token; everything else is one sentence."""

from __future__ import annotations

import json
import socket
import threading

import pytest

from gradstep.errors import ScriptError
from gradstep.script.channel import attach


@pytest.fixture
def listener():
    """Answer one connection with some bytes; return the address and what the other side sent."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(20)
        answering = []

        def answer(data):
            def run():
                connected, _ = listening.accept()
                with connected:
                    connected.settimeout(20)
                    received.append(connected.recv(1000))
                    connected.sendall(data)

            received = []
            thread = threading.Thread(target=run)
            thread.start()
            answering.append(thread)
            return f"127.0.0.1:{listening.getsockname()[1]}", received

        yield answer
        for thread in answering:
            thread.join()


def frame(**header):
    text = json.dumps(header).encode()
    return len(text).to_bytes(4, "little") + bytes(4) + text


HELLO = frame(type="hello", protocol=1, pid=3, python="3.11")


def test_the_token_goes_first_and_what_is_answered_can_be_read_again(listener):
    address, received = listener(HELLO + b"more")
    channel = attach(address, "secret")
    with channel.socket as sock:
        sock.settimeout(20)
        found = b""
        while len(found) < len(HELLO) + 4:
            found += sock.recv(1000)
    assert found == HELLO + b"more"
    assert received == [frame(command="token", token="secret")]
    assert (channel.wait(), channel.lost()) == (0, "the connection to the process has ended")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (frame(type="refused", action="attach", message="the token is wrong"), "copy it from what"),
        (
            frame(type="refused", action="attach", message="the process is being debugged already"),
            "debugged already; close the other debugger",
        ),
        (b"", "is not GradStep's agent: it has closed the connection"),
        (b"HTTP/1.1 400 Bad Request\r\n" * 400, "is not GradStep's agent: the script's process"),
    ],
)
def test_who_does_not_answer_as_an_agent_is_left(listener, answer, message):
    address, _ = listener(answer)
    with pytest.raises(ScriptError, match=message):
        attach(address, "guessed")


def test_where_nobody_listens_the_remedy_is_named():
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(ScriptError, match=rf"no process listens at {address}: .*; call gradstep_a"):
        attach(address, "token")


@pytest.mark.parametrize("address", ["", "localhost", ":3", "host:", "host:x", "host:99999999"])
def test_what_is_no_address_is_rejected(address):
    with pytest.raises(ScriptError):
        attach(address, "token")
