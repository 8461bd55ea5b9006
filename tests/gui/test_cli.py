"""The command line: what it prints, what it writes, and the status it ends with."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from gradstep.debugger import Debugger
from gradstep.lessons.gallery import lessons, open_lesson
from gradstep.program.gallery import scenarios
from gradstep.program.schema.reference import kinds
from gradstep.session.store import read
from gradstep.version import version
from gradstep_gui import cli
from gradstep_gui.display import missing_packages
from gradstep_gui.numeric_threads import VARIABLES
from tests.core.diagnostics.facts.sent_loops import debug
from tests.core.diagnostics.facts.test_script_sums import BEHIND, accumulate

ROOT = Path(__file__).parents[2]
SAMPLE = str(scenarios()[0].path)
TINY = {
    "gradstep": 1,
    "name": "tiny",
    "iterations": 7,
    "tensors": {"x": {"value": [1, 2], "requires_grad": True}},
    "losses": {"loss": {"expression": "sum(100 * x)"}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}},
}


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "tiny.json"
    path.write_text(json.dumps(TINY))
    return path


def process(*words, **environment):
    """Run the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "gradstep_gui", *map(str, words)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'core'}:{ROOT}", **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_run_reports_the_first_and_last_losses(gradstep, program):
    status, out, err = gradstep("run", program, "--iterations", 3)
    assert (status, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert lines[0][:4] == ["tiny:", "3", "iterations", "in"]
    assert ["loss", "300", "260"] in lines
    assert lines[-1][0] == "findings:"


@pytest.mark.parametrize(("asked", "expected"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "3"}, "3")])
def test_one_numeric_thread_computes_unless_the_environment_sets_another_number(asked, expected):
    plain = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            "import gradstep_gui.cli, os; print(os.environ['OPENBLAS_NUM_THREADS'])",
        ],
        cwd=ROOT,
        env={**plain, "PYTHONPATH": f"{ROOT / 'core'}:{ROOT}", **asked},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert result.stdout.split() == [expected]


def test_run_takes_the_number_of_iterations_that_the_program_suggests(gradstep, program):
    _, out, _ = gradstep("run", program, "--json")
    assert json.loads(out)["iterations"] == 7


def test_run_gives_json_for_other_programs(gradstep, program):
    _, out, _ = gradstep("run", program, "--iterations", 3, "--json")
    summary = json.loads(out)
    assert summary["program"] == "tiny"
    assert (summary["iterations"], summary["events"], summary["failed_events"]) == (3, 12, 0)
    assert summary["losses"] == {"loss": {"first": 300.0, "last": pytest.approx(260.0)}}
    assert summary["seconds"] >= 0


def test_run_saves_a_session_and_resumes_it(gradstep, program, tmp_path):
    first, second, whole = (tmp_path / f"{name}.gradstep" for name in ("a", "b", "whole"))
    assert gradstep("run", program, "--iterations", 3, "--save", first)[0] == 0
    assert gradstep("run", first, "--iterations", 2, "--save", second)[0] == 0
    assert gradstep("run", program, "--iterations", 5, "--save", whole)[0] == 0

    assert read(second).branches[0].events == read(whole).branches[0].events
    data = [Debugger.open(path).snapshot.parameters["x"].data for path in (second, whole)]
    assert data[0].tobytes() == data[1].tobytes()


def test_run_of_no_iterations_does_nothing(gradstep, program):
    status, out, _ = gradstep("run", program, "--iterations", 0, "--json")
    assert (status, json.loads(out)["events"]) == (0, 0)


def test_run_reports_where_it_stopped_at_an_error(gradstep, tmp_path):
    broken = {**TINY, "loop": [{"op": "forward"}, {"op": "backward"}, {"op": "backward"}]}
    broken["losses"] = {"loss": {"expression": "sum(x * x)"}}
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(broken))
    status, out, err = gradstep("run", path, "--json")
    assert status == 1
    assert json.loads(out)["failed_events"] == 1
    assert err.startswith("gradstep: the run ended at Event 3: ")


def test_run_stops_at_a_breakpoint_and_reports_the_watches(gradstep, program):
    words = ["run", program, "--iterations", 9, "--break", "loss < 270", "--break", "event > 99"]
    status, out, err = gradstep(*words, "--watch", "loss", "--watch", 'data("x")')
    assert (status, err) == (0, "")
    assert "tiny: 2 iterations in" in out
    assert out.endswith(
        "Stopped: loss < 270, after Event 10\n"
        "loss = 260.0\n"
        'data("x") = [0.7999999523162842, 1.7999999523162842]\n'
    )


