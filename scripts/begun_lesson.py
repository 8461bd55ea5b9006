"""Saves a session within the first lesson, for its picture: `begun_lesson.py OUT.gradstep`."""

import sys
from pathlib import Path

from gradstep.lessons.codec import read
from gradstep.lessons.gallery import begin_lesson
from gradstep.lessons.walker import carry_out

FOLDER = Path(__file__).parents[1] / "resources" / "scenarios"
ANSWERS = ("300", "Only x.grad")

run = begin_lesson(read(FOLDER / "01_who_does_what.lesson.json"), FOLDER, "01_who_does_what")
run.proceed()
for answer in ANSWERS:
    run.answer(answer)
    for action in run.actions:
        carry_out(run, action)
        run.follow()
run.debugger.lesson = run.state
run.debugger.save(Path(sys.argv[1]))
