"""Writes ops_goldens.json: what torch gives for every case of the table, value and gradients.

    python tests/conformance/make_goldens.py

The file is committed, so that the numbers are checked where torch is not installed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.conformance.ops_table import CASES


def main() -> None:
    """Compute and write all cases."""
    goldens = {}
    for case in CASES:
        inputs = [torch.tensor(array, requires_grad=True) for array in case.arrays()]
        output = case.call(torch, *inputs)
        flowing = torch.linspace(0.5, 1.5, output.numel(), dtype=torch.float64)
        grads = torch.autograd.grad(
            output, inputs, flowing.reshape(output.shape), allow_unused=True
        )
        goldens[case.name] = {
            "shape": list(output.shape),
            "output": [float(f"{value:.12g}") for value in output.flatten().tolist()],
            "grads": [
                None
                if grad is None
                else [float(f"{value:.12g}") for value in grad.flatten().tolist()]
                for grad in grads
            ],
        }
    lines = [f"{json.dumps(name)}: {json.dumps(golden)}" for name, golden in goldens.items()]
    path = Path(__file__).parent / "ops_goldens.json"
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
