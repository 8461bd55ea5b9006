"""Scripts that go back to earlier Events in copies of their process, with torch."""

from __future__ import annotations

import random
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.gradstep_agent.client import Script, is_alive
from tests.gradstep_agent.forked_scripts import SCRIPTS, text_of

pytestmark = [
    pytest.mark.torch,
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="fork of Linux"),
]

EVENTS = 20


@pytest.fixture
def start():
    """Start a script; it ends with the test at the latest."""
    with ExitStack() as running:
        yield lambda *args, **options: running.enter_context(Script(*args, **options))


def told(events):
    """What Events say, but for how long they took."""
    return [
        (e.number, e.place, e.depth, e.iteration, e.epoch, repr(e.loss), e.arrays) for e in events
    ]


def run_with_checkpoints(script, every):
    """Run a script, and leave a checkpoint at about every so-many-th Event."""
    script.send("step")
    held = script.until("held")
    count = 0
    while held is not None:
        if not held["depth"] and count % every == 0:
            script.send("checkpoint")
            script.until("checkpoint")
        count += 1
        script.send("step")
        held = script.until("held")
    return told(script.run.events)


def moments(script):
    """Return Events at which the script was held outside of other Operations."""
    return [held["event"] - 1 for held in script.run.of("held") if not held["depth"]]


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("name", list(SCRIPTS))
def test_a_copy_repeats_what_came_bit_for_bit(start, tmp_path, name, threads):
    path, log = tmp_path / "train.py", tmp_path / "log.txt"
    path.write_text(text_of(name))
    script = start(path, str(log), threads=threads)
    events = run_with_checkpoints(script, every=5)
    written = log.read_text()
    places = moments(script)
    rng = random.Random(f"{name} {threads}")
    checkpoints = {checkpoint.event: checkpoint for checkpoint in script.checkpoints}
    for _ in range(EVENTS):
        target = rng.choice(places)
        at = max(event for event in checkpoints if event <= target)
        copy = checkpoints[at]
        held = copy.wake(target)
        assert held["event"] == target + 1
        assert told(copy.run.events) == events[at:target]
        checkpoints[at] = copy.checkpoints.pop()
        script.checkpoints.append(checkpoints[at])
        copy.close()
    copy = checkpoints[0]
    copy.wake(0)
    copy.send("go")
    bye = copy.until("bye")
    assert (bye["status"], bye["error"]) == (0, "")
    assert copy.read() is None  # it has written all that it prints
    assert told(copy.run.events) == events
    assert log.read_text() == written
    printed = script.output().splitlines()
    assert printed[: len(printed) // 2] == printed[len(printed) // 2 :] != []


def test_what_a_script_prints_is_printed_once(start, tmp_path):
    path, log = tmp_path / "train.py", tmp_path / "log.txt"
    path.write_text(text_of("dropout"))
    alone = start(path, str(log))
    alone.send("go")
    expected = alone.finish().out, log.read_text()
    script = start(path, str(log))
    script.send("checkpoints", automatic=True)
    script.send("until", event=13)
    assert script.until("held")["event"] == 14
    (copy,) = script.checkpoints
    assert (copy.event, copy.wake(13)["event"]) == (0, 14)
    script.process.kill()
    copy.send("go")
    copy.until("bye")
    assert copy.read() is None
    assert (script.output(), log.read_text()) == expected


def test_a_script_that_is_held_leaves_a_checkpoint_by_itself(start, tmp_path):
    path = tmp_path / "train.py"
    path.write_text(text_of("adam"))
    script = start(path, str(tmp_path / "log.txt"))
    script.send("checkpoints", automatic=True)
    script.send("until", event=2)
    script.until("held")
    assert [checkpoint.event for checkpoint in script.checkpoints] == [0]
    assert script.until("checkpoint")["event"] == 2  # after a moment in which nothing was asked
    copy = script.checkpoints[1]
    assert copy.wake(2)["event"] == 3
    assert copy.run.events == []


def test_a_checkpoint_ends_with_the_debugger(start, tmp_path):
    path = tmp_path / "train.py"
    path.write_text(text_of("adam"))
    script = start(path, str(tmp_path / "log.txt"))
    script.send("step")
    script.until("held")
    script.ask("checkpoint", "checkpoint")
    (copy,) = script.checkpoints
    assert is_alive(copy.pid)
    script.close()
    assert copy.has_ended()


WORKERS = """
import torch
data = torch.utils.data.TensorDataset(torch.randn(64, 4))
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for (x,) in torch.utils.data.DataLoader(data, batch_size=8, num_workers=2):
    model(x).sum().backward()
    optimizer.step()
for _ in range(2):
    optimizer.zero_grad()
"""


def test_workers_are_refused_by_a_sentence_and_no_longer_when_they_have_ended(start, tmp_path):
    path = tmp_path / "train.py"
    path.write_text(WORKERS)
    script = start(path)
    script.send("step")
    script.until("held")
    answer = script.ask("checkpoint", "refused")
    assert answer["message"] == (
        "2 processes that it started are alive, as with DataLoader(num_workers=2)"
    )
    script.send("until", event=24)
    script.until("held")
    script.send("checkpoint")
    while (answer := script.read())["type"] != "checkpoint":
        script.send("checkpoint")  # until their threads have ended too
    assert answer["event"] == 24


def test_it_is_not_made_inside_an_operation(start):
    script = start(Path(__file__).parent / "scripts" / "lbfgs.py")
    script.send("step")
    while script.until("held")["depth"] == 0:
        script.send("step")
    assert script.ask("checkpoint", "refused")["message"] == (
        "the script is not held between two Operations"
    )
