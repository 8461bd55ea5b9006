"""What comes as expected is reported like what is looked at from the beginning."""

from __future__ import annotations

import dis
from itertools import pairwise
from pathlib import Path

import pytest

from gradstep_agent.expected_calls import only_loads_between
from tests.gradstep_agent.client import Script, plain

pytestmark = [pytest.mark.torch, pytest.mark.slow]

LAUNCHER = Path(__file__).with_name("expecting_launcher.py")
SCRIPTS = Path(__file__).with_name("scripts")
BROKEN_LOOPS = Path(__file__).with_name("broken_loops.py")


class Story(Script):
    """A script whose frames and Events are kept in the order in which they came, without times."""

    def __init__(self, *arguments, **options):
        self.story = []
        super().__init__(*arguments, launcher=LAUNCHER, **options)

    def _take(self, header, body):
        before = len(self.run.events)
        super()._take(header, body)
        if header["type"] == "rows":
            self.story += self.run.events[before:]
        else:
            self.story.append({**header, "pid": 0, "spent": 0})


def story(script, **options):
    """Return what came of a script, and how many of its calls came as expected."""
    with Story(script, **options) as running:
        running.send("go")
        run = running.finish()
        return running.story, run, int(run.err.rpartition("expected ")[2])


@pytest.mark.parametrize(
    ("level", "every", "least"), [("events", 1, 1500), ("series", 3, 1000), ("full", 3, 1000)]
)
def test_wherever_a_loop_breaks_its_pattern_the_same_is_reported(level, every, least):
    told, run, expected = story(BROKEN_LOOPS, level=level, every=every, expects=True)
    told_anew, _, none = story(BROKEN_LOOPS, level=level, every=every, expects=False)
    assert told == told_anew
    assert (expected > least, none) == (True, 0)
    assert run.of("failed") == []
    kinds = [event.kind for event in run.events]
    assert kinds[-50:].count("gradient_by_hand") == 5  # the last loop's, each before it clips
    assert kinds[-5:] == ["forward", "backward", "gradient_by_hand", "clip_grad_norm", "step"]
    assert run.out == plain(BROKEN_LOOPS).out


CHANGING_STEP = """
import torch
from torch import nn

model = nn.Linear(2, 1)
x = torch.randn(4, 2)


class Decaying:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    def step(self):
        with torch.no_grad():
            model.weight *= 0.5
        self.optimizer.step()


plain = torch.optim.SGD(model.parameters(), lr=0.1)
for number in range(12):
    plain.zero_grad()
    loss = model(x).pow(2).mean()
    used = Decaying(plain) if number in (4, 5, 9) else plain
    loss.backward()
    used.step()
"""


@pytest.mark.parametrize("expects", [True, False])
def test_what_is_called_for_an_expected_step_and_changes_weights_first_is_seen(expects, tmp_path):
    path = tmp_path / "train.py"
    path.write_text(CHANGING_STEP)
    _, run, expected = story(path, level="events", every=1, expects=expects)
    changes = [event.iteration for event in run.events if event.kind == "update_by_hand"]
    assert (changes, bool(expected)) == ([4, 5, 9], expects)


LINES = """
def train():
    loss.backward()
    optimizer.step()
    loss.backward(retain_graph=True)
    norm = self.optimizer.step(None)
    if norm:
        optimizer.zero_grad()
    optimizer.step(again(norm))
    optimizer.step()
    for optimizer in optimizers: optimizer.step()
"""


def test_only_loads_are_between_a_backward_and_a_step_on_the_next_line():
    code = next(
        found for found in compile(LINES, "", "exec").co_consts if hasattr(found, "co_code")
    )
    calls = [found for found in dis.get_instructions(code) if found.opname.startswith("CALL")]
    at = [found.offset for found in calls]
    straight = [only_loads_between(code, *pair) for pair in pairwise(at)]
    #        step, backward, step, zero_grad, again, step, step, step of each
    assert straight == [True, True, True, False, True, True, True, False]
    assert not only_loads_between(code, at[4], at[6])  # `again` is called
    assert not only_loads_between(code, at[1], at[0])


@pytest.mark.parametrize("name", ["gan", "schedulers", "early_stopping", "trainer_object"])
def test_a_script_is_reported_the_same(name):
    script = SCRIPTS / f"{name}.py"
    told, run, expected = story(script, level="events", every=1, expects=True)
    assert told == story(script, level="events", every=1, expects=False)[0]
    assert expected > 0
    assert run.of("failed") == []
