"""The code cells of a notebook run in order in one `__main__`, without Jupyter."""

from __future__ import annotations

import json

import pytest

from tests.gradstep_agent.client import record


@pytest.fixture
def run(tmp_path):
    """Run a notebook of these code cells, after one of text."""

    def run(*cells, **options):
        kinds = ["markdown", *["code"] * len(cells)]
        written = [
            {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
            for kind, text in zip(kinds, ("# A title", *cells), strict=True)
        ]
        (tmp_path / "notes").mkdir()
        path = tmp_path / "notes" / "train.ipynb"
        path.write_text(json.dumps({"nbformat": 4, "metadata": {}, "cells": written}))
        return record("notes/train.ipynb", "--fast", cwd=tmp_path, **options)

    return run


def test_cells_share_one_main_and_the_last_expression_of_each_is_shown(run, tmp_path):
    found = run(
        "import os, sys\nx = 6",
        "def f(a):\n    return a * x\nf(7)",
        "f(8);",
        "display(__name__, sys.argv)\nos.getcwd() == sys.path[0]",
        "None",
    )
    assert (found.status, found.err) == (0, "")
    assert found.out == "42\n__main__ ['notes/train.ipynb', '--fast']\nTrue\n"


def test_what_is_not_python_is_skipped_with_a_note(run):
    found = run(
        "%matplotlib inline\nx = 5\nif x:\n    !ls\nprint(x)",
        "%%bash\nrm -rf everything",
        "%%time\n%time y = x + 1\nfiles = !ls \\\n  --all\ny?\nprint(y)",
        'text = """\n%not a magic\n!nor this"""\nprint(7\n% 4, len(text))',
    )
    assert (found.status, found.out) == (0, "5\n6\n3 23\n")
    assert found.err.splitlines() == [
        "gradstep: notes/train.ipynb, cell 1: line 1 skipped: %matplotlib inline",
        "gradstep: notes/train.ipynb, cell 1: line 4 skipped: !ls",
        "gradstep: notes/train.ipynb, cell 2: skipped, for %%bash",
        "gradstep: notes/train.ipynb, cell 3: line 1 skipped: %%time",
        "gradstep: notes/train.ipynb, cell 3: line 3 skipped: files = !ls \\",
        "gradstep: notes/train.ipynb, cell 3: line 5 skipped: y?",
    ]


def test_an_error_ends_it_and_names_the_cell_and_its_line(run):
    found = run("x = 1", "def f():\n    return x / 0", "f()", "print('never')")
    assert (found.status, found.out) == (1, "")
    assert [line.strip() for line in found.err.splitlines() if "^" not in line] == [
        "Traceback (most recent call last):",
        'File "notes/train.ipynb, cell 3", line 1, in <module>',
        "f()",
        'File "notes/train.ipynb, cell 2", line 2, in f',
        "return x / 0",
        "ZeroDivisionError: division by zero",
    ]


def test_a_line_that_python_does_not_understand_is_an_error(run):
    found = run("x = = 1")
    assert (found.status, found.err.splitlines()[-1]) == (1, "SyntaxError: invalid syntax")


def test_events_name_their_cell_and_every_cell_is_sent(run):
    found = run(
        "import torch\ntorch.manual_seed(0)\nmodel = torch.nn.Linear(2, 1);",
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\nx = torch.ones(3, 2)",
        "def step():\n    optimizer.zero_grad()\n    model(x).sum().backward()\n"
        "    optimizer.step()",
        "for _ in range(3):\n    step()",
        "model.zero_grad()",
        stand_in=True,
    )
    assert found.of("failed") == []
    files = [f"notes/train.ipynb, cell {number}" for number in range(1, 6)]
    assert [source["file"] for source in found.of("source")] == files
    assert found.counts() == {"zero_grad": 4, "forward": 3, "backward": 3, "step": 3}
    lines = {event.kind: (event.place["file"], event.place["line"]) for event in found.events[:4]}
    assert lines == {
        "zero_grad": (files[2], 2),
        "forward": (files[2], 3),
        "backward": (files[2], 3),
        "step": (files[2], 4),
    }
    assert (found.iterations, found.epochs) == (3, 1)


def test_a_file_that_is_no_notebook_is_one_sentence(tmp_path):
    path = tmp_path / "train.ipynb"
    for text in ("import torch", "{}", '{"cells": [3]}', "[]"):
        path.write_text(text)
        found = record(path)
        assert (found.status, found.out) == (2, "")
        assert found.err == f"gradstep: {path} is not a notebook of format 4\n"
