"""A short part of the attacks; `make torture` runs the rest, with other seeds as well."""

import json
import os
import random
import subprocess
import sys
from collections import Counter

import pytest

from gradstep.program.gallery import scenarios
from tests.torture import sandbox
from tests.torture.figures import add_up
from tests.torture.kills import MODES
from tests.torture.mutations import Vocabulary, mutated
from tests.torture.places import attack_by_places
from tests.torture.sandbox import KINDS, Tally, attack

COUNTS = {"sessions": 40, "programs": 60, "lessons": 12, "expressions": 40, "arithmetic": 12}
QUICK = ("full disk, save over", "full disk, export", "file removed or replaced")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_that_is_opened_breaks_hangs_or_escapes(kind):
    count = COUNTS[kind]
    tally = attack(kind, count)
    assert tally.wrong == []
    assert tally.counts.total() == count
    assert kind == "arithmetic" or tally.counts["refused"] > count // 6
    assert tally.counts["opened"] + tally.counts["told"] > count // 20


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_bad_places_cost_nothing_that_was_there(name):
    tally = attack_by_places((name,))
    assert tally.wrong == []
    assert tally.counts.total() == 1


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_what_is_killed_leaves_all_that_it_had_shown():
    # In a process of its own, which has no Qt application yet.
    command = [sys.executable, "-m", "tests.torture", "kills", "--count", str(len(MODES))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert all(f"1 {mode}: kept" in done.stdout for mode in MODES)


def test_a_case_depends_on_its_seed_alone():
    documents = [json.loads(entry.path.read_text("utf-8")) for entry in scenarios()]
    vocabulary = Vocabulary(documents)

    def cases():
        draw = random.Random(0)
        return [mutated(draw, draw.choice(documents), vocabulary) for _ in range(300)]

    assert cases() == cases()


def test_counts_of_several_attacks_add_up(tmp_path):
    path = tmp_path / "attacks.json"
    add_up(path, "kills", Tally(Counter({"saving: kept": 600})))
    add_up(path, "kills", Tally(Counter({"saving: kept": 300, "window: kept": 100})))
    (figure,) = json.loads(path.read_text())["figures"]
    assert (figure["value"], figure["met"], figure["note"]) == (1000, True, "0 wrong")
    add_up(path, "kills", Tally(Counter({"window: kept": 1}), [(3, "window: kept", "")]))
    (figure,) = json.loads(path.read_text())["figures"]
    assert (figure["value"], figure["met"], figure["note"]) == (1001, False, "1 wrong")


def test_an_error_of_a_case_is_told_with_its_traceback():
    result, text = sandbox.outcome(lambda _: {}[1], random.Random(0))
    assert (result, "KeyError: 1" in text) == ("KeyError", True)


@pytest.mark.parametrize(
    ("event", "arguments"),
    [
        ("open", ("/elsewhere/file", "w", 0)),
        ("open", ("/elsewhere/file", None, os.O_RDWR)),
        ("subprocess.Popen", ("ls",)),
        ("socket.connect", ()),
    ],
)
def test_what_nothing_may_do_ends_a_case(tmp_path, event, arguments):
    check = sandbox.guard(tmp_path)
    check("open", (str(tmp_path / "file"), "w", 0))
    check("open", ("/elsewhere/file", "r", os.O_RDONLY))
    with pytest.raises(sandbox.EscapeError):
        check(event, arguments)
