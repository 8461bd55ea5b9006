"""Data sets of every kind: their values, and errors for invalid ones."""

from __future__ import annotations

import io
from contextlib import suppress
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradstep.errors import ProgramError
from gradstep.program.datasets.loading import load_dataset
from gradstep.program.document.files import CachedFiles, FolderFiles, InMemoryFiles
from gradstep.program.schema.data_sets import Csv, Data


def made(kind: str, files: dict[str, bytes] | None = None, seed: int = 0, **fields: Any):
    """Load a data set named d."""
    spec = msgspec.convert({"kind": kind, **fields}, Data)
    return load_dataset("d", spec, InMemoryFiles(files or {}), seed=seed, dtype="float32")


def saved(array: Any) -> bytes:
    """Return the bytes of a .npy file."""
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("kind", "fields", "inputs", "targets"),
    [
        ("inline", {"inputs": [[1, 2], [3, 4]], "targets": [0, 1]}, (2, 2), (2,)),
        ("line", {"samples": 7}, (7, 1), (7, 1)),
        ("polynomial", {"samples": 7, "coefficients": [1, 2, 3]}, (7, 2), (7, 1)),
        ("sine", {"samples": 7, "noise": 0.1}, (7, 1), (7, 1)),
        ("moons", {"samples": 7, "noise": 0.1}, (7, 2), (7,)),
        ("circles", {"samples": 7, "noise": 0.1}, (7, 2), (7,)),
        ("spirals", {"samples": 9, "classes": 3}, (9, 2), (9,)),
        ("blobs", {"samples": 9, "features": 4}, (9, 4), (9,)),
        ("xor", {"samples": 9, "noise": 0.1}, (9, 2), (9,)),
        ("gaussian", {"samples": 9, "inputs": 3, "targets": 2}, (9, 3), (9, 2)),
        ("iris", {}, (150, 4), (150,)),
        ("digits", {}, (1797, 64), (1797,)),
        ("diabetes", {}, (442, 10), (442, 1)),
    ],
)
def test_every_kind_of_data_has_the_expected_shapes_and_dtypes(kind, fields, inputs, targets):
    data = made(kind, **fields)
    assert data.inputs.shape == inputs
    assert data.targets.shape == targets
    assert data.inputs.dtype == np.float32
    assert data.targets.dtype == (np.int64 if len(targets) == 1 else np.float32)
    assert np.isfinite(data.inputs).all()


@pytest.mark.parametrize("kind", ["moons", "blobs", "gaussian", "sine"])
def test_generated_data_depend_on_the_seed(kind):
    noise = {} if kind in {"blobs", "gaussian"} else {"noise": 0.5}
    field = "targets" if kind == "sine" else "inputs"
    first = getattr(made(kind, **noise), field)
    assert np.array_equal(getattr(made(kind, **noise), field), first)
    assert not np.array_equal(getattr(made(kind, seed=1, **noise), field), first)


def test_a_data_sets_own_seed_overrides_the_programs():
    spec = msgspec.convert({"kind": "gaussian", "seed": 5}, Data)
    first = load_dataset("d", spec, InMemoryFiles({}), seed=0, dtype="float32")
    second = load_dataset("e", spec, InMemoryFiles({}), seed=1, dtype="float32")
    assert np.array_equal(first.inputs, second.inputs)


def test_generated_sets_match_their_formulas():
    line = made("line", samples=3, slope=2, intercept=1)
    assert line.inputs.ravel().tolist() == [-1.0, 0.0, 1.0]
    assert line.targets.ravel().tolist() == [-1.0, 1.0, 3.0]
    cubic = made("polynomial", samples=3, coefficients=[1, 0, 2], low=0, high=2)
    assert cubic.inputs.tolist() == [[0.0, 0.0], [1.0, 1.0], [2.0, 4.0]]
    assert cubic.targets.ravel().tolist() == [1.0, 3.0, 9.0]
    assert made("xor").targets.tolist() == [0, 1, 1, 0]
    circles = made("circles", samples=10, factor=0.5)
    radius = np.hypot(*circles.inputs.T)
    assert np.allclose(radius[circles.targets == 0], 1.0)
    assert np.allclose(radius[circles.targets == 1], 0.5)


def test_bundled_data_sets_match_their_published_values():
    iris = made("iris")
    assert iris.inputs[0].tolist() == pytest.approx([5.1, 3.5, 1.4, 0.2])
    assert np.bincount(iris.targets).tolist() == [50, 50, 50]
    assert iris.classes == ("setosa", "versicolor", "virginica")
    assert iris.input_names == ("sepal_length", "sepal_width", "petal_length", "petal_width")
    digits = made("digits")
    assert (digits.inputs.min(), digits.inputs.max()) == (0.0, 16.0)
    assert digits.targets[:5].tolist() == [0, 1, 2, 3, 4]
    diabetes = made("diabetes")
    assert diabetes.targets[:2].ravel().tolist() == [151.0, 75.0]
    assert diabetes.inputs[0, 0] == 59.0


