"""Records what torch's schedulers set, for machines without it; run as a module."""

from pathlib import Path

import numpy as np
import torch

from tests.core.optim.lr_scheduler.cases import CASES, trajectory

if __name__ == "__main__":
    goldens = {name: np.array(trajectory(torch, case)) for name, case in CASES.items()}
    np.savez_compressed(Path(__file__).with_name("scheduler_goldens.npz"), **goldens)
