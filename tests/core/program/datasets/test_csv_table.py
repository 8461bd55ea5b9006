"""CSV files: inputs, targets and classes, and errors for invalid cells."""

from __future__ import annotations

import io
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradstep.errors import ProgramError
from gradstep.program.datasets.csv_table import first_rows, parse_csv
from gradstep.program.datasets.dataset import prepare
from gradstep.program.schema.data_sets import Csv
from gradstep.program.schema.limits import MAX_BYTES


def parsed(text: str | bytes, **fields: Any) -> Any:
    """Parse a table named t.csv."""
    raw = text.encode() if isinstance(text, str) else text
    return parse_csv(raw, Csv(path="t.csv", **fields), "$.data.t")


def test_columns_are_selected_by_name():
    table = parsed("u,v,y\n1,2,3\n4,5,6\n", inputs=["v", "u"], target="y")
    assert table.inputs.tolist() == [[2, 1], [5, 4]]
    assert table.targets.tolist() == [[3], [6]]
    assert table.input_names == ("v", "u")


def test_all_columns_but_the_target_are_inputs():
    table = parsed("u,y,v\n1,2,3\n", target="y")
    assert table.inputs.tolist() == [[1, 3]]
    assert parsed("u,v\n1,2\n").targets is None


def test_without_a_header_columns_are_numbered():
    table = parsed("1;2\n3;4\n", header=False, delimiter=";", target="1")
    assert table.inputs.tolist() == [[1], [3]]
    assert table.targets.tolist() == [[2], [4]]


def test_a_byte_order_mark_spaces_and_empty_last_lines_do_not_matter():
    assert parsed(b"\xef\xbb\xbfu, y \r\n 1 , 2\r\n\r\n", target="y").targets.tolist() == [[2]]


def test_words_are_numbered_as_classes_in_sorted_order():
    table = parsed("u,c\n1,dog\n2,cat\n3,dog\n", target="c", classes=True)
    assert table.targets.tolist() == [1, 0, 1]
    assert table.classes == ("cat", "dog")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_quoted_cell_may_have_several_lines(end):
    text = end.join(["note,u,c", '"on two', 'lines",1,"two', 'words"', '"a ""quote""",2,one', ""])
    table = parsed(text, inputs=["u"], target="c", classes=True)
    assert table.inputs.tolist() == [[1], [2]]
    assert table.classes == ("one", f"two{end}words")


def test_unicode_line_separators_do_not_end_a_row():
    table = parsed("u,c\n1,a\x0bb\n2,a\u2028c\n", target="c", classes=True)
    assert table.classes == ("a\x0bb", "a\u2028c")


def test_integer_class_labels_are_kept():
    table = parsed("u,c\n1,2\n2,0\n3,2\n", target="c", classes=True)
    assert table.targets.tolist() == [2, 0, 2]
    assert table.classes == ()


def test_large_integer_labels_are_numbered_in_text_order():
    table = parsed("u,c\n1,1000\n2,7\n", target="c", classes=True)
    assert table.targets.tolist() == [0, 1]
    assert table.classes == ("1000", "7")


@pytest.mark.parametrize(
    ("text", "fields", "words"),
    [
        ("u,y\n1,2\n3,oops\n", {}, "t.csv, row 3, column 2 (y): 'oops' is not a number"),
        ("u,y\n1,nan\n", {}, "row 2, column 2 (y): 'nan' is not a finite number"),
        ("u,y\n-inf,1\n", {}, "row 2, column 1 (u): '-inf' is not a finite number"),
        ("u,y\n1,\n", {}, "row 2, column 2 (y): '' is not a number"),
        ("1,2\n3,x\n", {"header": False}, "row 2, column 2 (1): 'x' is not a number"),
        ("u,y\n1,2,3\n", {}, "row 2: 3 cells where the first row has 2"),
        ("u,y\n\n1,2\n", {}, "row 2: 0 cells"),
        ("", {}, "t.csv has no rows"),
        ("u,y\n", {}, "t.csv has no rows"),
        ("u\n1\n", {"target": "u"}, "t.csv has no input column"),
        ("u,y\n1,2\n", {"target": "z"}, "there is no column 'z'; available: u, y"),
        ("u,y\n1,2\n", {"inputs": ["uu"]}, "did you mean 'u'?"),
        ("u,u\n1,2\n", {"inputs": ["u"]}, "two columns are named 'u'"),
        (
            "u,c\n1, \n",
            {"target": "c", "classes": True},
            "row 2, column 2 (c): '' is not a class label",
        ),
        (b"u,y\n\xff,1\n", {}, "byte 4 is not UTF-8 text"),
        ("u\n" + "9" * 200_000 + "\n", {}, "field larger than field limit"),
    ],
)
def test_an_invalid_table_is_rejected_with_row_and_column(text, fields, words):
    with pytest.raises(ProgramError) as caught:
        parsed(text, **fields)
    assert words in str(caught.value)
    assert caught.value.place.startswith("$.data.t")
    assert "\n" not in str(caught.value)


@settings(max_examples=200)
@given(raw=st.binary(max_size=60), header=st.booleans(), classes=st.booleans())
def test_any_bytes_are_either_decoded_or_rejected(raw, header, classes):
    with suppress(ProgramError):
        parsed(raw, header=header, target="0", classes=classes, delimiter=";")


WORDS = "color,u,y\nred,1,10\nblue,2,20\nred,3,30\n"


