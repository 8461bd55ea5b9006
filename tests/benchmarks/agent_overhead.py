"""What the agent costs a training script, against the goals: the same script with and without it.

    python tests/benchmarks/agent_overhead.py [--rounds 7] [--blocks 24] [--cpu] [--only NAME] ...

    mlp          2-16-16-1 with Tanh, SGD with momentum, batches of 64
    mlp_adam     the same with Adam
    wide         2000-200-20 with ReLU, Adam, batches of 128
    convnet      two convolutions with batch norm, SGD with momentum, 16 images of 28x28
    transformer  one encoder block of width 64 over 32 tokens, AdamW, batches of 16

Each script runs alone and at each level, as processes of their own with one thread that all live at
the same time and take turns: a block of about 50 ms each, again and again, so that what else the
machine does falls on all of them. The time that a script waits for its turn is no running time to
the agent. The C library keeps the memory that is freed: whether it returns it to the system after
each iteration depends on which block lies last, by chance in any of the ways, and makes a convnet a
quarter slower. A process is some hundredths faster or slower than another one by where its memory
lies; so each round starts them anew, and the median of the rounds counts: in each that of the
ratios of neighbouring blocks.

The frames are read in this process and thrown away; at the level full, arrays go through shared
memory. The last column is `gradstep record`: at the level full without a limit, read by another
process, which writes all of it to a file; it has no goal, and takes turns with a script alone
afterwards. A ratio is the time of an iteration with the agent over that without.
`--cpu` measures processor time: for a machine that does other things as well. Needs torch; without
it nothing is measured, and nothing fails.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

LAUNCHER = Path(__file__).parents[2] / "core" / "gradstep_agent" / "launcher.py"
RING = 1 << 26
BLOCK = 0.05
"""Seconds of one turn, about."""
FIRST_BLOCK = 2
"""Iterations of the first turn, which does not count: torch loads some of itself late."""

KEEPS_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(1 << 28), "MALLOC_MMAP_THRESHOLD_": str(1 << 25)}
LEVELS = ("events", "series", "full")
WAYS = ("plain", *LEVELS, "record")
GOALS = {"mlp": (1.20, 1.25, 1.60), "mlp_adam": (1.20, 1.25, 1.60)}
OTHER_GOALS = (1.05, 1.10, 1.25)

BEGINNING = """\
import sys
import time

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)
CLOCK = getattr(time, sys.argv[1])
"""

MLP = """\
model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1))
criterion = nn.MSELoss()
x, y = torch.randn(64, 2), torch.randn(64, 1)
"""

SUBJECTS = {
    "mlp": MLP + "optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)\n",
    "mlp_adam": MLP + "optimizer = torch.optim.Adam(model.parameters(), lr=0.001)\n",
    "wide": """\
model = nn.Sequential(nn.Linear(2000, 200), nn.ReLU(), nn.Linear(200, 20))
criterion = nn.CrossEntropyLoss()
x, y = torch.randn(128, 2000), torch.randint(20, (128,))
optimizer = torch.optim.Adam(model.parameters(), lr=0.0001)
""",
    "convnet": """\
model = nn.Sequential(
    *(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)),
    *(nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2)),
    *(nn.Flatten(), nn.Linear(16 * 7 * 7, 10)),
)
criterion = nn.CrossEntropyLoss()
x, y = torch.randn(16, 1, 28, 28), torch.randint(10, (16,))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
""",
    "transformer": """\
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(100, 64)
        self.block = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
        self.head = nn.Linear(64, 100)

    def forward(self, tokens):
        return self.head(self.block(self.embedding(tokens))).flatten(0, 1)


model = Model()
criterion = nn.CrossEntropyLoss()
x = torch.randint(100, (16, 32))
y = x.roll(1, 1).flatten()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.0001)
""",
}

LOOP = """\
agents = getattr(sys.modules.get("gradstep_agent.attaching"), "_current", ())
waiting = time.perf_counter()
for line in sys.stdin:
    for agent in agents:
        agent.rate.pause(time.perf_counter() - waiting)
    began = CLOCK()
    for _ in range(int(line)):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    print(CLOCK() - began, flush=True)
    waiting = time.perf_counter()
"""


def main() -> int:
    """Measure, print the table, and return 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--blocks", type=int, default=24, help="of each way in a round")
    parser.add_argument("--cpu", action="store_true", help="measure processor time")
    parser.add_argument("--each", action="store_true", help="print the ratios of each round")
    parser.add_argument("--only", choices=SUBJECTS, action="append")
    parser.add_argument("--json", type=Path, help="write the numbers there")
    options = parser.parse_args()
    if importlib.util.find_spec("torch") is None:
        write("The agent's overhead is not measured: torch is not installed.")
        return 0
    names = options.only or list(SUBJECTS)
    with tempfile.TemporaryDirectory() as folder:
        found = {name: measure(name, Path(folder), options) for name in names}
    if options.json:
        options.json.write_text(json.dumps(found))
    return report(found)


