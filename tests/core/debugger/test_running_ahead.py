"""A script runs ahead of its debugger where nothing can stop it, and the debugger catches up."""

from __future__ import annotations

import pytest

from gradstep.debugger.live_script import LiveScript
from gradstep.script.command import ScriptCommand
from gradstep.script.process import ScriptProcess

pytestmark = pytest.mark.slow

BEGINNING = """
import torch

x, y = torch.arange(8.0).reshape(8, 1) / 8, torch.ones(8, 1)
model = torch.nn.Linear(1, 1)
with torch.no_grad():
    model.weight.fill_(0.5)
    model.bias.fill_(0.0)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(40):
"""
LOOP = """\
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
"""
FORWARD_FIRST = """\
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"""


@pytest.fixture
def begin(tmp_path):
    """Hold scripts before their first Operation; end them afterwards."""
    begun = []

    def start(loop=LOOP):
        script = tmp_path / "train.py"
        script.write_text(BEGINNING + loop)
        process = ScriptProcess(ScriptCommand(str(script), is_stand_in=True), share=0)
        begun.append(process)
        return LiveScript(process)

    yield start
    for process in begun:
        process.end()
        process.run()  # reads what is left


def steps(process, monkeypatch):
    """Note the commands that a script is sent."""
    sent, send = [], process.send

    def noted(command, **values):
        sent.append(command)
        send(command, **values)

    monkeypatch.setattr(process, "send", noted)
    return sent


def known(live):
    return [(event.operation, event.loss, event.checksum) for event in live.debugger.events]


@pytest.mark.parametrize("loop", [LOOP, FORWARD_FIRST])
def test_a_run_without_breakpoints_asks_the_script_rarely_and_records_the_same(
    begin, loop, monkeypatch
):
    live, slow = begin(loop), begin(loop)
    live.carry_out(lambda debugger: debugger.iterate(2))
    sent = steps(live.process, monkeypatch)
    live.carry_out(lambda debugger: debugger.run(30))
    slow.carry_out(lambda debugger: debugger.iterate(2))
    slow.debugger.break_when("loss > 1e9")
    slow.carry_out(lambda debugger: debugger.run(30))
    assert known(live) == known(slow)
    assert len(known(live)) == 32 * 4
    assert sent.count("step") + sent.count("until") < 60
    assert not live.debugger.program.is_behind
    assert live.debugger.program.iteration == 32


def test_a_run_until_an_iteration_asks_the_script_rarely(begin, monkeypatch):
    live = begin()
    live.carry_out(lambda debugger: debugger.iterate(2))
    sent = steps(live.process, monkeypatch)
    reason = live.carry_out(lambda debugger: debugger.run_until_iteration(30))
    assert reason.sentence == "iteration 30 is done"
    assert (live.debugger.program.iteration, len(live.debugger.events)) == (30, 120)
    assert sent.count("step") + sent.count("until") < 60
    assert live.debugger.next_operation.at == "train.py:11"


def test_a_breakpoint_stops_the_script_itself_at_its_operation(begin):
    live = begin()
    live.carry_out(lambda debugger: debugger.run(5))
    live.debugger.break_when("iteration == 20")
    assert live.carry_out(lambda debugger: debugger.run()).kind == "breakpoint"
    assert live.debugger.program.iteration == 20
    assert not live.debugger.program.is_behind


@pytest.mark.parametrize("at", [3, 10, 31, 90])
def test_a_pause_catches_up_with_what_the_script_has_done(begin, at):
    live = begin()
    live.carry_out(lambda debugger: debugger.iterate(2))

    def should_stop():
        return len(live.debugger.program.tape.rows) >= at

    live.carry_out(lambda debugger: debugger.run(should_stop=should_stop))
    events = len(live.debugger.events)
    assert not live.debugger.program.is_behind
    assert events == len(live.process.tape.rows) >= at
    reason = live.carry_out(lambda debugger: debugger.run())
    assert reason.sentence == "the script has ended"
    assert len(live.debugger.events) == 160
