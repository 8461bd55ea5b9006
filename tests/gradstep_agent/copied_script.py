"""A script that leaves a copy of itself before each of its events, without torch.

    python copied_script.py SOCKET LOG MODE

It draws, reads this file, prints, and writes a log; woken, it is held before an event. With the
mode "spin" it then computes for ever.
"""

import random
import socket
import sys
from pathlib import Path

from gradstep_agent.forks import Forks
from gradstep_agent.wire import Wire

EVENTS = 6


def main():
    sock, log, mode = sys.argv[1:]
    wire = Wire(socket.socket(fileno=int(sock)))
    wire.greet()
    forks = Forks(wire)
    random.seed(5)
    target = None
    way = "a" if mode == "append" else "w"
    with Path(log).open(way) as written, Path(__file__).open() as read:
        for event in range(EVENTS):
            command = forks.take(event)
            target = target if command is None else command["event"]
            if target == event:
                forks.mute.end()
                wire.send({"type": "held", "event": event})
                wire.receive()
                while mode == "spin":
                    pass
            sys.stdout.write(f"{event} {random.random()}\n")
            if event % 2 == 0:
                sys.stdout.flush()
            written.write(f"{event} {read.readline()}")
            if event % 2:
                written.flush()
    wire.send({"type": "bye"})


if __name__ == "__main__":
    main()