def test_standardized_inputs_have_mean_0_and_deviation_1():
    data = made("iris", standardize=True)
    assert np.allclose(data.inputs.mean(0), 0, atol=1e-6)
    assert np.allclose(data.inputs.std(0), 1, atol=1e-6)


def test_a_constant_column_is_standardized_to_0():
    assert made("inline", inputs=[[7.0], [7.0]], standardize=True).inputs.tolist() == [[0], [0]]


def test_held_out_rows_are_random_and_keep_their_targets():
    whole = made("iris")
    data = made("iris", validation=0.2)
    assert data.training == 120
    assert set(data.targets[120:].tolist()) == {0, 1, 2}
    pairs = {(*row, label) for row, label in zip(whole.inputs.tolist(), whole.targets, strict=True)}
    assert {
        (*row, label) for row, label in zip(data.inputs.tolist(), data.targets, strict=True)
    } == pairs


def test_limit_keeps_the_first_rows():
    assert made("iris", limit=3).inputs.shape == (3, 4)


def test_integers_in_a_flat_list_are_labels_and_other_numbers_are_values():
    assert made("inline", inputs=[1, 2], targets=[0, 1]).targets.dtype == np.int64
    assert made("inline", inputs=[1, 2], targets=[0, 1.5]).targets.dtype == np.float32
    assert made("inline", inputs=[1, 2], targets=[[0], [1]]).targets.dtype == np.float32


@pytest.mark.parametrize(
    ("fields", "place", "words"),
    [
        ({"inputs": [[1, 2], [3]]}, "$.data.d.inputs[1]", "1 number where [0] has 2"),
        ({"inputs": [[1], "x"]}, "$.data.d.inputs[1]", "not a string"),
        ({"inputs": [1, None]}, "$.data.d.inputs[1]", "null"),
        ({"inputs": [1, True]}, "$.data.d.inputs[1]", "not true or false"),
        ({"inputs": [1, {}]}, "$.data.d.inputs[1]", "an object"),
        ({"inputs": [[]]}, "$.data.d.inputs", "empty list"),
        ({"inputs": [[[[[[[[[[1]]]]]]]]]]}, "$.data.d.inputs", "too deep"),
        ({"inputs": [10**400]}, "$.data.d.inputs[0]", "too large"),
        ({"inputs": [1, 2], "targets": [1]}, "$.data.d.targets", "1 targets for 2 inputs"),
        ({"inputs": [1], "drop_last": True, "batch_size": 2}, "$.data.d.batch_size", "2 is more"),
    ],
)
def test_invalid_inline_numbers_are_rejected_with_their_place(fields, place, words):
    with pytest.raises(ProgramError) as caught:
        made("inline", **fields)
    assert caught.value.place == place
    assert words in str(caught.value)


def test_generated_data_that_are_too_large_are_rejected_before_allocation():
    with pytest.raises(ProgramError, match="2,000,000,000 numbers"):
        made("gaussian", samples=1_000_000, inputs=1000, targets=1000)
    with pytest.raises(ProgramError, match="numbers"):
        made("blobs", samples=1, centers=1000, features=1_000_000)


def test_npy_files_are_read():
    files = {"x.npy": saved(np.eye(3, dtype=np.float16)), "y.npy": saved(np.array([2, 0, 1]))}
    data = made("npy", files, inputs="x.npy", targets="y.npy")
    assert data.inputs.tolist() == np.eye(3).tolist()
    assert data.targets.tolist() == [2, 0, 1]
    assert made("npy", {"x.npy": saved(np.arange(3.0))}, inputs="x.npy").inputs.shape == (3, 1)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "not a .npy file"),
        (b"hello", "not a .npy file"),
        (saved(np.ones(3))[:-1], "cut off"),
        (saved(np.ones(3)) + b"!", "cut off"),
        (saved(np.array(["a"])), "not numbers"),
        (saved(np.array([1 + 2j])), "not numbers"),
        (saved(np.array(3.0)), "the shape ()"),
        (saved(np.ones((0, 3))), "the shape (0, 3)"),
        (saved(np.array([1.0, np.nan])), "row 1 (from 0) is not finite"),
        (saved(np.array([[1.0], [np.inf]])), "row 1 (from 0) is not finite"),
        (saved(np.ones(3)).replace(b"(3,)", b"(9999999999999,)"), "."),
    ],
)
def test_invalid_npy_files_are_rejected(raw, words):
    with pytest.raises(ProgramError) as caught:
        made("npy", {"x.npy": raw}, inputs="x.npy")
    assert caught.value.place == "$.data.d.inputs"
    assert words in str(caught.value)


def test_pickled_arrays_are_never_unpickled():
    with pytest.raises(ProgramError, match="not numbers"):
        made("npy", {"x.npy": saved(np.array([{"a": 1}], dtype=object))}, inputs="x.npy")


