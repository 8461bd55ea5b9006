"""Decoding and encoding program documents; invalid input is rejected with its place."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gradstep.errors import ProgramError
from gradstep.program.document.codec import decode, decode_outline, encode, read
from gradstep.program.document.validation_errors import explain_message
from gradstep.program.operation import Backward
from gradstep.program.program import Program
from gradstep.program.schema.limits import MAX_BYTES

WHOLE: dict[str, Any] = {
    "gradstep": 1,
    "name": "two heads, one trunk",
    "intent": ["frozen_backbone"],
    "iterations": 7,
    "seed": 3,
    "dtype": "float64",
    "data": {"a": {"kind": "moons", "samples": 200, "noise": 0.1, "batch_size": 20}},
    "modules": {
        "trunk": [{"kind": "Linear", "in_features": 2, "out_features": 8}, {"kind": "ReLU"}],
        "head": [{"kind": "Linear", "in_features": 8, "out_features": 1}],
    },
    "tensors": {"x": {"value": [1, 2], "requires_grad": True}},
    "losses": {
        "loss": {
            "data": "a",
            "chain": ["trunk", "head"],
            "criterion": {"kind": "BCEWithLogitsLoss"},
        }
    },
    "optimizers": {
        "optimizer": {
            "kind": "SGD",
            "params": ["trunk.*", {"params": ["head.*"], "lr": 0.1}],
            "lr": 0.01,
        }
    },
    "schedulers": {"scheduler": {"kind": "StepLR", "step_size": 30}},
    "loop": [
        {"op": "zero_grad", "optimizer": "optimizer"},
        {"op": "forward", "loss": "loss"},
        {"op": "backward", "loss": "loss", "every": 4},
        {"op": "step", "optimizer": "optimizer"},
    ],
}


def changed(path: str, value: Any) -> bytes:
    """Return the document with one value set; path as in `data.a.samples`."""
    tree = json.loads(json.dumps(WHOLE))
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    inner = tree
    for part in parents:
        inner = inner[part]
    inner[last] = value
    return json.dumps(tree).encode()


def test_all_sections_of_a_document_are_decoded():
    spec = decode(json.dumps(WHOLE).encode())
    assert spec.name == "two heads, one trunk"
    assert spec.modules["trunk"][0].out_features == 8
    assert spec.optimizers["optimizer"].options == {"lr": 0.01}
    assert spec.optimizers["optimizer"].params[1].options == {"lr": 0.1}
    assert spec.schedulers["scheduler"].options == {"step_size": 30}
    assert spec.loop[2].operation == Backward("loss")
    assert [line.every for line in spec.loop] == [1, 1, 4, 1]


def test_encoding_and_decoding_gives_an_equal_spec():
    spec = decode(json.dumps(WHOLE).encode())
    assert decode(encode(spec)) == spec


def test_params_may_be_one_pattern():
    spec = decode(changed("optimizers.optimizer.params", "trunk.*"))
    assert spec.optimizers["optimizer"].params == ["trunk.*"]


@pytest.mark.parametrize(
    ("path", "value", "place", "words"),
    [
        ("sead", 1, "$.sead", "did you mean 'seed'?"),
        ("seed", -1, "$.seed", "whole number of at least 0"),
        ("seed", "0", "$.seed", "expected a whole number, not a string"),
        ("seed", 1.5, "$.seed", "expected a whole number, not a decimal number"),
        ("gradstep", 2, "$.gradstep", "version 2"),
        ("dtype", "float16", "$.dtype", "float16"),
        ("intent", ["win"], "$.intent[0]", "win"),
        ("iterations", 0, "$.iterations", "at least 1"),
        ("data", [], "$.data", "a list"),
        ("data.a.kind", "moon", "$.data.a.kind", "did you mean 'moons'?"),
        ("data.a.sampels", 3, "$.data.a.sampels", "did you mean 'samples'?"),
        ("data.a.samples", 10**12, "$.data.a.samples", "at most 1,000,000"),
        ("data.a.noise", -1, "$.data.a.noise", "a number of at least 0"),
        ("data.a.batch_size", 0, "$.data.a.batch_size", "at least 1"),
        ("modules.trunk.0.kind", "Liner", "$.modules.trunk[0].kind", "did you mean 'Linear'?"),
        ("modules.trunk.0.in", 3, "$.modules.trunk[0].in", "no such field"),
        ("modules.trunk.0.in_features", 0, "$.modules.trunk[0].in_features", "at least 1"),
        (
            "modules.trunk.0.in_features",
            10**15,
            "$.modules.trunk[0].in_features",
            "at most 1,000,000",
        ),
        (
            "modules.trunk.0.bias",
            "no",
            "$.modules.trunk[0].bias",
            "expected true or false, not a string",
        ),
        ("modules.trunk", [], "$.modules.trunk", "at least 1 item"),
        ("modules.trunk", [{"kind": "ReLU"}] * 10_000, "$.modules.trunk", "at most 1,000 items"),
        ("modules.a.b", [], "$.modules.a", "expected a list, not an object"),
        ("tensors.x.value", None, None, ""),
        ("tensors.x.grad", True, "$.tensors.x.grad", "available: value, requires_grad"),
        ("losses.loss.chain", "trunk", "$.losses.loss.chain", "expected a list, not a string"),
        ("losses.loss.criterion.kind", "MSE", "$.losses.loss.criterion.kind", "'MSELoss'"),
        ("losses.loss.criterion.reduction", "none", "$.losses.loss.criterion.reduction", "none"),
        ("losses.loss.rows", "all", "$.losses.loss.rows", "all"),
        (
            "optimizers.optimizer.params",
            [3],
            "$.optimizers.optimizer.params[0]",
            ", not a whole number",
        ),
        (
            "optimizers.optimizer.params.1",
            {"lr": 1},
            "$.optimizers.optimizer.params[1]",
            "`params`",
        ),
        ("optimizers.optimizer.kind", 3, "$.optimizers.optimizer.kind", ", not a whole number"),
        (
            "schedulers.scheduler.optimizer",
            1,
            "$.schedulers.scheduler.optimizer",
            ", not a whole number",
        ),
        ("loop.1.op", "fwd", "$.loop[1].op", "did you mean 'forward'?"),
        ("loop.1.los", "x", "$.loop[1].los", "did you mean 'loss'?"),
        ("loop.2.every", 0, "$.loop[2].every", "at least 1"),
        ("loop", [], "$.loop", "at least 1 item"),
        ("loop.0", 3, "$.loop[0]", ", not a whole number"),
    ],
)
def test_an_invalid_field_is_rejected_with_its_place(path, value, place, words):
    tree = changed(path, value) if path != "modules.a.b" else changed("modules.a", {"b": []})
    if place is None:
        decode(tree)
        return
    with pytest.raises(ProgramError) as caught:
        decode(tree)
    assert caught.value.place == place
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.b", "not a valid name"),
        ("", "not a valid name"),
        ("1st", "not a valid name"),
        ("x" * 65, "not a valid name"),
    ],
)
def test_an_invalid_name_is_rejected(name, words):
    with pytest.raises(ProgramError, match=words):
        decode(json.dumps({"gradstep": 1, "tensors": {name: {"value": 1}}}).encode())


@pytest.mark.parametrize(
    "section",
    ['"tensors": {"generator": {"value": 1}}', '"modules": {"output": [{"kind": "ReLU"}]}'],
)
def test_a_name_with_a_reserved_meaning_is_rejected(section):
    with pytest.raises(ProgramError, match="is reserved"):
        decode(b'{"gradstep": 1, %s}' % section.encode())


def test_a_module_may_be_named_generator():
    spec = decode(b'{"gradstep": 1, "modules": {"generator": [{"kind": "ReLU"}]}}')
    assert list(spec.modules) == ["generator"]


@pytest.mark.parametrize(
    ("raw", "place", "words"),
    [
        (b"", "$", "the document is empty"),
        (b" \n\t", "$", "the document is empty"),
        (b"[]", "$", "an object is expected, not a list"),
        (b"3", "$", "not a number"),
        (b"null", "$", "not null"),
        (b"{}", "$", "the field `gradstep` is missing"),
        (b"{", "$", "line 1, column 2"),
        (b'{"gradstep": 1}}', "$", "line 1, column 16"),
        (b"\xff\xfe", "$", "not UTF-8"),
        (b'{"gradstep": 1, "name": "\\ud800"}', "$", "a lone surrogate"),
        (b'{"gradstep": 1, "seed": NaN}', "$", "NaN is not valid JSON"),
        (b'{"gradstep": 1, "seed": Infinity}', "$", "Infinity is not valid JSON"),
        (b'{"gradstep": 1, "seed": ' + b"9" * 5000 + b"}", "$", "more than 4300 digits"),
        (b'{"gradstep": 1, "seed": 1, "seed": 2}', "$.seed", "twice"),
        (b'{"gradstep": 1, "data": {"a": {"kind": "iris", "kind": "xor"}}}', "$.data.a.kind", ""),
        (b"[" * 100_000, "$", "nested too deeply"),
        (b'{"a":' * 100_000, "$", "nested too deeply"),
        (b" " * (MAX_BYTES + 1), "$", "more than 16 MB"),
        (b'{"gradstep": true}', "$.gradstep", "expected a whole number, not true or false"),
    ],
)
def test_anything_but_a_document_is_rejected(raw, place, words):
    with pytest.raises(ProgramError) as caught:
        decode(raw)
    assert caught.value.place == place
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("points.csv", "points.csv holds data, not .* data set of kind csv"),
        ("rows.NPY", "rows.NPY holds data, not .* data set of kind npy"),
        ("train.py", "train.py is Python code, .* gradstep record"),
        ("best.pt", "best.pt holds the weights of a model"),
    ],
)
def test_a_file_of_another_type_is_rejected_with_its_type(tmp_path, name, message):
    (tmp_path / name).write_bytes(b"x,y\n1,2\n")
    with pytest.raises(ProgramError) as caught:
        read(tmp_path / name)
    assert re.search(message, str(caught.value))


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(ProgramError, match="there is no file"):
        read(tmp_path / "none.json")


def test_a_folder_is_reported(tmp_path):
    with pytest.raises(ProgramError, match="is a folder"):
        read(tmp_path)


def test_a_path_with_a_null_byte_is_reported(tmp_path):
    with pytest.raises(ProgramError, match="cannot read"):
        read(tmp_path / "a\0b.json")


def test_a_file_that_is_too_large_is_rejected_without_being_read_completely(tmp_path):
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(40 << 30)
    with pytest.raises(ProgramError, match="larger than 16 MB"):
        read(path)


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.sampled_from(["Linear", "moons", "SGD", "forward", "x", "loss"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*WHOLE, "kind", "params", "op", "value", "a", "every"])
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=150)
@given(raw=st.binary(max_size=200))
@example(raw=b'{"gradstep": 1, "tensors": {"x": {"value": ' + b"[" * 900 + b"]" * 900 + b"}}}")
def test_any_bytes_are_either_decoded_or_rejected(raw):
    with suppress(ProgramError):
        decode(raw)


@pytest.mark.slow
@settings(max_examples=300)
@given(section=st.sampled_from(sorted(WHOLE)), value=_JSON)
def test_any_json_is_either_decoded_or_rejected(section, value):
    with suppress(ProgramError):
        spec = decode(changed(section, value))
        assert decode(encode(spec)) == spec


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Expected `int | float | str | null`, got `array`",
         "expected a number, a string or null, not a list; write a number, a string or null"),
        ("Expected `float` > 0.0", "the number is too small; write a number above 0"),
        ("Expected `float` < 0.5", "the number is too large; write a number below 0.5"),
        ("Expected `array` of length 2, got 1", "the list has 1 item; write a list of 2 items"),
        ("Expected `str` of length <= 200",
         "the string is too long; write a string of at most 200 characters"),
        ("Object missing required field `path`", "the field `path` is missing; add it"),
        ("something new", "something new"),
    ],
)  # fmt: skip
def test_messages_of_msgspec_are_explained_in_plain_words(message, words):
    assert str(ProgramError("$", *explain_message(message))) == words


@pytest.mark.parametrize(
    ("document", "place", "message"),
    [
        ({"dtype": "float16"}, "$.dtype", "no value 'float16'; did you mean 'float64'?"),
        ({"intent": ["x"]}, "$.intent[0]", "no value 'x'; available: gradient_accumulation, froz"),
        (
            {"loop": [{"op": "forward", "batch": "same"}]},
            "$.loop[0].batch",
            "no value 'same'; available: next, held",
        ),
        (
            {"losses": {"l": {"expression": "x", "rows": "test"}}},
            "$.losses.l.rows",
            "no value 'test'; available: training, validation",
        ),
        (
            {"losses": {"l": {"criterion": {"kind": "MSELoss", "reduction": "avg"}}}},
            "$.losses.l.criterion.reduction",
            "no value 'avg'; available: mean, sum",
        ),
        (
            {"data": {"d": {"kind": "csv", "path": "x", "categories": {"a": "onehot"}}}},
            "$.data.d.categories.*",
            "no value 'onehot'; did you mean 'one-hot'?",
        ),
        (
            {"data": {"d": {"kind": "csv", "path": "x", "missing": "skip"}}},
            "$.data.d.missing",
            "no value 'skip'; available: drop, mean, zero",
        ),
    ],
)
def test_a_value_that_is_not_among_those_allowed_is_answered_with_them(document, place, message):
    with pytest.raises(ProgramError) as caught:
        decode(json.dumps({"gradstep": 1, **document}).encode())
    assert caught.value.place == place
    assert f": {message}" in str(caught.value)


def test_the_remedy_of_a_constructor_is_written_as_json():
    document = {
        "gradstep": 1,
        "tensors": {"x": {"value": 1, "requires_grad": True}},
        "losses": {"loss": {"expression": "x * x"}},
        "optimizers": {"optimizer": {"kind": "Adagrad", "params": ["x"]}},
        "schedulers": {
            "s": {"kind": "CyclicLR", "optimizer": "optimizer", "base_lr": 0.1, "max_lr": 1}
        },
    }
    with pytest.raises(ProgramError) as caught:
        Program.from_spec(decode(json.dumps(document).encode()))
    assert caught.value.remedy == 'set "cycle_momentum": false'
    document["optimizers"]["optimizer"]["eps"] = None
    with pytest.raises(ProgramError, match=r"eps: null is not a number; write a number"):
        Program.from_spec(decode(json.dumps(document).encode()))


def test_the_outline_of_a_script_has_the_names_of_its_code():
    names = ["output", "ошибка", 'losses["total"]', *(f"loss_{n}" for n in range(300))]
    outline = {"gradstep": 1, "losses": {name: {} for name in names}}
    assert list(decode_outline(json.dumps(outline).encode()).losses) == names
    with pytest.raises(ProgramError, match="'output' is reserved"):
        decode(json.dumps({"gradstep": 1, "losses": {"output": {}}}).encode())


@pytest.mark.parametrize("name", ["", "two\nlines", "x" * 257])
def test_no_outline_has_names_that_cannot_be_shown(name):
    with pytest.raises(ProgramError, match="not a valid name"):
        decode_outline(json.dumps({"gradstep": 1, "losses": {name: {}}}).encode())
