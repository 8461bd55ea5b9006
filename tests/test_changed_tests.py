"""What `make check` runs: the tests of a changed file, and not those of others."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "changed_tests.py"
TESTS = {
    "tests/core/optim/test_sgd.py": "import gradstep.optim.sgd",
    "tests/core/optim/test_adam.py": "from gradstep.optim import adam",
    "tests/core/session/test_store.py": "from gradstep.session.store import read",
    "tests/core/session/deep/test_more.py": "",
    "tests/test_readme.py": "README = ROOT / 'README.md'",
}


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("changed_tests", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ("core/gradstep/optim/sgd.py", {"tests/core/optim/test_sgd.py"}),
        ("core/gradstep/optim/adam.py", {"tests/core/optim/test_adam.py"}),
        ("core/gradstep/session/store.py", {"tests/core/session/test_store.py"}),
        ("core/gradstep/session/deep.py", {"tests/core/session/deep/test_more.py"}),
    ],
)
def test_of_a_source_its_doctests_and_the_tests_that_mirror_or_import_it(script, changed, tests):
    assert script.tests_of({changed}, TESTS) == {changed, *tests}


def test_of_a_test_itself(script):
    changed = {"tests/core/optim/test_adam.py"}
    assert script.tests_of(changed, TESTS) == changed


def test_of_a_document_the_tests_that_name_it(script):
    assert script.tests_of({"README.md"}, TESTS) == {"tests/test_readme.py"}


def test_of_what_no_test_knows_nothing(script):
    assert script.tests_of({"LICENSE"}, TESTS) == set()
