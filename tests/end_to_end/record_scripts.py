"""Records scripts one after the other: `python record_scripts.py LEVEL FOLDER SCRIPT ...`.

torch is imported once; each script runs in a forked process. FOLDER gets what each agent sent, as
`NAME.frames`.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
from pathlib import Path

import torch
import torch._dynamo

TORCH = torch, torch._dynamo
"""Imported for the forked processes: the first optimizer imports the second."""

LAUNCHER = Path(__file__).parents[2] / "core" / "gradstep_agent" / "launcher.py"


def run(script, level, sock):
    """Run a script under the agent, in this process."""
    sys.path.insert(0, str(LAUNCHER.parent))
    options = {"socket": sock.detach(), "share": 0, "level": level}
    sys.argv = [str(LAUNCHER), json.dumps(options), script]
    import launcher

    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    launcher.main()


def record(script, level, folder):
    """Run a script in a forked process, and write the frames that it sends."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if not child:
        ours.close()
        try:
            run(script, level, theirs)
        finally:
            os._exit(0)
    theirs.close()
    go = b'{"command": "go"}'
    ours.sendall(len(go).to_bytes(4, "little") + bytes(4) + go)
    frames = folder / f"{Path(script).stem}.frames"
    with frames.open("wb") as file, contextlib.suppress(ConnectionResetError):
        while data := ours.recv(1 << 20):
            file.write(data)
    os.waitpid(child, 0)


if __name__ == "__main__":
    for path in sys.argv[3:]:
        record(path, sys.argv[1], Path(sys.argv[2]))
