"""Runs a script as launcher.py does, where each call is expected, or each is looked at anew.

Two more settings: with "expects" false nothing is ever expected; values are recorded in every
"every"-th iteration. At the end it writes how many calls came as expected to standard error.
"""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

LAUNCHER = Path(__file__).parents[2] / "core" / "gradstep_agent" / "launcher.py"
sys.path.insert(0, str(LAUNCHER.parents[1]))

from gradstep_agent.agent import Agent  # noqa: E402 - found by the path above
from gradstep_agent.recording import RecordingRate  # noqa: E402

settings = json.loads(sys.argv[1])
expected = []


def end(agent, begun, args, error=None, *, end=Agent.end):
    """Count a call that came as expected."""
    if begun is not None and begun is agent._repeated and error is None:
        expected.append(None)
    end(agent, begun, args, error)


Agent.end = end
if not settings["expects"]:
    Agent._expect_again = lambda *_: None
RecordingRate.is_recorded = RecordingRate.is_measured = lambda rate, iteration: (
    rate.level != "events" and iteration % settings["every"] == 0
)
RecordingRate.next_choice = property(lambda _: 0, lambda *_: None)
del sys.path[0]
try:
    runpy.run_path(str(LAUNCHER), run_name="__main__")
finally:
    sys.stderr.write(f"expected {len(expected)}\n")
