"""What recording costs: `iterate` of a Debugger beside the same program without one."""

from __future__ import annotations

import sys
from pathlib import Path

from figures import ratio_figure

sys.path.insert(0, str(Path(__file__).parents[1]))

import time_travel

GOALS = {
    "mlp_small (2-16-16-1)": (time_travel.SMALL, 60, ">= 0.75"),
    "2000-200-20": (time_travel.BIG, 10, ">= 0.92"),
}


def measure(report):
    """Report the share of the speed of the program that is left while it is recorded."""
    for name, (spec, block, goal) in GOALS.items():
        debugger, program, hand = time_travel.shares(spec, block)
        report.add(
            ratio_figure(
                f"recording, {name}",
                1 / debugger,
                "it/s",
                1 / program,
                "it/s not recorded",
                goal,
                f"quickest of {time_travel.ROUNDS} blocks in turn; a loop by hand over the same "
                f"modules does {1 / hand:,.0f} it/s",
            )
        )
