from __future__ import annotations

import pytest

from gradstep.errors import ProgramError, SessionError
from gradstep.program import document
from gradstep.session.sources import embedded, unpacked

SPEC = b"""{"gradstep": 1, "data": {
    "a": {"kind": "csv", "path": "tables/b.csv", "inputs": ["u"], "target": "y", "batch_size": 5},
    "m": {"kind": "moons", "samples": 20, "batch_size": 5}}}"""


def test_data_files_are_taken_in_and_put_back_where_the_spec_then_looks(tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "b.csv").write_bytes(b"u,y\n1,2\n")

    spec, files = embedded(document.decode(SPEC), tmp_path)

    assert files == {"data/a.path.csv": b"u,y\n1,2\n"}
    assert spec.data["a"].path == "data/a.path.csv"
    with unpacked(files) as folder:
        assert (folder / spec.data["a"].path).read_bytes() == b"u,y\n1,2\n"
    assert not folder.exists()


def test_a_file_that_is_gone_is_named_with_its_place(tmp_path):
    with pytest.raises(ProgramError, match=r"\$\.data\.a\.path: there is no file"):
        embedded(document.decode(SPEC), tmp_path)


def test_files_are_never_put_outside_their_folder():
    for path in ("../a", "/a", "a/../../b", "", "a\\b", "c:a", "a\nb", "x" * 300):
        with pytest.raises(SessionError, match="unsafe path"), unpacked({path: b""}):
            pass