def test_run_reports_breakpoints_in_json(gradstep, program):
    words = ["run", program, "--iterations", 9, "--json", "--watch", "iteration == 2"]
    summary = json.loads(gradstep(*words, "--break", "loss < 270")[1])
    assert summary["stopped"] == {
        "kind": "breakpoint", "event": 10, "sentence": "loss < 270, after Event 10"
    }  # fmt: skip
    assert summary["watches"] == {"iteration == 2": True}
    summary = json.loads(gradstep(*words)[1])
    assert summary["stopped"]["sentence"] == "9 iterations done"


def test_breakpoints_of_a_session_count_and_lines_are_printed(gradstep, program, tmp_path):
    debugger = Debugger.open(program)
    debugger.break_when("loss < 290", log="{iteration}: {loss}")
    debugger.save(tmp_path / "a.gradstep")
    _, out, _ = gradstep("run", tmp_path / "a.gradstep", "--iterations", 3)
    assert out.splitlines()[-1:] == ["Event 10: 2: 260"]


def test_a_loss_that_is_not_a_number_is_null_in_json(gradstep, tmp_path):
    path = tmp_path / "nan.json"
    path.write_text(json.dumps({**TINY, "losses": {"loss": {"expression": "sum(log(-1 * x))"}}}))
    _, out, _ = gradstep("run", path, "--iterations", 1, "--json")
    assert json.loads(out)["losses"] == {"loss": {"first": None, "last": None}}


def test_report_ends_with_1_when_a_contract_is_broken_and_0_when_none_is(gradstep):
    wrong = next(item.path for item in scenarios() if "wrong" in item.id)
    right = next(item.path for item in scenarios() if "linear" in item.id)
    status, out, _ = gradstep("report", wrong, "--iterations", 2)
    assert status == 1
    assert "[optimizer-foreign]" in out
    assert "[optimizer-orphan]" in out
    status, out, _ = gradstep("report", right, "--iterations", 2)
    assert (status, "fact:" in out) == (0, False)


@pytest.fixture
def failing(tmp_path):
    """A program whose loop writes a value of another shape."""
    path = tmp_path / "failing.json"
    loop = [{"op": "forward"}, {"op": "set_value", "tensor": "x", "value": [1, 2, 3]}]
    path.write_text(json.dumps({**TINY, "loop": loop}))
    return path


def test_report_ends_with_1_when_the_run_ended_at_an_error(gradstep, failing, tmp_path):
    session = tmp_path / "failed.gradstep"
    assert gradstep("run", failing, "--iterations", 1, "--save", session)[0] == 1
    status, out, _ = gradstep("report", session, "--json")
    findings = json.loads(out)["findings"]
    assert [finding for finding in findings if finding["severity"] == "fact"] == []
    assert status == 1
    assert gradstep("report", failing, "--iterations", 1)[0] == 1


def test_a_breakpoint_that_cannot_be_evaluated_is_reported_and_exits_with_2(gradstep, program):
    words = ["run", program, "--iterations", 9, "--break", 'grad("x")[7] > 0']
    status, _, err = gradstep(*words)
    assert status == 2
    assert err.startswith(
        "gradstep: the run stopped: breakpoint 1 cannot be computed after Event 3"
    )
    assert "index 7 is out of bounds" in err


@pytest.mark.parametrize("words", [["run", "-"], ["report", "-", "--json"], ["export", "-"]])
def test_a_program_is_read_from_standard_input(gradstep, monkeypatch, words):
    text = io.TextIOWrapper(io.BytesIO(json.dumps(TINY).encode()))
    monkeypatch.setattr("sys.stdin", text)
    status, out, err = gradstep(*words)
    assert (status, err) == (0, "")
    assert TINY["name"] in out


def test_a_bad_program_on_standard_input_is_one_line(gradstep, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"gradstep": 2}')))
    status, _, err = gradstep("run", "-")
    assert (status, err.count("\n")) == (2, 1)
    assert err.startswith("gradstep: -: $.gradstep: ")


def test_a_session_on_standard_input_is_rejected_in_one_line(gradstep, monkeypatch, tmp_path):
    program = tmp_path / "tiny.json"
    program.write_text(json.dumps(TINY))
    assert gradstep("run", str(program), "--save", str(tmp_path / "tiny.gradstep"))[0] == 0
    piped = io.BytesIO((tmp_path / "tiny.gradstep").read_bytes())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(piped))
    expected = "gradstep: a session cannot be read from standard input; name its file\n"
    assert gradstep("report", "-") == (2, "", expected)


