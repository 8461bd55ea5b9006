"""What the README shows works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

from gradstep.debugger import Debugger
from gradstep.program.document import codec
from gradstep.program.program import Program

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text()


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def test_the_program_of_the_readme_runs(tmp_path):
    rows = "".join(f"{number},{2 * number}\n" for number in range(10))
    (tmp_path / "points.csv").write_text(f"u,y\n{rows}")
    (example,) = blocks("json")
    program = Program.from_spec(codec.decode(example.encode()), tmp_path)
    for operation in program.loop_operations():
        program.run(operation)
    assert program.iteration == 1


def test_the_scripts_of_the_readme_run(tmp_path, monkeypatch, capsys):
    (tmp_path / "resources").symlink_to(ROOT / "resources")
    monkeypatch.chdir(tmp_path)
    exec("".join(blocks("python")), {})  # one goes on where the other ends
    assert capsys.readouterr().out.startswith("[[")
    assert Debugger.open(tmp_path / "iris.gradstep").snapshot.loss < 0.2


def test_what_the_readme_points_to_is_there():
    for link in re.findall(r'\]\(([^)#]+)\)|(?:src|srcset)="([^"]+)"', TEXT):
        assert (ROOT / next(filter(None, link))).is_file()
