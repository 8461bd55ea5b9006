"""A short part of the attacks; `make torture` runs the rest, with other seeds as well."""

import os
import random

import pytest

from tests.torture import sandbox
from tests.torture.sandbox import KINDS, attack


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_that_is_opened_breaks_hangs_or_escapes(kind):
    count = 30 if kind == "lessons" else 120
    tally = attack(kind, count)
    assert tally.wrong == []
    assert tally.counts.total() == count
    assert tally.counts["refused"] > count // 6
    assert tally.counts["opened"] + tally.counts["told"] > count // 12


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
