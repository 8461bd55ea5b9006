"""Sees what somebody's own training script does, without changing what it computes.

The agent runs in the script's process. It needs the standard library alone: neither gradstep nor
NumPy, and torch only once the script itself has imported it. What it sees goes as frames
(`gradstep_agent.wire`) through one socket to whoever started the script.
"""

PROTOCOL = 1
"""The version of the frames; the first frame names it."""
