"""What it costs to record a run and to go back in it, against the goals.

    python tests/benchmarks/time_travel.py [--iterations 100000] [--seeks 500] [--json OUT]

    mlp_small  2-16-16-1 with Tanh, Adam, shuffled batches of 64
    tutorial   2000-200-20 with ReLU, Adam, batches of 128

The speed of `iterate` is given as a share of that of the same program without a debugger
(`Program.run` over the same loop), and of a loop written by hand over the same modules, in
interleaved blocks of which the quickest counts. The memory is that of the whole process, the
interpreter and the libraries included.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import time
from pathlib import Path

# Before NumPy is imported; as many as the window and the command line compute with.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

import gradstep_torch as torch
from gradstep import nn, optim
from gradstep.debugger import Debugger
from gradstep.program.document.codec import decode
from gradstep.program.program import Program

SEEK_MS, MEMORY_MB, SHARE_SMALL, SHARE_BIG = 50.0, 400.0, 0.70, 0.95
ROUNDS = 30


def document(data, widths, activation, criterion):
    """Return a program of fully connected layers."""
    layers = []
    for inputs, outputs in itertools.pairwise(widths):
        layers += [
            {"kind": "Linear", "in_features": inputs, "out_features": outputs},
            {"kind": activation},
        ]
    return decode(
        json.dumps(
            {
                "gradstep": 1,
                "data": {"d": data},
                "modules": {"model": layers[:-1]},
                "losses": {
                    "loss": {"data": "d", "chain": ["model"], "criterion": {"kind": criterion}}
                },
                "optimizers": {"optimizer": {"kind": "Adam", "params": ["model.*"], "lr": 1e-3}},
            }
        ).encode()
    )


SMALL = document(
    {"kind": "moons", "samples": 1024, "noise": 0.1, "batch_size": 64, "shuffle": True},
    (2, 16, 16, 1),
    "Tanh",
    "BCEWithLogitsLoss",
)
BIG = document(
    {"kind": "gaussian", "samples": 128, "inputs": 2000, "targets": 20, "batch_size": 128},
    (2000, 200, 20),
    "ReLU",
    "MSELoss",
)


def by_program(spec):
    """Return the program's own loop without a debugger."""
    program = Program.from_spec(spec)

    def iterate():
        for operation in program.loop_operations():
            program.run(operation)

    return iterate


def by_hand(spec):
    """Return a loop as a person writes it, over the same modules and batches."""
    program = Program.from_spec(spec)
    model, feed = program.modules["model"], program._live.losses["loss"]
    inputs, targets = torch.tensor(feed.inputs), torch.tensor(feed.targets)
    criterion = nn.MSELoss() if spec is BIG else nn.BCEWithLogitsLoss()
    optimizer = optim.Adam(model.parameters(), lr=1e-3)
    size, batch = len(inputs), 128 if spec is BIG else 64
    place = {"at": size, "order": None}

    def iterate():
        if place["at"] + batch > size:
            place["at"], place["order"] = 0, torch.randperm(size)
        rows = place["order"][place["at"] : place["at"] + batch]
        place["at"] += batch
        x, y = (inputs, targets) if spec is BIG else (inputs[rows], targets[rows])
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()

    return iterate


def shares(spec, block):
    """Return the quickest seconds an iteration takes in a debugger, without one, and by hand."""
    debugger = Debugger(spec)
    runs = (lambda: debugger.iterate(block), by_program(spec), by_hand(spec))
    counts = (1, block, block)
    for run, count in zip(runs, counts, strict=True):
        for _ in range(count * 2):
            run()
    best = [float("inf")] * 3
    for _ in range(ROUNDS):
        for which, (run, count) in enumerate(zip(runs, counts, strict=True)):
            start = time.perf_counter()
            for _ in range(count):
                run()
            best[which] = min(best[which], (time.perf_counter() - start) / block)
    return best


def memory_mb():
    """Return the resident memory of this process in megabytes (2**20)."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def travel(iterations, seeks):
    """Run for long, then seek to random Events; return seconds, megabytes and milliseconds."""
    debugger = Debugger(SMALL)
    start = time.perf_counter()
    debugger.iterate(iterations)
    ran = time.perf_counter() - start
    used = memory_mb()
    events = len(debugger.events)
    times = []
    for index in np.random.default_rng(0).integers(0, events + 1, seeks).tolist():
        start = time.perf_counter()
        debugger.seek(index)
        times.append(1e3 * (time.perf_counter() - start))
    return ran, events, max(used, memory_mb()), times, len(debugger.history.checkpoints)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=100_000)
    parser.add_argument("--seeks", type=int, default=500)
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    args = parser.parse_args()

    rows = []

    def report(what, value, unit, goal="", ok=None):
        rows.append({"what": what, "value": value, "unit": unit, "goal": goal, "ok": ok})
        verdict = "" if ok is None else "ok" if ok else "short"
        sys.stdout.write(f"{what:48}{value:12.2f} {unit:8}{goal:>12}  {verdict}\n")
        sys.stdout.flush()

    for name, spec, block, least in (
        ("mlp_small", SMALL, 60, SHARE_SMALL),
        ("tutorial", BIG, 10, SHARE_BIG),
    ):
        debugger, program, hand = shares(spec, block)
        report(f"{name}: iterate", 1e6 * debugger, "us")
        share = program / debugger
        report(
            f"{name}: share of the speed without debugger", share, "", f">= {least}", share >= least
        )
        report(f"{name}: share of the speed of a loop by hand", hand / debugger, "")
    ran, events, used, times, checkpoints = travel(args.iterations, args.seeks)
    report(f"{events} Events recorded in", ran, "s")
    report("checkpoints", checkpoints, "")
    report("memory of the process", used, "MB", f"< {MEMORY_MB:.0f}", used < MEMORY_MB)
    report("seek to a random Event, median", float(np.median(times)), "ms")
    late = float(np.percentile(times, 99))
    report("seek to a random Event, p99", late, "ms", f"<= {SEEK_MS:.0f}", late <= SEEK_MS)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0 if all(row["ok"] is not False for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