def test_a_column_of_words_becomes_one_column_per_word():
    table = parsed(WORDS, target="y", categories={"color": "one-hot"})
    assert table.input_names == ("color=blue", "color=red", "u")
    assert table.inputs.tolist() == [[0, 1, 1], [1, 0, 2], [0, 1, 3]]


def test_a_column_of_words_becomes_codes_in_sorted_order():
    table = parsed(WORDS, target="y", categories={"color": "codes"})
    assert table.input_names == ("color", "u")
    assert table.inputs.tolist() == [[1, 1], [0, 2], [1, 3]]


GAPS = "u,v,y\n1,10,1\n,20,2\n3,NA,3\n5,30,4\n"


def test_rows_with_a_missing_number_are_dropped():
    table = parsed(GAPS, target="y", missing="drop")
    assert table.inputs.tolist() == [[1, 10], [5, 30]]
    assert table.targets.tolist() == [[1], [4]]


def test_only_used_columns_decide_which_rows_are_dropped():
    table = parsed(GAPS, inputs=["u"], target="y", missing="drop")
    assert table.inputs.tolist() == [[1], [3], [5]]


def test_a_missing_number_becomes_zero():
    table = parsed(GAPS, target="y", missing="zero")
    assert table.inputs.tolist() == [[1, 10], [0, 20], [3, 0], [5, 30]]


def test_a_missing_number_becomes_the_mean_of_the_training_rows():
    spec = Csv(path="t.csv", target="y", missing="mean", validation_path="v.csv")
    table = parse_csv(GAPS.encode(), spec, "$.data.t", b"u,v,y\n,1000,5\n")
    prepared = prepare(table, spec, "$.data.t", "float64", np.random.RandomState(0))
    assert prepared.inputs.tolist() == [[1, 10], [3, 20], [3, 20], [5, 30], [3, 1000]]
    assert prepared.training == 4


def test_a_second_file_holds_the_validation_rows():
    spec = Csv(
        path="t.csv",
        target="c",
        classes=True,
        categories={"color": "one-hot"},
        validation_path="v.csv",
        limit=2,
    )
    train, validation = b"color,c\nred,dog\nblue,cat\nred,cat\n", b"color,c\nblue,dog\nred,cat\n"
    table = parse_csv(train, spec, "$.data.t", validation)
    assert (table.held_out, table.classes) == (2, ("cat", "dog"))
    prepared = prepare(table, spec, "$.data.t", "float32", np.random.RandomState(0))
    assert prepared.inputs.tolist() == [[0, 1], [1, 0], [1, 0], [0, 1]]
    assert prepared.targets.tolist() == [1, 0, 1, 0]
    assert prepared.training == 2


@pytest.mark.parametrize(
    ("fields", "train", "validation", "words"),
    [
        ({}, WORDS, None, "row 2, column 1 (color): 'red' is not a number"),
        ({}, WORDS, None, 'for a column of words, write "categories": {"color": "one-hot"}'),
        ({}, GAPS, None, 'say what a missing value is, such as "missing": "drop"'),
        ({"categories": {"colr": "codes"}}, WORDS, None, "did you mean 'color'?"),
        ({"categories": {"y": "codes"}}, WORDS, None, "'y' is not an input column"),
        (
            {"categories": {"color": "codes"}},
            "color,y\nred,1\n,2\n",
            None,
            "row 3, column 1 (color): '' is not a category",
        ),
        ({"missing": "mean"}, "u,y\n1,2\n3,\n", None, "the target column 'y' has missing values"),
        ({"missing": "drop"}, "u,y\n,2\n3,\n", None, "t.csv has no rows"),
        (
            {"categories": {"color": "codes"}},
            WORDS,
            "color,u,y\nred,1,2\ngreen,3,4\n",
            "v.csv, row 3, column 1 (color): 'green' is not among the categories of the training",
        ),
        ({"missing": "zero"}, GAPS, "u,y\n1,2\n", "v.csv has other columns than t.csv"),
    ],
)
def test_words_and_gaps_that_are_not_declared_are_rejected(fields, train, validation, words):
    path = None if validation is None else "v.csv"
    spec = Csv(path="t.csv", target="y", validation_path=path, **{"missing": None, **fields})
    with pytest.raises(ProgramError) as caught:
        parse_csv(
            train.encode(), spec, "$.data.t", None if validation is None else validation.encode()
        )
    assert words in str(caught.value)


def test_a_column_without_any_number_has_no_mean():
    spec = Csv(path="t.csv", target="y", missing="mean")
    table = parse_csv(b"u,y\nNA,1\n,2\n", spec, "$.data.t")
    with pytest.raises(ProgramError, match="column 'u' has no value in any training row"):
        prepare(table, spec, "$.data.t", "float32", np.random.RandomState(0))


def test_of_a_large_file_only_the_first_rows_are_taken():
    row = b'"two\nlines",' + b"7" * 1000 + b"\n"
    served = []

    def lines():
        for line in io.BytesIO(b"note,u\n" + row * 20_000):
            served.append(line)
            yield line

    take = first_rows(Csv(path="t.csv", inputs=["u"], limit=3))
    assert take(lines()) == b"note,u\n" + row * 3
    assert sum(map(len, served)) < MAX_BYTES + 2000


def test_a_small_file_is_taken_whole_since_its_classes_come_from_all_rows():
    take = first_rows(Csv(path="t.csv", target="c", classes=True, limit=1))
    text = b"u,c\n1,dog\n2,cat\n"
    assert take(iter(io.BytesIO(text))) == text