def measure(name: str, folder: Path, options: argparse.Namespace) -> dict[str, float]:
    """Return the seconds of an iteration in each of the ways."""
    script = folder / f"{name}.py"
    script.write_text(BEGINNING + SUBJECTS[name] + LOOP)
    clock = "thread_time" if options.cpu else "perf_counter"
    rounds = [measure_round(script, clock, options.blocks) for _ in range(options.rounds)]
    alone = statistics.median(found["plain"] for found in rounds)
    ratios = {way: [found[way] for found in rounds] for way in WAYS if way != "plain"}
    if options.each:
        for way, found in ratios.items():
            write(f"{name:12}{way:>8}" + "".join(f"{ratio:8.3f}" for ratio in found))
    return {"plain": alone} | {way: alone * statistics.median(ratios[way]) for way in ratios}


def measure_round(script: Path, clock: str, blocks: int) -> dict[str, float]:
    """Start a script in each way; return the seconds of an iteration alone, and the ratios."""
    alone = Run(script, "plain", clock)
    runs = {way: Run(script, way, clock) for way in LEVELS}
    size = warm_up([alone, *runs.values()])
    cycles = [[run.block(size) for run in (alone, *runs.values())] for _ in range(blocks)]
    for run in runs.values():
        run.end()
    recorded = Run(script, "record", clock)
    warm_up([recorded])
    for cycle in cycles:
        cycle += [alone.block(size), recorded.block(size)]
        time.sleep(BLOCK)  # so that what is still written does not fall on the script alone
    recorded.end()
    alone.end()
    found = {"plain": statistics.median(cycle[0] for cycle in cycles) / size}
    for index, way in enumerate(LEVELS, 1):
        found[way] = statistics.median(cycle[index] / cycle[0] for cycle in cycles)
    found["record"] = statistics.median(cycle[-1] / cycle[-2] for cycle in cycles)
    return found


def warm_up(runs: list[Run]) -> int:
    """Let scripts run for a while; return how many iterations the first does in a block."""
    size, seconds = FIRST_BLOCK // 2, 0.0
    while seconds < BLOCK or size == FIRST_BLOCK:
        size *= 2
        seconds, *_ = [run.block(size) for run in runs]
    return max(1, round(size * BLOCK / seconds))


class Run:
    """A script that runs block by block.

    Args:
        script: The script.
        way: One of `WAYS`.
        clock: The function of `time` that it measures itself with.
    """

    def __init__(self, script: Path, way: str, clock: str) -> None:
        environment = {**os.environ, **KEEPS_MEMORY, "OMP_NUM_THREADS": "1"}
        command, descriptors = [str(script)], ()
        if way == "record":
            session = ["-o", str(script.with_suffix(".gradstep")), "--python", sys.executable]
            command = ["-m", "gradstep_gui", "record", *session, str(script), "--"]
        elif way != "plain":
            ours, theirs = socket.socketpair()
            ring = RING if way == "full" else 0
            settings = json.dumps({"socket": theirs.fileno(), "level": way, "ring": ring})
            command, descriptors = [str(LAUNCHER), settings, str(script)], (theirs.fileno(),)
        self._process = subprocess.Popen(
            [sys.executable, *command, clock],
            pass_fds=descriptors,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if way == "record" else None,
            env=environment,
            text=True,
        )
        if descriptors:
            theirs.close()
            threading.Thread(target=drain, args=(ours,), daemon=True).start()

    def block(self, size: int) -> float:
        """Run some iterations; return their seconds."""
        self._process.stdin.write(f"{size}\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def end(self) -> None:
        """Let the script end."""
        self._process.communicate()


def drain(sock: socket.socket) -> None:
    """Let the script go, and throw away what it sends."""
    command(sock, {"command": "go"})
    with contextlib.suppress(ConnectionResetError), sock, sock.makefile("rb") as stream:
        while lengths := stream.read(8):
            header = stream.read(int.from_bytes(lengths[:4], "little"))
            stream.read(int.from_bytes(lengths[4:], "little"))
            if b'"ring":' in header:
                position, size = json.loads(header)["ring"]
                command(sock, {"command": "freed", "position": position + size})


def command(sock: socket.socket, content: dict[str, object]) -> None:
    """Send a command, unless the script has ended."""
    text = json.dumps(content).encode()
    with contextlib.suppress(OSError):
        sock.sendall(len(text).to_bytes(4, "little") + bytes(4) + text)


def report(found: dict[str, dict[str, float]]) -> int:
    """Print the ratios and the goals."""
    missed = False
    write(f"{'':12}{'alone':>10}" + "".join(f"{level:>18}" for level in LEVELS) + f"{'record':>9}")
    for name, seconds in found.items():
        line = f"{name:12}{1e6 * seconds['plain']:7.0f} µs"
        for level, goal in zip(LEVELS, GOALS.get(name, OTHER_GOALS), strict=True):
            ratio = seconds[level] / seconds["plain"]
            missed = missed or ratio > goal
            line += f"{ratio:8.2f} (<= {goal:.2f})"
        write(f"{line}{seconds['record'] / seconds['plain']:9.2f}")
    return int(missed)


def write(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
