"""Observes a user's own training script, without changing what it computes.

The agent runs in the script's process. It needs the standard library alone: neither gradstep nor
NumPy, and torch only once the script itself has imported it. What it sees goes as frames
(`gradstep_agent.wire`) through one socket to the process that started the script.

A script or notebook that was not started by GradStep can let itself be debugged:

    import gradstep_agent

    gradstep_agent.attach()  # to `gradstep attach`, which waits in a terminal

    gradstep_agent.record("run.gradstep")  # a file that GradStep opens

    gradstep_agent.listen()  # prints the address and the token for `gradstep attach`

    with gradstep_agent.watch(model, optimizer):
        train()

    gradstep_agent.pause()  # like breakpoint(): holds the script here; nothing without a debugger
"""

from gradstep_agent.attaching import (
    AttachError,
    Listener,
    attach,
    detach,
    listen,
    load_ipython_extension,
    pause,
    record,
    unload_ipython_extension,
    watch,
)
from gradstep_agent.wire import PROTOCOL

__all__ = [
    "PROTOCOL",
    "AttachError",
    "Listener",
    "attach",
    "detach",
    "listen",
    "load_ipython_extension",
    "pause",
    "record",
    "unload_ipython_extension",
    "watch",
]
