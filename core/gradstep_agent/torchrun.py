"""Several processes: torchrun starts the launcher, and so the agent, in each of them."""

from __future__ import annotations

import importlib
import json
import os
import socket
import sys
from typing import Any


def run(settings: dict[str, Any], arguments: list[str], launcher: str) -> None:
    """Run torchrun with these arguments; its processes run their script under the launcher.

    Args:
        settings: The launcher's; "address" is where each process connects to.
        arguments: What follows `torchrun` on the command line.
        launcher: The path of the launcher.
    """
    torchrun: Any = importlib.import_module("torch.distributed.run")
    parse = torchrun.parse_args

    def parse_args(given: list[str]) -> Any:
        found = parse(given)
        if found.no_python or found.run_path:
            sys.stderr.write("gradstep: --no-python and --run-path cannot be debugged\n")
            raise SystemExit(2)
        own = {key: value for key, value in settings.items() if key != "torchrun"}
        options = json.dumps({**own, "module": found.module})
        found.training_script_args = [options, found.training_script, *found.training_script_args]
        found.training_script, found.module = launcher, False
        return found

    torchrun.parse_args = parse_args
    sys.argv[:] = ["torchrun", *arguments]
    torchrun.main(arguments)


def connect(settings: dict[str, Any]) -> socket.socket:
    """Return the connection of this process.

    Args:
        settings: The launcher's.
    """
    rank, size = int(os.environ.get("RANK", "0")), int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    if sys.platform == "win32":  # scripts run on Linux and macOS
        raise OSError("this needs Linux or macOS")
    sock = socket.socket(socket.AF_UNIX)
    try:
        sock.connect(settings["address"])
    except OSError:
        sys.stderr.write(f"gradstep: rank {rank} was started, but nobody waits for it any more\n")
        raise SystemExit(1) from None
    header = {"type": "token", "token": settings["token"], "rank": rank, "size": size}
    text = json.dumps(header).encode()
    sock.sendall(len(text).to_bytes(4, "little") + bytes(4) + text)
    return sock