def test_report_names_the_source_of_a_suspicion_that_has_no_number(gradstep, tmp_path):
    layers = [
        {"kind": "Linear", "in_features": 2, "out_features": 2},
        {"kind": "Softmax", "dim": 1},
    ]
    loss = {"data": "a", "chain": ["model"], "criterion": {"kind": "CrossEntropyLoss"}}
    path = tmp_path / "twice.json"
    document = {
        "gradstep": 1,
        "data": {"a": {"kind": "moons", "samples": 20}},
        "modules": {"model": layers},
        "losses": {"loss": loss},
        "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.1}},
    }
    path.write_text(json.dumps(document))
    status, out, _ = gradstep("report", path, "--iterations", 2)
    assert status == 0
    assert "suspicion: The last layer does not fit the criterion [criterion-mismatch]" in out
    assert "source: NeuraLint" in out


def test_report_asks_what_only_the_user_knows_and_says_which_comment_answers(gradstep, tmp_path):
    path = tmp_path / "behind.gradstep"
    debugger = debug(accumulate(BEHIND))
    debugger.save(path)
    status, out, _ = gradstep("report", path)
    assert status == 0
    assert "findings: 0 facts, 0 suspicions, 1 question" in out
    assert out.splitlines()[-3:] == [
        "Is this gradient accumulation?",
        "Yes (# gradstep: gradient_accumulation): The sum of several batches is intended: it is no "
        "mistake.",
        "No (# gradstep: not gradient_accumulation): Each batch was meant to have its own Step: it "
        "is shown as a mistake, with the lines to change.",
    ]
    debugger.answer("gradient_accumulation", is_intended=False)
    debugger.save(path)
    assert gradstep("report", path)[0] == 1


def test_report_of_a_session_shows_what_was_recorded(gradstep, program, tmp_path):
    session = tmp_path / "a.gradstep"
    gradstep("run", program, "--iterations", 3, "--save", session)
    before = session.read_bytes()
    _, out, _ = gradstep("report", session, "--json")
    assert json.loads(out)["events"] == 12
    assert session.read_bytes() == before


def test_a_session_under_another_name_is_read_and_not_run_again(gradstep, program, tmp_path):
    session, copy = tmp_path / "a.gradstep", tmp_path / "a.bak"
    gradstep("run", program, "--iterations", 3, "--save", session)
    copy.write_bytes(session.read_bytes())
    _, expected, _ = gradstep("report", session, "--json")
    _, out, _ = gradstep("report", copy, "--json")
    assert json.loads(out) == json.loads(expected)
    assert json.loads(out)["events"] == 12


def test_gallery_lists_the_programs_that_ship(gradstep):
    status, out, _ = gradstep("gallery")
    assert status == 0
    assert all(item.path.name in out for item in scenarios())
    _, out, _ = gradstep("gallery", "--json")
    assert [item["id"] for item in json.loads(out)] == [item.id for item in scenarios()]


