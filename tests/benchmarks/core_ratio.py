"""Speed of one training iteration: GradStep against NumPy by hand, and against torch's best.

    python tests/benchmarks/core_ratio.py [WORKLOAD ...] [--json OUT] [--rounds 7]

One process, interleaved blocks (gradstep, numpy, torch, torch fused, gradstep, ...), medians; the
ratios are what counts, since they hold from machine to machine. Workloads:

    tiny       x = [1, 2], loss = sum(100 x), SGD
    linreg     Linear(1, 1) without bias, MSELoss, SGD, 100 rows
    mlp_small  2-16-16-1 with ReLU, MSELoss, Adam, batch 64
    tutorial   2000-200-20 with ReLU, MSELoss(sum), Adam, batch 128
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import os
import statistics
import sys
import time
from pathlib import Path

# Before NumPy is imported; both libraries get the two cores of a small machine.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "2"

import numpy as np

SIZES = {"linreg": [1, 1], "mlp_small": [2, 16, 16, 1], "tutorial": [2000, 200, 20]}
BLOCK = {"tiny": 500, "linreg": 300, "mlp_small": 150, "tutorial": 20}
# The most that an iteration may take: as a multiple of NumPy by hand, and of torch's best.
GOAL = {
    "tiny": (3.0, 0.15),
    "linreg": (3.0, 0.20),
    "mlp_small": (1.2, 0.35),
    "tutorial": (0.7, 1.0),
}
COLUMNS = ("gradstep", "numpy", "torch", "torch fused")
f4 = np.float32


def batch(workload):
    rng = np.random.default_rng(0)
    if workload == "linreg":
        x = rng.normal(size=(100, 1)).astype(f4)
        return x, 3 * x
    if workload == "mlp_small":
        x = rng.normal(size=(64, 2)).astype(f4)
        return x, np.sin(3 * x[:, :1])
    return rng.normal(size=(128, 2000)).astype(f4), rng.normal(size=(128, 20)).astype(f4)


def torch_like(torch, workload, **adam):
    """Return one iteration of the workload; only `torch` (or gradstep) differs."""
    if workload == "tiny":
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        optimizer = torch.optim.SGD([x], lr=1e-3)

        def iterate_tiny():
            optimizer.zero_grad()
            loss = (100 * x).sum()
            loss.backward()
            optimizer.step()

        return iterate_tiny

    nn = torch.nn
    if workload == "linreg":
        model = nn.Linear(1, 1, bias=False)
        optimizer, criterion = torch.optim.SGD(model.parameters(), lr=0.01), nn.MSELoss()
    else:
        sizes, layers = SIZES[workload], []
        for fan_in, fan_out in itertools.pairwise(sizes):
            layers += [nn.Linear(fan_in, fan_out), nn.ReLU()]
        model = nn.Sequential(*layers[:-1])
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, **adam)
        criterion = nn.MSELoss(reduction="sum" if workload == "tutorial" else "mean")
    inputs, target = (torch.tensor(array) for array in batch(workload))

    def iterate():
        optimizer.zero_grad()
        loss = criterion(model(inputs), target)
        loss.backward()
        optimizer.step()

    return iterate


def tiny_by_hand():
    x = np.array([1, 2], f4)

    def iterate():
        nonlocal x
        (100 * x).sum()
        x -= f4(1e-3) * np.full(2, 100, f4)

    return iterate


def linreg_by_hand():
    inputs, target = batch("linreg")
    weight = np.random.default_rng(1).uniform(-1, 1, (1, 1)).astype(f4)

    def iterate():
        nonlocal weight
        error = inputs @ weight.T - target
        (error * error).mean()
        weight -= f4(0.01) * (error.T @ inputs) * f4(2 / len(inputs))

    return iterate


def mlp_by_hand(workload):
    inputs, target = batch(workload)
    rng = np.random.default_rng(1)
    params = []
    for fan_in, fan_out in itertools.pairwise(SIZES[workload]):
        bound = 1 / np.sqrt(fan_in)
        params.append(rng.uniform(-bound, bound, (fan_out, fan_in)).astype(f4))
        params.append(rng.uniform(-bound, bound, fan_out).astype(f4))
    depth, steps = len(params) // 2, 0
    moments = [(np.zeros_like(p), np.zeros_like(p)) for p in params]
    scale = f4(1 if workload == "tutorial" else 1 / target.size)

    def iterate():
        nonlocal steps
        acts = [inputs]
        for i in range(depth):
            hidden = acts[-1] @ params[2 * i].T + params[2 * i + 1]
            acts.append(np.maximum(hidden, 0) if i < depth - 1 else hidden)
        error = acts[-1] - target
        (error * error).sum()
        gradient, grads = 2 * scale * error, [None] * len(params)
        for i in reversed(range(depth)):
            grads[2 * i], grads[2 * i + 1] = gradient.T @ acts[i], gradient.sum(0)
            if i:
                gradient = (gradient @ params[2 * i]) * (acts[i] > 0)
        steps += 1
        rate, root = f4(1e-4 / (1 - 0.9**steps)), f4(np.sqrt(1 - 0.999**steps))
        for p, d, (m, v) in zip(params, grads, moments, strict=True):
            m *= f4(0.9)
            m += f4(0.1) * d
            v *= f4(0.999)
            v += f4(0.001) * d * d
            p -= rate * m / (np.sqrt(v) / root + f4(1e-8))

    return iterate


def by_hand(workload):
    """Return one iteration as an engineer writes it in plain NumPy, without an autograd."""
    special = {"tiny": tiny_by_hand, "linreg": linreg_by_hand}
    return special[workload]() if workload in special else mlp_by_hand(workload)


def contestants(workload):
    import gradstep

    runs = {"gradstep": torch_like(gradstep, workload), "numpy": by_hand(workload)}
    if importlib.util.find_spec("torch"):
        import torch

        torch.set_num_threads(2)
        runs["torch"] = torch_like(torch, workload)
        if workload in {"mlp_small", "tutorial"}:
            runs["torch fused"] = torch_like(torch, workload, fused=True)
    return runs


def measure(workload, rounds):
    """Return the median seconds of one iteration by contestant."""
    runs = contestants(workload)
    times = {name: [] for name in runs}
    for iterate in runs.values():
        for _ in range(max(5, BLOCK[workload] // 10)):
            iterate()
    for _ in range(rounds):
        for name, iterate in runs.items():
            start = time.perf_counter()
            for _ in range(BLOCK[workload]):
                iterate()
            times[name].append((time.perf_counter() - start) / BLOCK[workload])
    return {name: statistics.median(samples) for name, samples in times.items()}


def compare(workload, rounds):
    """Return one row of the table: microseconds, ratios, goals, and whether both are reached."""
    seconds = measure(workload, rounds)
    best = min((t for name, t in seconds.items() if name.startswith("torch")), default=None)
    goal_numpy, goal_torch = GOAL[workload]
    vs_numpy = seconds["gradstep"] / seconds["numpy"]
    vs_torch = None if best is None else seconds["gradstep"] / best
    return {
        "workload": workload,
        "microseconds": {name: round(t * 1e6, 1) for name, t in seconds.items()},
        "vs_numpy": round(vs_numpy, 2),
        "goal_vs_numpy": goal_numpy,
        "vs_torch": None if vs_torch is None else round(vs_torch, 2),
        "goal_vs_torch": goal_torch,
        "ok": vs_numpy <= goal_numpy and (vs_torch is None or vs_torch <= goal_torch),
    }


def as_line(row):
    cells = [f"{row['microseconds'].get(name, float('nan')):12.1f}" for name in COLUMNS]
    against = "-" if row["vs_torch"] is None else f"{row['vs_torch']:.2f}"
    return (
        f"{row['workload']:10}{''.join(cells)}"
        f"{row['vs_numpy']:10.2f} (<= {row['goal_vs_numpy']:.2f})"
        f"{against:>8} (<= {row['goal_vs_torch']:.2f})  {'ok' if row['ok'] else 'slow'}"
    ).replace("nan", "  -")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workload", nargs="*", choices=[*BLOCK, []], help="all unless named")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    parser.add_argument("--rounds", type=int, default=7, help="blocks a contestant; default 7")
    args = parser.parse_args()

    out = sys.stdout
    if not importlib.util.find_spec("torch"):
        out.write("torch is not installed here, so its columns are missing.\n")
    header = "".join(f"{name:>12}" for name in COLUMNS)
    out.write(f"microseconds an iteration, medians of {args.rounds} blocks\n")
    out.write(f"{'':10}{header}{'/ numpy':>10}{'/ torch':>18}\n")
    rows = []
    for workload in args.workload or BLOCK:
        rows.append(compare(workload, args.rounds))
        out.write(as_line(rows[-1]) + "\n")
        out.flush()
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    reached = sum(row["ok"] for row in rows)
    out.write(f"{reached} of {len(rows)} workloads reach both goals\n")
    return 0 if reached == len(rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
