"""Internal errors are logged, reported and survived."""

import sys
import threading

import pytest
from PySide6.QtCore import qCritical, qWarning
from PySide6.QtGui import QGuiApplication

from gradstep_gui.crash import CrashReporter, report_text
from gradstep_gui.widgets.dialogs.text_dialogs import CrashDialog


@pytest.fixture
def reporter(tmp_path, qapp):
    reporter = CrashReporter(tmp_path)
    yield reporter
    reporter.remove()


def raised(error):
    try:
        raise error
    except type(error) as caught:
        return caught


def test_a_report_names_versions_the_task_and_the_line():
    text = report_text(raised(ZeroDivisionError("oops")), "go back")
    assert text.startswith("GradStep ")
    assert "While: go back" in text
    assert "ZeroDivisionError: oops" in text
    assert "test_crash.py" in text


def test_an_uncaught_exception_is_logged_and_reported(reporter, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    reported = []
    reporter.crashed.connect(reported.append)
    reporter.install()
    error = raised(ZeroDivisionError("oops"))
    sys.excepthook(type(error), error, error.__traceback__)
    assert "ZeroDivisionError: oops" in reported[0]
    assert "ZeroDivisionError: oops" in (tmp_path / "gradstep.log").read_text()


def test_an_exception_of_a_thread_is_reported_on_the_main_thread(reporter, qtbot):
    def fail():
        raise ZeroDivisionError("in a thread")

    reporter.install()
    with qtbot.waitSignal(reporter.crashed, timeout=60_000) as blocker:
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
    assert "in a thread" in blocker.args[0]


def test_messages_of_qt_go_to_the_log(reporter, tmp_path, capsys):
    reporter.install()
    qWarning("a plain warning")
    qCritical("a grave one")
    reporter.remove()
    log = (tmp_path / "gradstep.log").read_text()
    assert "WARNING Qt: a plain warning" in log
    assert "ERROR Qt: a grave one" in log
    assert capsys.readouterr().err == "a grave one\n"


def test_removing_puts_the_hooks_back(reporter):
    reporter.install()
    reporter.remove()
    assert sys.excepthook is sys.__excepthook__
    assert threading.excepthook is threading.__excepthook__


def test_the_dialog_shows_the_report_and_copies_it(qtbot):
    dialog = CrashDialog("what happened")
    qtbot.addWidget(dialog)
    dialog.copy()
    assert dialog.report == "what happened"
    assert QGuiApplication.clipboard().text() == "what happened"


def test_errors_are_reported_when_the_log_cannot_be_written(tmp_path, qapp):
    (tmp_path / "home").write_text("a file, in which no folder can be made")
    reporter = CrashReporter(tmp_path / "home" / "logs")
    reported = []
    reporter.crashed.connect(reported.append)
    reporter.install()
    try:
        error = raised(ZeroDivisionError("oops"))
        sys.excepthook(type(error), error, error.__traceback__)
        qWarning("a plain warning")
    finally:
        reporter.remove()
    assert "ZeroDivisionError: oops" in reported[0]
    assert str(tmp_path / "home") in reporter.unwritable


def test_a_writable_log_is_not_reported(reporter):
    assert reporter.unwritable == ""
