"""Which commands supersede which, while they wait for the worker."""

import pytest
from PySide6.QtCore import QObject

from gradstep_gui.control.command_queue import CommandQueue


class RememberingWorker:
    """Keeps tasks instead of running them."""

    def __init__(self):
        self.tasks = []
        self.stops = 0

    def submit(self, task):
        self.tasks.append(task)

    def stop_long_tasks(self):
        self.stops += 1


class RememberingHost:
    """Runs commands on a Debugger that is a list."""

    def __init__(self):
        self.debugger = []
        self.posted = []

    def run(self, command):
        self.posted.append(command(self.debugger))

    def query(self, query, should_stop):
        self.posted.append(query(self.debugger, should_stop))

    def post(self, result):
        self.posted.append(result)


@pytest.fixture
def worker():
    return RememberingWorker()


@pytest.fixture
def host():
    return RememberingHost()


@pytest.fixture
def queue(qapp, worker, host):
    parent = QObject()
    yield CommandQueue(worker, host, parent)
    parent.deleteLater()


def run_all(worker):
    for task in worker.tasks:
        task.run(task.stop.is_set)


def never_asked(_debugger, should_stop):
    return should_stop()


def test_commands_are_given_the_debugger_and_their_results_are_posted(queue, worker, host):
    queue.submit("append", lambda debugger: debugger.append(1))
    queue.begin("count", "running", lambda debugger, _stop: len(debugger))
    queue.query("look", lambda debugger, _stop: debugger[0])
    queue.call("set", lambda: "done")
    queue.begin_call("open", "loading", lambda: "opened")
    assert [(task.name, task.kind) for task in worker.tasks] == [
        ("append", None),
        ("count", "running"),
        ("look", None),
        ("set", None),
        ("open", "loading"),
    ]
    run_all(worker)
    assert host.posted == [None, 1, 1, "done", "opened"]


@pytest.mark.parametrize(
    ("later", "is_dropped"),
    [
        (lambda queue: queue.submit("step", len), True),
        (lambda queue: queue.begin("run", "running", never_asked), True),
        (lambda queue: queue.seek("go", never_asked), True),
        (lambda queue: queue.request("explain", never_asked), True),
        (lambda queue: queue.call("fetch values", lambda: None), False),
        (lambda queue: queue.query("export", never_asked), False),
    ],
)
def test_a_request_is_dropped_by_commands_that_move_and_kept_by_those_that_read(
    queue, worker, later, is_dropped
):
    queue.request("explain", never_asked)
    later(queue)
    assert worker.tasks[0].stop.is_set() is is_dropped


def test_requests_about_different_subjects_do_not_drop_one_another(queue, worker):
    queue.request("explain", never_asked)
    queue.request("predict", never_asked, "fit")
    queue.request("predict", never_asked, "fit")
    assert [task.stop.is_set() for task in worker.tasks] == [False, True, False]
    queue.submit("step", len)
    assert [task.stop.is_set() for task in worker.tasks[:3]] == [True, True, True]


def test_of_seeks_in_a_row_only_the_last_has_to_arrive(queue, worker):
    for _place in range(3):
        queue.seek("go", never_asked)
    assert [task.stop.is_set() for task in worker.tasks] == [True, True, False]
    assert worker.stops == 3


def test_a_seek_before_another_command_arrives(queue, worker):
    queue.seek("go", never_asked)
    queue.submit("step", len)
    queue.seek("go", never_asked)
    assert [task.stop.is_set() for task in worker.tasks] == [False, False, False]


def test_long_commands_are_announced_and_short_ones_are_not(queue):
    began = []
    queue.began.connect(lambda: began.append(True))
    queue.submit("step", len)
    queue.seek("go", never_asked)
    queue.call("fetch", lambda: None)
    assert began == []
    queue.begin("run", "running", never_asked)
    queue.begin_call("open", "loading", lambda: None)
    assert began == [True, True]
