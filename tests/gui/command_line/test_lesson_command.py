"""`gradstep lesson` tries a lesson out."""

from __future__ import annotations

import json

import pytest

from gradstep.lessons.gallery import lessons
from gradstep_gui.cli import main

FIRST = lessons()[0].path


def test_a_lesson_is_printed_as_a_learner_reads_it(capsys):
    assert main(["lesson", str(FIRST)]) == 0
    out = capsys.readouterr().out
    assert "\n2. Forward\n" in out
    assert "   ? `x` is [1, 2]. What will the loss be?\n   = 300\n" in out
    assert out.endswith("9 steps, 6 questions; 7 wrong presses answered and undone.\n")


def test_json_has_both_walks(capsys):
    assert main(["lesson", str(FIRST), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["right"]["predictions"][0] == {
        "lesson": "01_who_does_what",
        "step": 2,
        "question": "`x` is [1, 2]. What will the loss be?",
        "answer": "300",
        "right": True,
    }
    assert [item["right"] for item in found["wrong"]["predictions"]] == [False] * 6


def test_a_lesson_that_is_not_valid_says_where(tmp_path, capsys):
    document = json.loads(FIRST.read_text("utf-8"))
    document["steps"][1]["question"]["answer"] = "los"
    document["program"] = json.loads(FIRST.with_name(document["program"]).read_text("utf-8"))
    path = tmp_path / "mine.lesson.json"
    path.write_text(json.dumps(document), "utf-8")
    assert main(["lesson", str(path)]) == 2
    assert "$.steps[1].question.answer: column 1: there is no 'los'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "message"), [("none.lesson.json", "there is no file"), (".", "is a folder; name")]
)
def test_a_file_that_cannot_be_read_is_reported(tmp_path, capsys, name, message):
    assert main(["lesson", str(tmp_path / name)]) == 2
    assert message in capsys.readouterr().err
