"""What the worker's side posts, and what it leaves on the disk."""

import json
import shutil
from typing import ClassVar

import pytest

from gradstep.debugger import Debugger
from gradstep.errors import GradStepError, ScriptError
from gradstep.program.gallery import scenarios
from gradstep.script.command import ScriptCommand
from gradstep.script.mirror import Mirror
from gradstep.session.opening import log_path
from gradstep.session.recorder import leftovers
from gradstep.session.store import read
from gradstep_gui.worker import debugger_host
from gradstep_gui.worker.commands import apply_next
from gradstep_gui.worker.debugger_host import DebuggerHost
from gradstep_gui.worker.updates import (
    DocumentUpdate,
    FailureUpdate,
    ListingUpdate,
    ProgressUpdate,
    SnapshotUpdate,
)
from gradstep_gui.worker.worker_thread import Task
from tests.core.debugger.test_live_script import model_loop
from tests.core.script.held_script import HeldScript
from tests.core.script.sent_frames import descent, take


class Mailbox:
    """Keeps every Update apart, as a window does that takes each at once."""

    is_picture_wanted = False
    long_task = None

    def __init__(self):
        self.posted = []

    def post(self, *updates):
        self.posted.extend(updates)

    def picture_posted(self, _seconds):
        pass


@pytest.fixture
def mailbox(qapp):
    return Mailbox()


def test_another_program_is_announced_before_its_first_moment(mailbox):
    DebuggerHost(mailbox, mailbox).open(scenarios()[0].path)
    kinds = [type(update) for update in mailbox.posted]
    assert kinds.index(ListingUpdate) < kinds.index(SnapshotUpdate)


def test_a_command_posts_its_moment_even_when_it_fails(mailbox):
    host = DebuggerHost(mailbox, mailbox)
    host.open(scenarios()[0].path)
    mailbox.posted.clear()
    with pytest.raises(ZeroDivisionError):
        host.run(lambda _: 1 / 0)
    assert SnapshotUpdate in [type(update) for update in mailbox.posted]


def test_a_query_posts_its_answer_alone(mailbox):
    host = DebuggerHost(mailbox, mailbox)
    host.open(scenarios()[0].path)
    mailbox.posted.clear()
    answer = FailureUpdate(())
    host.query(lambda _debugger, _stop: answer, lambda: False)
    assert mailbox.posted == [answer]


def test_every_event_of_a_picture_of_a_run_is_in_the_recording(mailbox, tmp_path):
    host = DebuggerHost(mailbox, mailbox, recordings=tmp_path)
    host.open(scenarios()[0].path)
    (path,) = tmp_path.glob("*.gradstep")
    mailbox.is_picture_wanted = True
    written = []

    def post(*updates):
        for shown in (update for update in updates if isinstance(update, SnapshotUpdate)):
            folder = tmp_path / str(len(written))
            folder.mkdir()
            for part in (path, log_path(path)):
                shutil.copy(part, folder)
            recorded = len(read(folder / path.name).branches[0].events)
            written.append((shown.snapshot.event_count, recorded))

    mailbox.post = post
    host.run(lambda debugger: host.iterate(debugger, 12, None, lambda: False))
    host.close()
    assert written == [(count, count) for count in [*range(4, 49, 4), 48]]


def test_it_is_said_once_that_a_long_run_stays_in_memory(mailbox):
    host = DebuggerHost(mailbox, mailbox)
    host.open(scenarios()[0].path)
    host.debugger.history.log.vocabulary.file.problem = "No space left on device"
    mailbox.posted.clear()
    for _ in range(3):
        host.publish()
    failures = [update for update in mailbox.posted if isinstance(update, FailureUpdate)]
    assert [str(one.error) for update in failures for one in update.failures] == [
        "a long run stays in memory: No space left on device; "
        "free disk space, and open the session again before you run it much longer"
    ]


@pytest.mark.parametrize("is_recorded", [True, False])
def test_a_leftover_recording_is_kept_until_its_events_are_recorded_again(
    mailbox, tmp_path, is_recorded
):
    left = tmp_path / "left.gradstep"
    Debugger.open(scenarios()[0].path).save(left)
    folder = tmp_path / "recordings"
    if not is_recorded:
        folder.write_text("a file, where no folder can be made")
    host = DebuggerHost(mailbox, mailbox, recordings=folder)
    host.recover(left)
    assert left.exists() is not is_recorded
    failures = [update for update in mailbox.posted if isinstance(update, FailureUpdate)]
    assert len(failures) == (0 if is_recorded else 1)
    host.close()


@pytest.mark.parametrize("is_recovered", [True, False])
def test_an_opening_that_is_stopped_leaves_what_is_open_and_the_file(
    mailbox, tmp_path, is_recovered
):
    path = tmp_path / "a.gradstep"
    debugger = Debugger.open(scenarios()[0].path)
    debugger.iterate(3)
    debugger.save(path)
    host = DebuggerHost(mailbox, mailbox, recordings=tmp_path / "recordings")
    host.open(scenarios()[1].path, as_copy=True)
    before = host.debugger
    task = mailbox.long_task = Task("open", lambda _: None, "loading")
    task.stop.set()
    (host.recover if is_recovered else host.open)(path)
    assert (host.debugger is before, path.exists()) == (True, True)
    task.stop.clear()
    host.open(path)
    assert len(host.debugger.events) == 12
    (*_, last) = [item for item in mailbox.posted if isinstance(item, ProgressUpdate)]
    assert (last.done, last.total) == (24, 24)
    host.close()


