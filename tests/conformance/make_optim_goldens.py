"""Records what torch's optimizers give, for machines without it; run as a module."""

from pathlib import Path

import numpy as np
import torch

from tests.conformance.optim_problem import run
from tests.core.optim.cases import CASES

STEPS = 25
MANY_STEPS = 1000
SAMPLE = 12  # elements kept of each array

if __name__ == "__main__":
    goldens = {}
    for number, (algorithm, options) in enumerate(CASES):
        for name, array in run(torch, algorithm, options, STEPS).items():
            goldens[f"{number}/{name}"] = array.reshape(-1)[:SAMPLE]
        for kind in ("float32", "float64"):
            found = run(torch, algorithm, options, MANY_STEPS, count=2, kind=kind)
            for name in ("0", "1"):
                goldens[f"{kind}/{number}/{name}"] = found[name]
    np.savez_compressed(Path(__file__).with_name("optim_goldens.npz"), **goldens)
