"""Several processes: torchrun starts the launcher, and so the agent, in each of them."""

from __future__ import annotations

import importlib
import json
import os
import socket
import sys
from typing import Any, NoReturn


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


def connect(settings: dict[str, Any]) -> socket.socket | None:
    """Return the connection of this process; None when it is to run alone.

    Args:
        settings: The launcher's; with "only_rank" the other processes run without the agent.
    """
    rank = int(os.environ.get("RANK", "0"))
    if settings.get("only_rank", rank) != rank:
        return None
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(settings["address"])
    header = {"type": "token", "token": settings["token"], "rank": rank}
    text = json.dumps(header).encode()
    sock.sendall(len(text).to_bytes(4, "little") + bytes(4) + text)
    return sock


def run_alone(script: str, arguments: list[str], *, is_module: bool) -> NoReturn:
    """Become the script, without the agent."""
    words = ["-u", *(["-m"] if is_module else []), script, *arguments]
    os.execv(sys.executable, [sys.executable, *words])
