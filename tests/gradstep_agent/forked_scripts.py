"""Training scripts that draw, read, write and print, to go back in; each ends by itself."""

from __future__ import annotations

_START = """
import random, sys
import torch
from torch import nn
torch.manual_seed(0)
random.seed(1)
log = open(sys.argv[1], "w")
x, y = torch.randn(96, 8), torch.randn(96, 1)
def tell(*values):
    print(*values, random.random(), torch.rand(1).item())
    log.write(f"{values}\\n")
"""

_LOOP = """
for i in range(5):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    tell(i, loss.item())
"""

PROGRESS_BAR = """
try:
    from tqdm import tqdm
except ImportError:  # what the agent has to do with of it
    import atexit, multiprocessing, threading

    class TMonitor(threading.Thread):
        __module__ = "tqdm._monitor"
        def __init__(self, tqdm_cls, sleep_interval):
            super().__init__(name="tqdm_monitor", daemon=True)
            self.tqdm_cls, self.sleep_interval = tqdm_cls, sleep_interval
            self.was_killed = threading.Event()
            atexit.register(self._atexit_signal)
            self.start()
        def _atexit_signal(self):
            self.was_killed.set()
        def run(self):
            while not self.was_killed.wait(self.sleep_interval):
                with self.tqdm_cls.get_lock():
                    pass
        def report(self):
            return not self.was_killed.is_set()

    class TqdmDefaultWriteLock:
        mp_lock, th_lock = multiprocessing.RLock(), threading.RLock()
        def __init__(self):
            self.locks = [self.mp_lock, self.th_lock]
        def __enter__(self):
            for lock in self.locks:
                lock.acquire()
        def __exit__(self, *_):
            for lock in reversed(self.locks):
                lock.release()

    class tqdm:
        lock = TqdmDefaultWriteLock()
        monitor = None
        def __init__(self, values, mininterval):
            self.values = values
            if tqdm.monitor is None:
                tqdm.monitor = TMonitor(tqdm, 0.001)
        @classmethod
        def get_lock(cls):
            return cls.lock
        def __iter__(self):
            for value in self.values:
                with self.get_lock():
                    sys.stderr.write(f"{value}\\n")
                yield value
"""

SCRIPTS = {
    "adam": "model = nn.Linear(8, 1)\noptimizer = torch.optim.Adam(model.parameters())" + _LOOP,
    "batch norm": (
        "model = nn.Sequential(nn.Linear(8, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 1))\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)" + _LOOP
    ),
    "dropout": (
        "model = nn.Sequential(nn.Linear(8, 64), nn.Dropout(0.5), nn.Linear(64, 1))\n"
        "optimizer = torch.optim.AdamW(model.parameters())" + _LOOP
    ),
    "convolution": (
        "x = torch.randn(16, 3, 24, 24); y = torch.randn(16, 1)\n"
        "model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(3872, 1))\n"
        "optimizer = torch.optim.Adam(model.parameters())" + _LOOP
    ),
    "lstm": (
        "class Model(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.lstm, self.out = nn.LSTM(8, 32), nn.Linear(32, 1)\n"
        "    def forward(self, x):\n"
        "        return self.out(self.lstm(x.view(12, 8, 8))[0]).view(96, 1)\n"
        "model = Model()\n"
        "optimizer = torch.optim.Adam(model.parameters())" + _LOOP
    ),
    "gan": """
g, d = nn.Linear(4, 8), nn.Sequential(nn.Linear(8, 16), nn.Dropout(), nn.Linear(16, 1))
opt_g, opt_d = (torch.optim.Adam(m.parameters()) for m in (g, d))
bce = nn.BCEWithLogitsLoss()
for i in range(4):
    fake = g(torch.randn(96, 4))
    opt_d.zero_grad()
    d_loss = bce(d(x), torch.ones(96, 1)) + bce(d(fake.detach()), torch.zeros(96, 1))
    d_loss.backward()
    opt_d.step()
    opt_g.zero_grad()
    g_loss = bce(d(fake), torch.ones(96, 1))
    g_loss.backward()
    opt_g.step()
    tell(i, d_loss.item(), g_loss.item())
""",
    "lbfgs": """
model = nn.Linear(8, 1)
optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3)
def closure():
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    return loss
for i in range(3):
    tell(i, optimizer.step(closure).item())
""",
    "progress bar": PROGRESS_BAR
    + """
model = nn.Linear(8, 1)
optimizer = torch.optim.Adam(model.parameters())
for i in tqdm(range(5), mininterval=0):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    tell(i, loss.item(), tqdm.monitor.is_alive(), tqdm.monitor.report())
""",
    "grad scaler": """
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")
for i in range(5):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    tell(i, loss.item())
""",
    "cleared after the loss": """
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")
for i in range(5):
    loss = ((model(x) - y) ** 2).mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    tell(i, loss.item())
""",
    "file": """
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for i, line in enumerate(open(__file__)):
    if i == 6:
        break
    optimizer.zero_grad()
    loss = ((model(x[: 8 + len(line)]) - y[: 8 + len(line)]) ** 2).mean()
    loss.backward()
    optimizer.step()
    tell(i, len(line), loss.item())
""",
    "loader": (
        "data = torch.utils.data.TensorDataset(x, y)\n"
        "model = nn.Linear(8, 1)\n"
        "optimizer = torch.optim.Adam(model.parameters())\n"
        "for x, y in torch.utils.data.DataLoader(data, batch_size=24, shuffle=True):\n"
        "    optimizer.zero_grad()\n"
        "    loss = ((model(x) - y) ** 2).mean()\n"
        "    loss.backward()\n"
        "    optimizer.step()\n"
        "    tell(loss.item(), random.choice(range(100)))\n"
    ),
    "scheduler": (
        "model = nn.Linear(8, 1)\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)"
        + _LOOP
        + "    scheduler.step()\n"
    ),
    "modes": """
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Dropout(0.5), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(4):
    model.train()
    for i in range(2):
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    model.eval()
    model[1].train()
    with torch.no_grad():
        tell(epoch, ((model(x) - y) ** 2).mean().item())
""",
    "by hand": """
w = torch.zeros(8, 1, requires_grad=True)
for i in range(6):
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= random.random() * w.grad
        w.grad.zero_()
    tell(i, loss.item())
""",
}


def text_of(name):
    """Return the text of a script, which is given the path of its log."""
    return f"{_START}{SCRIPTS[name]}\nlog.close()\n"
