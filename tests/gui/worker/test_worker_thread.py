"""The worker thread: order, stopping, errors, the mailbox."""

import threading

from gradstep_gui.worker import worker_thread
from gradstep_gui.worker.updates import FailedOperationUpdate, FailureUpdate, ProgressUpdate
from gradstep_gui.worker.worker_thread import Task, WorkerThread


def run_all(*tasks):
    woken = []
    worker = WorkerThread(wake=lambda: woken.append(threading.current_thread().name))
    for task in tasks:
        worker.submit(task)
    assert worker.wait_idle(60)
    assert worker.close(10.0)
    return worker, woken


def test_tasks_run_in_order_on_one_thread_that_is_not_the_windows():
    seen = []

    def note(number):
        return lambda _stop: seen.append((number, threading.current_thread().name))

    run_all(*(Task(f"task {n}", note(n)) for n in range(5)))
    assert seen == [(n, "gradstep-worker") for n in range(5)]


def test_each_task_wakes_the_window_once():
    _, woken = run_all(Task("one", lambda _: None), Task("two", lambda _: None))
    assert woken == ["gradstep-worker", "gradstep-worker"]


def test_a_long_task_is_stopped_and_the_next_one_is_done():
    started = threading.Event()
    done = []

    def spin(should_stop):
        started.set()
        while not should_stop():
            pass
        done.append("spin")

    worker = WorkerThread(wake=lambda: None)
    worker.submit(Task("spin", spin, kind="running"))
    assert started.wait(60.0)
    assert worker.long_task.name == "spin"
    worker.stop_long_tasks()
    worker.submit(Task("after", lambda _: done.append("after")))
    assert worker.wait_idle(60)
    assert done == ["spin", "after"]
    assert worker.long_task is None
    worker.close(10.0)


def test_a_long_task_makes_changes_that_are_asked_for_while_it_runs():
    settings = []
    seen = threading.Event()

    def spin(should_stop):
        while not should_stop():
            if settings:
                seen.set()

    worker = WorkerThread(wake=lambda: None)
    worker.submit(Task("spin", spin, kind="running"))
    worker.change(lambda: settings.append(threading.current_thread().name))
    assert seen.wait(60.0)
    assert settings == ["gradstep-worker"]
    worker.stop_long_tasks()
    assert worker.wait_idle(60)
    worker.close(10.0)


def test_changes_are_made_before_the_next_task():
    settings = []
    worker = WorkerThread(wake=lambda: None)
    worker.change(lambda: settings.append("changed"))
    worker.submit(Task("task", lambda _: settings.append("task")))
    assert worker.wait_idle(60)
    assert settings == ["changed", "task"]
    worker.close(10.0)


def test_stopping_does_not_reach_tasks_that_are_submitted_later():
    flags = []
    worker = WorkerThread(wake=lambda: None)
    worker.stop_long_tasks()
    worker.submit(Task("run", lambda stop: flags.append(stop()), kind="running"))
    assert worker.wait_idle(60)
    worker.close(10.0)
    assert flags == [False]


def test_an_error_becomes_a_failure_and_the_thread_lives_on():
    def fail(_stop):
        raise ZeroDivisionError("oops")

    done = []
    worker, _ = run_all(Task("fail", fail), Task("after", lambda _: done.append(1)))
    ((failure,),) = [update.failures for update in worker.take()]
    assert failure.task == "fail"
    assert isinstance(failure.error, ZeroDivisionError)
    assert done == [1]


def test_a_later_update_supersedes_a_waiting_one_of_its_kind():
    worker = WorkerThread(wake=lambda: None)
    worker.post(ProgressUpdate(1, 9), FailedOperationUpdate(("first",)))
    worker.post(ProgressUpdate(2, 9))
    assert not worker.mailbox_empty
    assert worker.take() == (FailedOperationUpdate(("first",)), ProgressUpdate(2, 9))
    assert worker.mailbox_empty
    assert worker.take() == ()
    worker.close(10.0)


def test_updates_that_add_up_are_joined():
    worker = WorkerThread(wake=lambda: None)
    worker.post(FailureUpdate(("first",)), FailedOperationUpdate(("first",)))
    worker.post(FailureUpdate(("second",)), FailedOperationUpdate(("second",)))
    assert worker.take() == (
        FailureUpdate(("first", "second")),
        FailedOperationUpdate(("first", "second")),
    )
    worker.close(10.0)


def test_waiting_gives_up_after_its_time():
    release = threading.Event()
    worker = WorkerThread(wake=lambda: None)
    worker.submit(Task("wait", lambda _: release.wait(60.0)))
    assert not worker.wait_idle(0.02)
    release.set()
    assert worker.wait_idle(60)
    worker.close(10.0)


def test_a_long_task_gives_way_while_the_window_draws(monkeypatch):
    monkeypatch.setattr(worker_thread, "GIVE_WAY_S", 30.0)
    worker = WorkerThread(wake=lambda: None)
    asked, answered = threading.Event(), threading.Event()

    def run(should_stop):
        asked.set()
        should_stop()
        answered.set()

    worker.hold()
    worker.submit(Task("run", run, kind="running"))
    assert asked.wait(60.0)
    assert not answered.wait(0.05)
    worker.release()
    assert answered.wait(60.0)
    assert worker.close(10.0)


def test_waiting_for_the_worker_does_not_block_it(monkeypatch):
    monkeypatch.setattr(worker_thread, "GIVE_WAY_S", 30.0)
    worker = WorkerThread(wake=lambda: None)
    worker.hold()
    worker.submit(Task("run", lambda should_stop: should_stop(), kind="running"))
    assert worker.wait_idle(60)
    assert worker.close(10.0)


def test_a_short_task_does_not_give_way_and_a_stopped_one_stops_at_once(monkeypatch):
    monkeypatch.setattr(worker_thread, "GIVE_WAY_S", 30.0)
    worker = WorkerThread(wake=lambda: None)
    answers = []
    worker.hold()
    worker.submit(Task("apply", lambda should_stop: answers.append(should_stop())))
    assert worker.wait_idle(60)
    worker.submit(Task("run", lambda should_stop: answers.append(should_stop()), kind="running"))
    worker.stop_long_tasks()
    assert worker.wait_idle(60)
    assert answers[0] is False
    assert worker.close(10.0)
