"""CSV files: inputs, targets and classes, and errors for invalid cells."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradstep.errors import ProgramError
from gradstep.program.datasets.csv_table import parse_csv
from gradstep.program.schema.data_sets import Csv


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
            "row 2, column 2 (c): ' ' is not a class label",
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


@settings(max_examples=200, deadline=None)
@given(raw=st.binary(max_size=60), header=st.booleans(), classes=st.booleans())
def test_any_bytes_are_either_decoded_or_rejected(raw, header, classes):
    with suppress(ProgramError):
        parsed(raw, header=header, target="0", classes=classes, delimiter=";")