def test_a_table_has_a_line_a_row_where_no_terminal_bounds_it(gradstep, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    lines = gradstep("kinds")[1].splitlines()
    assert len(lines) == len(kinds()) + 1
    assert [line for line in lines if line != line.rstrip()] == []
    monkeypatch.setenv("COLUMNS", "60")
    lines = gradstep("kinds", "Conv2d")[1].splitlines()
    assert len(lines) > 2
    assert max(map(len, lines)) <= 60


def test_kinds_lists_what_programs_may_name(gradstep):
    status, out, err = gradstep("kinds")
    assert (status, err) == (0, "")
    words = ("csv", "Conv2d", "CrossEntropyLoss", "AdamW", "StepLR", "zero_grad", "accuracy")
    for name in (*words, "every_epoch"):
        assert name in out
    status, out, _ = gradstep("kinds", "Linear", "--json")
    assert json.loads(out)[0]["fields"] == {
        "in_features": None,
        "out_features": None,
        "bias": "true",
    }


def test_export_writes_a_script_and_a_test(gradstep, program, tmp_path):
    script, test = tmp_path / "script.py", tmp_path / "test_script.py"
    assert gradstep("export", program, script) == (0, "", "")
    assert "for iteration in range(7):" in script.read_text()
    assert gradstep("export", program, test, "--test") == (0, "", "")
    assert test.read_text().count('("loss", ') == 7
    assert gradstep("export", program) == (0, script.read_text(), "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run"], "gradstep run: the following arguments are required: FILE"),
        (["run", "no.json"], "gradstep: there is no file no.json"),
        (["no.gradstep"], "gradstep: there is no file no.gradstep; check the path"),
        (["run", "no.gradstep"], "gradstep: there is no file no.gradstep"),
        (["run", ROOT, "--iterations", "2"], "is a folder"),
        (["run", "no.json", "--iterations", "-1"], "'-1' is not a number of iterations"),
        (["run", "no.json", "--iterations", "x"], "'x' is not a number of iterations"),
        (
            ["run", SAMPLE, "--break", "los > 1"],
            "--break 'los > 1': column 1: there is no 'los'; d",
        ),
        (["run", SAMPLE, "--watch", "grad("], "--watch 'grad(': column 5: '(' was never closed"),
        (["run", "no.json", "--save", "a.txt"], "'a.txt' does not end in .gradstep"),
        (["--screenshot", "a.png", "--size", "0x5"], "'0x5' is not a size such as 1280x800"),
        (["--dock", "plots"], "--dock, --layout, --iterations and --press need --screenshot"),
        (["a.json", "b.json"], "gradstep: unrecognized arguments: b.json"),
        (["--colour"], "unrecognized arguments: --colour"),
        (["report", ROOT / "pyproject.toml"], "pyproject.toml: line 1, column 2: "),
        (["kinds", "Lin"], "there is no kind 'Lin'; did you mean 'Linear'?"),
        (["runn", SAMPLE], "there is no command or file 'runn'; did you mean 'run'?"),
        (["what-iff", SAMPLE], "there is no command or file 'what-iff'; did you mean 'what-if'?"),
        (["resumecheck"], "there is no command or file 'resumecheck'; did you mean 'resume-che"),
        (["run", ROOT / "conftest.py"], "conftest.py is Python code, not a program or a session"),
    ],
)
def test_bad_usage_and_bad_input_are_one_line_and_status_2(gradstep, monkeypatch, words, message):
    monkeypatch.setattr(cli, "reason_for_no_window", lambda _environment: "no display")
    status, out, err = gradstep(*words)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_an_output_that_cannot_be_written_is_one_line_and_status_2(gradstep, program, tmp_path):
    nowhere = tmp_path / "nowhere"
    for words in (
        ["export", program, nowhere / "a.py"],
        ["run", program, "--iterations", 1, "--save", nowhere / "a.gradstep"],
    ):
        status, _, err = gradstep(*words)
        assert (status, err.count("\n")) == (2, 1)
        assert "No such file or directory" in err


def test_help_is_asked_for_and_given(gradstep):
    status, out, err = gradstep("--help")
    assert (status, err) == (0, "")
    assert "exit status" in out
    assert gradstep("run", "--help")[0] == 0
    assert gradstep("--version") == (0, f"gradstep {version()}\n", "")


