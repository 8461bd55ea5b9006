"""Records what torch's optimizers give, for machines without it; run as a module."""

import json
from pathlib import Path

import numpy as np
import torch

from tests.conformance.optim_problem import fit, look_up, run
from tests.core.optim.cases import CASES, SPARSE_CASES, WHOLE_CASES

STEPS = 25
MANY_STEPS = 1000
FITTING_STEPS = 6
SAMPLE = 12  # elements kept of each array
HERE = Path(__file__).parent


def elementwise():
    """Return values and state after a few steps, and values after many."""
    goldens = {}
    for number, (algorithm, options) in enumerate(CASES):
        for name, array in run(torch, algorithm, options, STEPS).items():
            goldens[f"{number}/{name}"] = array.reshape(-1)[:SAMPLE]
        for kind in ("float32", "float64"):
            found = run(torch, algorithm, options, MANY_STEPS, count=2, kind=kind)
            for name in ("0", "1"):
                goldens[f"{kind}/{number}/{name}"] = found[name]
    return goldens


def fitted():
    """Return losses, values and state of the algorithms with problems of their own."""
    found = {f"{n}": fit(torch, *case, FITTING_STEPS) for n, case in enumerate(WHOLE_CASES)}
    found |= {f"sparse{n}": look_up(torch, case, STEPS) for n, case in enumerate(SPARSE_CASES)}
    return {
        f"{case}/{name}": array.reshape(-1)[-SAMPLE:]
        for case, own in found.items()
        for name, array in own.items()
    }


def defaults():
    """Return the default options of each algorithm, as Python writes them, in torch's order."""
    matrix = torch.ones(1, 1, requires_grad=True)
    names = sorted({algorithm for algorithm, _ in (*CASES, *WHOLE_CASES)} | {"SparseAdam"})
    made = {name: getattr(torch.optim, name)([matrix]).defaults for name in names}
    return {name: [[key, repr(value)] for key, value in own.items()] for name, own in made.items()}


if __name__ == "__main__":
    np.savez_compressed(HERE / "optim_goldens.npz", **elementwise())
    np.savez_compressed(HERE / "optim_fitted_goldens.npz", **fitted())
    text = json.dumps(defaults(), indent=1)
    (HERE / "optim_defaults.json").write_text(text + "\n", encoding="utf-8")