def test_a_recording_is_kept_until_the_next_one_has_begun(mailbox, tmp_path, monkeypatch):
    host = DebuggerHost(mailbox, mailbox, recordings=tmp_path)
    host.open(scenarios()[0].path, as_copy=True)
    (before,) = tmp_path.glob("*.gradstep")
    seen = []
    record_to = Debugger.record_to
    monkeypatch.setattr(
        Debugger,
        "record_to",
        lambda *arguments: (seen.append(before.exists()), record_to(*arguments))[1],
    )
    host.open(scenarios()[1].path, as_copy=True)
    assert (seen, before.exists(), len(list(tmp_path.glob("*.gradstep")))) == ([True], False, 1)
    host.close()


def test_what_a_script_has_done_survives_the_end_of_the_window(mailbox, tmp_path, monkeypatch):
    script = HeldScript(model_loop(3))
    monkeypatch.setattr(debugger_host, "ScriptProcess", lambda *_, **__: script)
    first = DebuggerHost(mailbox, mailbox, recordings=tmp_path / "recordings")
    first.debug(ScriptCommand("train.py"))
    first.run(lambda debugger: debugger.apply(debugger.next_operation))
    first.run(lambda debugger: first.iterate(debugger, 2, None, lambda: False))
    assert len(first.debugger.events) == 8
    left = tmp_path / "left"
    shutil.copytree(tmp_path / "recordings", left)

    second = DebuggerHost(mailbox, mailbox, recordings=tmp_path / "more")
    (recording,) = leftovers(left)
    second.recover(recording)
    found, live = second.debugger, first.debugger
    assert [(e.operation, e.checksum) for e in found.events] == [
        (e.operation, e.checksum) for e in live.events
    ]
    assert found.program.tensors["model.weight"].tolist() == [0.25]
    assert [u.document.modified for u in mailbox.posted if isinstance(u, DocumentUpdate)][-1]
    for host in (first, second):
        host.close()
    assert not [*(tmp_path / "recordings").iterdir(), *(tmp_path / "more").iterdir()]
    assert not list(left.iterdir())


class EndedScript(HeldScript):
    """A script that says which of its processes were ended."""

    ended: ClassVar[list[str]] = []

    def __init__(self, sent, name, *, fails=False):
        super().__init__(sent)
        self.name, self.fails = name, fails

    def hold(self):
        if self.fails:
            raise ScriptError("its process broke the protocol", "run it again")
        super().hold()

    def end(self):
        self.ended.append(self.name)


def test_a_script_that_cannot_be_held_is_ended_and_the_one_before_can_still_be(
    mailbox, tmp_path, monkeypatch
):
    scripts = iter(
        [EndedScript(model_loop(3), "first"), EndedScript(model_loop(3), "second", fails=True)]
    )
    monkeypatch.setattr(debugger_host, "ScriptProcess", lambda *_, **__: next(scripts))
    monkeypatch.setattr(EndedScript, "ended", [])
    host = DebuggerHost(mailbox, mailbox, recordings=tmp_path / "recordings")
    host.debug(ScriptCommand("train.py"))
    with pytest.raises(ScriptError, match="broke the protocol"):
        host.debug(ScriptCommand("train.py"))
    assert EndedScript.ended == ["second"]
    host.end_script()
    assert EndedScript.ended == ["second", "first"]
    host.close()


def test_the_targets_of_a_program_are_listed_in_the_order_of_its_loop(mailbox, tmp_path):
    path = tmp_path / "sum.json"
    path.write_text(
        json.dumps(
            {
                "gradstep": 1,
                "tensors": {"x": {"value": 1, "requires_grad": True}},
                "losses": {
                    "part": {"expression": "x * x"},
                    "total": {"expression": "part + abs(x)"},
                },
                "optimizers": {"sgd": {"kind": "SGD", "params": ["x"], "lr": 0.1}},
                "loop": [
                    {"op": "zero_grad", "optimizer": "sgd"},
                    {"op": "forward", "loss": "total"},
                    {"op": "backward", "loss": "total"},
                    {"op": "step", "optimizer": "sgd"},
                ],
            }
        )
    )
    DebuggerHost(mailbox, mailbox).open(path)
    documents = [item.document for item in mailbox.posted if isinstance(item, DocumentUpdate)]
    assert documents[-1].losses == ("total", "part")


def test_the_end_of_a_script_is_not_told_as_a_program_without_a_loop():
    debugger = Debugger(Mirror(take(descent(1).stream)))
    debugger.follow()
    with pytest.raises(GradStepError, match="the recording of the script ends here; debug the scr"):
        apply_next(debugger)