@settings(max_examples=150)
@given(position=st.integers(0, 140), byte=st.integers(0, 255))
def test_a_damaged_npy_file_is_either_read_or_rejected(position, byte):
    raw = bytearray(saved(np.ones(4)))
    raw[position] = byte
    with suppress(ProgramError):
        made("npy", {"x.npy": bytes(raw)}, inputs="x.npy")


def test_only_files_in_the_folder_of_the_program_are_read(tmp_path):
    folder = tmp_path / "program"
    folder.mkdir()
    (tmp_path / "secret.csv").write_text("u\n1\n")
    (folder / "b.csv").write_text("u\n1\n")
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    files = FolderFiles(folder)
    assert files.read("b.csv", "$") == b"u\n1\n"
    assert files.read("./b.csv", "$") == b"u\n1\n"
    for outside in ("../secret.csv", str(tmp_path / "secret.csv"), "link.csv"):
        with pytest.raises(ProgramError, match="is outside the program's folder"):
            files.read(outside, "$.data.b.path")
    with pytest.raises(ProgramError, match="there is no file"):
        files.read("none.csv", "$")
    with pytest.raises(ProgramError, match="is a folder"):
        files.read(".", "$")
    with pytest.raises(ProgramError, match=r"not a path|cannot read"):
        files.read("a\0b", "$")


def test_a_second_pair_of_arrays_holds_the_validation_rows():
    files = {
        "x.npy": saved(np.arange(6.0).reshape(3, 2)),
        "y.npy": saved(np.array([2, 0, 1])),
        "vx.npy": saved(np.full((2, 2), 9.0)),
        "vy.npy": saved(np.array([1, 1])),
        "wide.npy": saved(np.ones((2, 3))),
    }
    fields = {"inputs": "x.npy", "targets": "y.npy", "validation_targets": "vy.npy"}
    data = made("npy", files, validation_inputs="vx.npy", **fields)
    assert data.inputs.tolist() == [[0, 1], [2, 3], [4, 5], [9, 9], [9, 9]]
    assert (data.targets.tolist(), data.training) == ([2, 0, 1, 1, 1], 3)
    with pytest.raises(ProgramError, match=r"row has the shape \(2,\), a validation row \(3,\)"):
        made("npy", files, validation_inputs="wide.npy", **fields)
    with pytest.raises(ProgramError, match="validation_targets without validation_inputs"):
        made("npy", files, **fields)
    with pytest.raises(ProgramError, match="one of the two parts has no targets"):
        made("npy", files, inputs="x.npy", targets="y.npy", validation_inputs="vx.npy")


def test_validation_rows_come_from_a_file_or_are_drawn_but_not_both():
    files = {"x.npy": saved(np.ones((3, 2)))}
    with pytest.raises(ProgramError, match="come from a file") as caught:
        made("npy", files, inputs="x.npy", validation_inputs="x.npy", validation=0.5)
    assert caught.value.place == "$.data.d.validation"


def test_of_a_large_csv_file_the_first_rows_are_read_and_kept(tmp_path):
    with (tmp_path / "big.csv").open("wb") as file:
        file.write(b"u,y\n")
        file.writelines(b"%d,%s\n" % (row, b"7" * 100) for row in range(200_000))
    spec = Csv(path="big.csv", target="y", limit=1000)
    files = CachedFiles(FolderFiles(tmp_path))
    data = load_dataset("d", spec, files, seed=0, dtype="float64")
    assert data.inputs[:, 0].tolist() == list(range(1000))
    kept = InMemoryFiles(files.contents)
    again = load_dataset("d", spec, kept, seed=0, dtype="float64")
    assert len(files.contents["big.csv"]) < 110_000
    assert (again.inputs == data.inputs).all()
    whole = load_dataset("d", Csv(path="big.csv"), FolderFiles(tmp_path), seed=0, dtype="float64")
    assert whole.inputs.shape == (200_000, 2)
    with pytest.raises(ProgramError, match="another data set reads another part"):
        load_dataset("e", Csv(path="big.csv", limit=10), files, seed=0, dtype="float64")


def test_the_remedy_for_a_file_that_is_too_large_names_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr("gradstep.program.document.files.MAX_DATA_BYTES", 1 << 20)
    monkeypatch.setattr("gradstep.program.datasets.csv_table.MAX_BYTES", 1 << 16)
    (tmp_path / "big.csv").write_bytes(b"u\n" + b"1\n" * 600_000)
    files = FolderFiles(tmp_path)
    with pytest.raises(ProgramError) as caught:
        load_dataset("d", Csv(path="big.csv"), files, seed=0, dtype="float32")
    assert "big.csv is larger than 1 MB" in str(caught.value)
    assert 'read the first rows, with "limit": 100000' in caught.value.remedy
    spec = Csv(path="big.csv", limit=9)
    assert load_dataset("d", spec, files, seed=0, dtype="float32").training == 9
