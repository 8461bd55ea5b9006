"""Iterations and epochs are counted from the places of Operations alone."""

from __future__ import annotations

import sys

import pytest

from gradstep_agent.loop_position import LoopPosition
from gradstep_agent.sites import Sites
from tests.gradstep_agent.client import record


@pytest.fixture
def positions(monkeypatch):
    """Return a function that runs a script and gives (iteration, epoch) at each `op()`.

    What it calls `model()` is seen as the call of a model.
    """
    monkeypatch.setattr(
        "gradstep_agent.loop_position.is_user_code", lambda code: code.co_filename.endswith("s.py")
    )

    def run(tmp_path, text):
        path = tmp_path / "s.py"
        path.write_text(text)
        position, seen = LoopPosition(Sites()), []

        def operation(*, is_call=False):
            frame = called_by = sys._getframe(1 + is_call)
            while frame.f_code.co_filename != str(path):
                frame = frame.f_back
            position.pass_trail(position.trail_of(frame, called_by, is_call=is_call), frame)
            seen.append((position.iteration, position.epoch))

        def model():
            operation(is_call=True)

        class Optimizer:
            def step(self, *_):
                frame, name = sys._getframe(1), str(id(self))
                position.pass_trail(position.trail_of(frame, frame, stepped=name), frame)
                seen.append((position.iteration, position.epoch))

            zero_grad = step

        def fit(iterations):
            for _ in range(iterations):
                operation()
                operation()
                operation()

        def backward():
            operation()

        names = {"op": operation, "O": Optimizer, "fit": fit, "backward": backward}
        names["model"] = model
        try:
            exec(compile(text, str(path), "exec"), names)
        except RuntimeError as error:
            return position.iteration, position.is_left_by(error.__traceback__.tb_next)
        return seen

    return run


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "for i in range(3):\n    op()\n    op()\n",
            [(0, 0), (0, 0), (1, 0), (1, 0), (2, 0), (2, 0)],
        ),
        ("op()\nop()\nop()\n", [(0, 0)] * 3),
        (  # accumulation: what a library's function does once each time is no loop of its own
            "for i in range(2):\n    op()\n    for m in range(2):\n        backward()\n    op()\n"
            "op()\nbackward()\n",
            [*((0, 0), (0, 0), (1, 0), (1, 0)), *((2, 0), (2, 0), (3, 1), (3, 1)), *((3, 1),) * 2],
        ),
        (  # the loop over a generator goes round with that in it
            "def g():\n    while True:\n        op()\n        yield\n"
            "for i, _ in zip(range(3), g()):\n    pass\n",
            [(0, 0), (1, 0), (2, 0)],
        ),
        (
            "def g():\n    for e in range(2):\n        for b in range(2):\n            op()\n"
            "        yield e\nfor result in g():\n    pass\n",
            [(0, 0), (1, 0), (2, 1), (3, 1)],
        ),
        (
            "for e in range(2):\n    for b in range(2):\n        op()\n",
            [(0, 0), (1, 0), (2, 1), (3, 1)],
        ),
        (
            "def train():\n    for b in range(2):\n        op()\nfor e in range(2):\n    train()\n",
            [(0, 0), (1, 0), (2, 1), (3, 1)],
        ),
        (
            "def step():\n    op()\n    op()\nfor i in range(2):\n    step()\n",
            [(0, 0), (0, 0), (1, 0), (1, 0)],
        ),
        (
            "op()\nfit(3)\nop()\n",  # the loop of a framework
            [(0, 0)] * 4 + [(1, 0)] * 3 + [(2, 0)] * 4,
        ),
        ("fit(2)\nfit(2)\n", [(0, 0)] * 3 + [(1, 0)] * 3 + [(2, 0)] * 3 + [(3, 0)] * 3),
        (
            "def train(n):\n    for b in range(n):\n        op()\n        op()\n"
            "for e in 'ab':\n    train(2)\n    train(1)\n",
            [(n, n // 3) for n in range(6) for _ in range(2)],
        ),
        (
            "for a in range(2):\n    op()\nop()\nfor b in range(2):\n    op()\n    op()\nop()\n",
            [(0, 0), (1, 0), (1, 0), (2, 0), (2, 0), (3, 0), (3, 0), (3, 0)],
        ),
        (
            "for b in range(2):\n    op()\n    for part in range(2):\n        op()\n    op()\n",
            [(0, 0), (0, 0), (1, 0), (1, 0), (2, 0), (2, 0), (3, 1), (3, 1)],
        ),
        (
            "for b in range(2):\n    for d in range(2):\n        op()\n"
            "    for g in range(2):\n        op()\n",
            [(n, n // 4) for n in range(8)],
        ),
        ("i = 0\nwhile i < 2:\n    op()\n    i += 1\n", [(0, 0), (1, 0)]),
        (
            "for i in range(4):\n    op()\n    if i % 2: op()\n",
            [(0, 0), (1, 0), (1, 0), (2, 0), (3, 0), (3, 0)],
        ),
        (
            "class Trainer:\n def fit(self):\n  for self.epoch in range(2):\n"
            "   for self.batch, x in enumerate('ab'):\n    op()\nTrainer().fit()\n",
            [(0, 0), (1, 0), (2, 1), (3, 1)],
        ),
        (
            "for i in range(2):\n    op()\n    for o in (O(), O()): o.step()\n    op()\n",
            [(0, 0)] * 4 + [(1, 0)] * 4,
        ),
        (  # an optimizer of each parameter, made when it is needed
            "made = {}\ndef update(names):\n    for n in names:\n        if n not in made:\n"
            "            made[n] = O()\n        made[n].step()\n"
            "for i in range(2):\n    op()\n    update('ab')\n",
            [(0, 0)] * 3 + [(1, 0)] * 3,
        ),
        ("o = O()\nfor i in range(3):\n    o.step()\n", [(0, 0), (1, 0), (2, 0)]),
        (
            "for i in range(2):\n    for n, o in enumerate([O(), O()]):\n"
            "        if o:\n            o.zero_grad()\n            o.step()\n    op()\n",
            [(0, 0)] * 5 + [(1, 0)] * 5,
        ),
        (
            "for i in range(2):\n    [o.zero_grad() for o in (O(), O())]\n    op()\n",
            [(0, 0)] * 3 + [(1, 0)] * 3,
        ),
        (
            "opts = {'a': O(), 'b': O()}\nfor i in range(2):\n    op()\n"
            "    for k in opts:\n        opts[k].step()\n",
            [(0, 0)] * 3 + [(1, 0)] * 3,
        ),
        (
            "opts = [O(), O()]\nfor i in range(2):\n    op()\n"
            "    for k in range(2): opts[k].zero_grad(); opts[k].step()\n",
            [(0, 0)] * 5 + [(1, 0)] * 5,
        ),
        (
            "def update(os):\n    for o in os:\n        s.step(o)\ns = O()\n"
            "for i in range(2):\n    op()\n    update([O(), O()])\n",
            [(0, 0)] * 3 + [(1, 0)] * 3,
        ),
        (
            "for o in (O(), O()):\n    op()\n    o.step()\n",
            [(0, 0), (0, 0), (1, 0), (1, 0)],
        ),
        (
            "for o in (O(), O()):\n    o.zero_grad()\n    (lambda: op())()\n    o.step()\n",
            [(0, 0)] * 3 + [(1, 0)] * 3,
        ),
        (  # the phases of an epoch
            "for e in range(2):\n    for phase in ['train', 'val']:\n"
            "        for b in range(2):\n            op()\n",
            [(n, n // 4) for n in range(8)],
        ),
        (
            "for e, name in enumerate('ab'):\n    for b in range(2):\n        op()\n    pass\n",
            [(0, 0), (1, 0), (2, 1), (3, 1)],
        ),
    ],
)
def test_a_loop_has_begun_again_when_the_position_does_not_grow(
    positions, tmp_path, text, expected
):
    assert positions(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (  # what comes first in a pass, and again before another Operation
            "for i in range(3):\n    model()\n    model()\n    op()\n    model()\n    op()\n",
            [(n, 0) for n in range(3) for _ in range(5)],
        ),
        (  # an evaluation after each epoch has a loop of its own
            "for e in range(2):\n    for b in range(2):\n        model()\n        op()\n"
            "    for b in range(2):\n        model()\n",
            [*((0, 0), (0, 0)), *((1, 0),) * 4, *((2, 1), (2, 1)), *((3, 1),) * 4],
        ),
        (  # one before each epoch
            "for e in range(2):\n    for b in range(2):\n        model()\n"
            "    for b in range(2):\n        model()\n        op()\n",
            [*((0, 0),) * 4, *((1, 0),) * 4, *((2, 1),) * 2, *((3, 1),) * 2],
        ),
        (  # one in a pass, by a function
            "def evaluate():\n    for b in range(2):\n        model()\n"
            "for i in range(2):\n    model()\n    op()\n    evaluate()\n",
            [(0, 0)] * 4 + [(1, 0)] * 4,
        ),
        (  # the loop is in another function than the call and the Operation
            "def predict():\n    model()\ndef step():\n    predict()\n    op()\n"
            "def fit():\n    for i in range(2):\n        step()\n        predict()\nfit()\n",
            [(0, 0)] * 3 + [(1, 0)] * 3,
        ),
        (  # a call for each item is one pass, in whatever loop
            "for i in range(2):\n    [model() for _ in range(2)]\n    op()\n",
            [(0, 0)] * 3 + [(1, 0)] * 3,
        ),
        (
            "def train():\n    for b in range(2):\n        model()\n        op()\n"
            "for e in range(2):\n    train()\n",
            [(n, n // 2) for n in range(4) for _ in range(2)],
        ),
        (  # what is not come to again leaves the count as it is
            "for i in range(2):\n    model()\n    op()\nmodel()\nmodel()\nop()\n",
            [(0, 0)] * 2 + [(1, 0)] * 5,
        ),
        ("fit(2)\nmodel()\n", [(0, 0)] * 3 + [(1, 0)] * 4),
        (  # a pass without an Operation is none
            "for i in range(3):\n    model()\n    if i != 1: op()\n",
            [(0, 0), (0, 0), (1, 0), (1, 0), (1, 0)],
        ),
    ],
)
def test_a_call_of_a_model_begins_an_iteration_where_the_loop_of_operations_has_begun_again(
    positions, tmp_path, text, expected
):
    assert positions(tmp_path, text) == expected


TRAINER = """
from torch.utils.data import DataLoader, RandomSampler

def draw(loader):
    yield from loader

class Trainer:
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer

    def train(self, x, y):
        self.optimizer.zero_grad()
        (self.model(x) - y).square().mean().backward()
        self.optimizer.step()

    def evaluate(self, loader):
        for x, y in loader:
            self.model(x)

    def fit(self, loader, after=(), meanwhile=()):
        for _ in range(3):
            for x, y in draw(loader):
                self.train(x, y)
                self.evaluate(meanwhile)
            self.evaluate(after)

    def fit_data(self, data, after=(), meanwhile=()):
        for _ in range(3):
            self.fit_once(DataLoader(data, 4, sampler=RandomSampler(data)), meanwhile)
            self.evaluate(after)

    def fit_once(self, loader, meanwhile):
        for x, y in loader:
            self.train(x, y)
            self.evaluate(meanwhile)

    def fit_batches(self, loader, number):
        for _ in range(3):
            batches = iter(loader)
            for _ in range(number):
                self.train(*next(batches))

    def fit_pairs(self, one, other):
        for _ in range(3):
            for number, ((x, y), (u, v)) in enumerate(zip(one, other)):
                ((self.model(x) - y) * (self.model(u) - v)).square().mean().backward()
                if number % 2:
                    self.optimizer.step()
                    self.optimizer.zero_grad()
"""
TRAINED = """
import sys
import torch
from torch.utils.data import DataLoader, TensorDataset
sys.path.append("site-packages")
from trainer import Trainer, draw
torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
trainer = Trainer(model, torch.optim.SGD(model.parameters(), lr=0.1))
data, other = [TensorDataset(torch.randn(8, 2), torch.randn(8, 1)) for _ in range(2)]
loader, pairs = DataLoader(data, 4), DataLoader(data, 2)
kept, kept_other = [
    DataLoader(found, 4, num_workers=1, persistent_workers=True) for found in (data, other)
]
"""
OWN_LOOPS = """
for _ in range(2):
    for x, y in {}:
        trainer.train(x, y)
"""


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "epochs"),
    [
        ("trainer.fit(loader)", 3),
        ("trainer.fit(loader, after=loader)", 3),
        ("trainer.fit(loader, after=DataLoader(other))", 3),
        ("trainer.fit(loader, meanwhile=loader)", 3),
        ("trainer.fit(loader, after=pairs, meanwhile=pairs)", 3),
        ("trainer.fit(loader, meanwhile=DataLoader(other))", 3),
        ("trainer.fit(kept)", 3),
        ("trainer.fit(kept, after=kept_other, meanwhile=kept_other)", 3),
        ("trainer.fit_data(data)", 3),
        ("trainer.fit_data(data, after=loader, meanwhile=loader)", 3),
        ("trainer.fit_data(data, after=DataLoader(other), meanwhile=DataLoader(other))", 3),
        ("rows = list(data)\ntrainer.fit_data(rows)", 3),
        ("rows = list(data)\ntrainer.fit_data(rows, meanwhile=DataLoader(list(other)))", 3),
        ("trainer.fit_batches(pairs, 2)", 3),
        ("trainer.fit_pairs(pairs, DataLoader(data, 2))", 3),
        ("for batch in draw(loader):\n    model(batch[0])", 1),
        (OWN_LOOPS.format("draw(loader)"), 2),
        (OWN_LOOPS.format("draw(kept)"), 2),
        (OWN_LOOPS.format("draw(DataLoader(data, 4))"), 2),
    ],
)
def test_the_epochs_of_a_librarys_trainer_are_its_ways_through_the_loader(code, epochs, tmp_path):
    library = tmp_path / "site-packages"
    library.mkdir()
    (library / "trainer.py").write_text(TRAINER)
    (tmp_path / "train.py").write_text(TRAINED + code)
    run = record("train.py", cwd=tmp_path)
    assert (run.err, run.status, run.epochs) == ("", 0, epochs)
    steps = [event.epoch for event in run.events if event.kind == "step"]
    assert steps == [epoch for epoch in range(epochs) for _ in range(2)][: len(steps)]


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize(
    ("loader", "name"),
    [
        ("loaders['train']", 'loaders["train"]'),
        ("kept", "kept"),
        ("DataLoader(data, 2)", ""),
        ("shuffled", ""),
    ],
)
def test_a_loader_that_trains_in_one_order_is_named_as_the_script_names_it(loader, name, tmp_path):
    library = tmp_path / "site-packages"
    library.mkdir()
    (library / "trainer.py").write_text(TRAINER)
    more = (
        "loaders = {'train': DataLoader(data, 2)}\nshuffled = DataLoader(data, 2, shuffle=True)\n"
    )
    more += "kept = DataLoader(data, 2, num_workers=1, persistent_workers=True)\n"
    (tmp_path / "train.py").write_text(TRAINED + more + OWN_LOOPS.format(loader))
    run = record("train.py", cwd=tmp_path)
    assert (run.err, run.status) == ("", 0)
    assert [header["name"] for header in run.of("noticed")] == ([name] if name else [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("for i in range(3):\n    op()\n    fail(i == 2)\n    op()\n", (2, True)),
        ("for i in range(3):\n    op()\n    op()\n    fail(i == 2)\n", (2, True)),
        ("for i in range(3):\n    op()\n    op()\nfail(True)\n", (2, False)),
        ("for i in range(3):\n    fail(i == 2)\n    op()\n    op()\n", (1, False)),
        (
            "def step(i):\n    op()\n    fail(i == 2)\n    op()\nfor i in range(3):\n    step(i)\n",
            (2, True),
        ),
        (
            "def step(i):\n    fail(i == 2)\n    op()\n    op()\nfor i in range(3):\n    step(i)\n",
            (1, False),
        ),
        (
            "for e in range(2):\n    for b in range(2):\n        op()\n        op()\n"
            "    fail(e == 1)\n",
            (3, False),
        ),
        ("for i in range(2):\n    op()\nfor i in range(2):\n    fail(True)\n", (1, False)),
        ("op()\nfail(True)\n", (0, False)),
        ("fail(True)\n", (0, False)),
    ],
)
def test_an_error_leaves_an_iteration_before_its_end_or_between_two(
    positions, tmp_path, text, expected
):
    failing = "def fail(fails):\n    if fails:\n        raise RuntimeError\n"
    assert positions(tmp_path, failing + text) == expected


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize(("line", "complete"), [("loss.item().x", 2), ("", 3)])
def test_an_iteration_that_an_error_breaks_off_is_not_complete(tmp_path, line, complete):
    script = tmp_path / "train.py"
    script.write_text(
        "import torch\nw = torch.ones(2, requires_grad=True)\nfor i in range(3):\n"
        "    loss = (w * w).sum()\n    loss.backward()\n"
        f"    if i == 2:\n        {line or 'pass'}\n    w.grad = None\nw.x\n"
    )
    run = record(script)
    assert run.status == 1
    assert [frame["iterations"] for frame in run.of("bye")] == [complete]
