"""Writes module_goldens.json: the repr, the first values and the outputs of torch's modules.

    python tests/conformance/make_module_goldens.py

The file is committed, so that the numbers are checked where torch is not installed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.conformance.modules_table import MODULES, flat


def main() -> None:
    """Make and call every module of the table."""
    torch.set_default_dtype(torch.float64)
    goldens = {}
    for made in MODULES:
        torch.manual_seed(3)
        module = made.make(torch.nn)
        outputs = flat(module(*map(torch.from_numpy, made.arrays())))
        goldens[made.name] = {
            "repr": repr(module),
            "state": {
                name: [list(tensor.shape), float(f"{tensor.double().sum().item():.12g}")]
                for name, tensor in module.state_dict().items()
            },
            "outputs": [
                [float(f"{value:.12g}") for value in output.detach().flatten().tolist()]
                for output in outputs
            ],
        }
    lines = [f"{json.dumps(name)}: {json.dumps(golden)}" for name, golden in goldens.items()]
    path = Path(__file__).parent / "module_goldens.json"
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