def test_without_a_display_the_command_exits_with_status_3(program):
    environment = {"QT_QPA_PLATFORM": "", "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    result = process(program, **environment)
    assert (result.returncode, result.stdout) == (3, "")
    assert result.stderr.startswith("gradstep: there is no display to open a window on")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems need no display server")
def test_a_display_that_cannot_be_reached_is_reported_with_status_3(program):
    environment = {"QT_QPA_PLATFORM": "", "DISPLAY": ":4711", "WAYLAND_DISPLAY": ""}
    result = process(program, **environment)
    assert (result.returncode, result.stdout) == (3, "")
    why = "libraries that Qt needs" if missing_packages("xcb") else "the display :4711 cannot be"
    assert result.stderr.startswith(f"gradstep: {why}")
    assert result.stderr.count("\n") == 1


@pytest.mark.slow
def test_commands_without_a_window_load_no_qt(program):
    code = (
        "import sys; from gradstep_gui.cli import main; main(sys.argv[1:]);"
        "sys.exit(any(name.startswith(('PySide6', 'pyqtgraph')) for name in sys.modules))"
    )
    for words in (["gallery"], ["run", str(program), "--iterations", "1"]):
        result = subprocess.run(
            [sys.executable, "-c", code, *words],
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'core'}:{ROOT}"},
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert result.returncode == 0, result.stderr


def test_ctrl_c_ends_the_run_and_keeps_what_was_done(gradstep, program, tmp_path, monkeypatch):
    session = tmp_path / "a.gradstep"
    run = Debugger.run

    def interrupted(self, count, *, should_stop, progress):
        run(self, 2)
        signal.raise_signal(signal.SIGINT)
        return run(self, count, should_stop=should_stop, progress=progress)

    monkeypatch.setattr(Debugger, "run", interrupted)
    status, _, err = gradstep("run", program, "--iterations", 10**8, "--save", session)
    assert status == 0
    assert "interrupted; the Events up to here are kept" in err
    assert len(read(session).branches[0].events) == 8


def test_ctrl_c_cancels_a_save_and_leaves_the_file_as_it_was(
    gradstep, program, tmp_path, monkeypatch
):
    session = tmp_path / "a.gradstep"
    gradstep("run", program, "--iterations", 1, "--save", session)
    before, begin_save = session.read_bytes(), Debugger.begin_save

    def interrupted(self, path):
        signal.raise_signal(signal.SIGINT)
        return begin_save(self, path)

    monkeypatch.setattr(Debugger, "begin_save", interrupted)
    status, _, err = gradstep("run", program, "--iterations", 5, "--save", session)
    assert status == 130
    assert err == "gradstep: saving a.gradstep was cancelled; the file stays as it was\n"
    assert session.read_bytes() == before


def test_a_reader_that_goes_away_is_not_an_error(program):
    words = [sys.executable, "-m", "gradstep_gui", "run", str(program), "--json"]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'core'}:{ROOT}", "PYTHONUNBUFFERED": ""}
    with subprocess.Popen(
        words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        child.stdout.close()
        assert child.stderr.read() == b""
    assert child.returncode == 0


@pytest.mark.slow
def test_a_picture_of_the_window_is_drawn_without_a_display(program, tmp_path):
    picture = tmp_path / "a.png"
    words = ["--screenshot", picture, program, "--size", "1000x700", "--iterations", 3]
    result = process(*words, DISPLAY="", WAYLAND_DISPLAY="")
    assert (result.returncode, result.stderr) == (0, "")
    header = picture.read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(header[16:20]), int.from_bytes(header[20:24])) == (1000, 700)


@pytest.mark.slow
def test_a_picture_that_cannot_be_drawn_is_one_line_and_status_2(program, tmp_path):
    result = process("--screenshot", tmp_path / "a.png", program, "--dock", "nowhere")
    assert result.returncode == 2
    assert result.stderr.startswith("gradstep: there is no dock 'nowhere'; use one of: ")
    assert result.stderr.count("\n") == 1


def test_the_summary_lists_metrics_beside_losses(gradstep):
    program = next(item.path for item in scenarios() if item.id.startswith("21"))
    _, out, _ = gradstep("run", program, "--iterations", 20)
    assert "loss or metric" in out
    _, out, _ = gradstep("run", program, "--iterations", 20, "--json")
    assert json.loads(out)["metrics"] == ["accuracy"]
    assert json.loads(out)["losses"]["accuracy"]["last"] == pytest.approx(147 / 160)


def test_report_lists_the_predictions_of_a_lesson(gradstep, tmp_path):
    run = open_lesson(lessons()[0].path)
    run.proceed()
    run.answer("300")
    run.debugger.forward()
    run.follow()
    run.debugger.lesson = run.state
    path = tmp_path / "handed-in.gradstep"
    run.debugger.save(path)
    _, out, _ = gradstep("report", path, "--json")
    question = "`x` is [1, 2]. What will the loss be?"
    assert json.loads(out)["predictions"] == [
        {
            "lesson": "01_who_does_what",
            "step": 2,
            "question": question,
            "answer": "300",
            "right": True,
        }
    ]
    _, out, _ = gradstep("report", path)
    assert "predictions of 01_who_does_what: 1 of 1 right\n" in out
    assert f"step 2, right: {question} 300\n" in out
    assert out.endswith("not predicted: 5 questions\n")


def test_a_session_that_was_changed_by_hand_says_so(gradstep, program, tmp_path):
    path = tmp_path / "changed.gradstep"
    gradstep("run", program, "--iterations", 2, "--save", path)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE branches SET name = 'mine'")
    alteration = (
        "the session was changed after GradStep wrote it; the branches may differ from what it held"
    )
    _, out, err = gradstep("report", path, "--json")
    assert (json.loads(out)["alteration"], err) == (alteration, f"gradstep: {alteration}\n")


def test_report_of_a_program_lists_no_predictions(gradstep, program):
    _, out, _ = gradstep("report", program, "--iterations", 1, "--json")
    assert json.loads(out)["predictions"] == []
