"""What objects hold is read without running any code of their classes."""

from __future__ import annotations

import sys
from collections import OrderedDict, defaultdict, deque, namedtuple

import numpy as np
import pytest

from gradstep_agent import inspection
from gradstep_agent.object_parts import (
    MOST_PARTS,
    count_of,
    is_a,
    name_of_kind,
    numpy_text,
    part_at,
    parts_of,
    plain_text,
)

ran = []


def trap(*_, **__):
    """Stand for any code of a hostile class; a test also fails if the error is swallowed."""
    ran.append(1)
    raise AssertionError


def make_hostile(**attributes):
    """Return an object that runs code wherever Python lets it; so does its class."""

    class HostileMeta(type):
        __mro__ = __name__ = __dict__ = property(trap)
        __getattribute__ = __instancecheck__ = __subclasscheck__ = __repr__ = trap

    class Hostile(metaclass=HostileMeta):
        def __init__(self):
            object.__setattr__(self, "kept", attributes)

        __class__ = __doc__ = property(trap)
        __getattribute__ = __getattr__ = __repr__ = __str__ = __len__ = __iter__ = trap
        __eq__ = __hash__ = __bool__ = __dir__ = __getitem__ = __format__ = trap

    return Hostile()


class HostileList(list):
    __len__ = __iter__ = __getitem__ = __repr__ = __getattribute__ = trap


class HostileDict(dict):
    __len__ = __iter__ = __getitem__ = __repr__ = items = keys = __getattribute__ = trap


class HostileText(str):
    __slots__ = ()
    __repr__ = __str__ = __eq__ = __len__ = trap
    __hash__ = str.__hash__


class HostileNumber(int):
    __repr__ = __str__ = __index__ = trap


class Slotted:
    __slots__ = ("_private", "empty", "x")

    def __init__(self):
        self.x, self._private = 1, [2]

    @property
    def y(self):
        trap()


class Shadowed(Slotted):
    """Its dictionary cannot be reached by the name that it hides."""

    __dict__ = property(trap)


@pytest.fixture(autouse=True)
def nothing_ran():
    ran.clear()
    yield
    assert ran == []


def test_attributes_are_those_of_the_dictionary_and_of_slots():
    class Both(Slotted):
        pass

    thing = Both()
    thing.own = 3
    assert dict(parts_of(thing)) == {".own": 3, ".x": 1, "._private": [2]}
    assert dict(parts_of(Shadowed())) == {".x": 1, "._private": [2]}


def test_no_code_of_a_hostile_class_is_run():
    thing = make_hostile(secret=5)
    assert dict(parts_of(thing)) == {".kept": {"secret": 5}}
    assert part_at(thing, ".kept['secret']") == 5
    assert (name_of_kind(type(thing)), is_a(thing, object)) == ("Hostile", True)
    assert (is_a(thing, dict), count_of(thing)) == (False, None)
    assert plain_text(thing, 99) == plain_text([thing], 99) == plain_text({"a": thing}, 99) == ""
    assert numpy_text(thing) == ""


def test_containers_of_hostile_classes_are_read_by_the_built_in_ones():
    assert dict(parts_of(HostileList([7, 8]))) == {"[0]": 7, "[1]": 8}
    held = HostileDict(a=1)
    dict.__setitem__(held, HostileText("b"), 2)
    dict.__setitem__(held, HostileNumber(4), 3)
    assert [(step, part) for step, part in parts_of(held)] == [
        ("['a']", 1),
        ("[#1]", 2),
        ("[#2]", 3),
    ]
    assert (count_of(HostileList([7])), count_of(held)) == (1, 3)
    assert plain_text(held, 99) == plain_text(HostileText("b"), 99) == ""


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        ((1, "a"), {"[0]": 1, "[1]": "a"}),
        (deque([5]), {"[0]": 5}),
        (OrderedDict(a=1), {"['a']": 1}),
        (defaultdict(list, {("w", 2): 3}), {"[('w', 2)]": 3, ".default_factory": list}),
        ({None: 1, 2.5: 2, True: 3}, {"[None]": 1, "[2.5]": 2, "[True]": 3}),
        (namedtuple("Point", "x y")(1, 2), {"[0]": 1, "[1]": 2}),
        ({"k" * 200: 1}, {"[#0]": 1}),
        (3, {}),
        ("text", {}),
        (range(3), {}),
        (1j, {}),
        ({1, 2}, {}),
    ],
)
def test_elements_of_containers(value, parts):
    assert dict(parts_of(value)) == parts


def test_a_module_has_its_parameters_and_modules_as_attributes():
    class Module:
        def __init__(self):
            self.training = True
            self._parameters, self._buffers = {"weight": 1.0}, {"mean": 2.0}
            self._modules = {"0": "inner"}
            self._forward_hooks, self._is_full_backward_hook = {}, None
            self._non_persistent_buffers_set, self._state_dict_hooks = set(), {}
            self._cache = {}

    module = Module()
    assert dict(parts_of(module)) == {
        ".weight": 1.0,
        ".mean": 2.0,
        ".0": "inner",
        ".training": True,
        "._cache": {},
    }
    assert part_at({"net": module}, "['net'].0") == "inner"


def test_a_path_leads_to_the_longest_step_that_fits():
    class Thing:
        pass

    thing = Thing()
    vars(thing).update({"a": 1, "ab": {"c": [2, 3]}, "odd name": 4})
    assert part_at(thing, ".ab['c'][1]") == 3
    assert part_at(thing, ".'odd name'") == 4
    for path in (".abc", ".ab['d']", ".ab['c'][9]", "ab", ".ab.", "[0]"):
        with pytest.raises(LookupError):
            part_at(thing, path)


def test_only_the_first_parts_of_long_containers_are_read():
    assert len(list(parts_of(list(range(10**6))))) == MOST_PARTS
    assert len(list(parts_of({i: i for i in range(1000)}))) == MOST_PARTS
    assert plain_text(list(range(1000)), 99) == ""
    assert count_of(list(range(1000))) == 1000


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param(1 << 5000, "an integer of 5,001 bits", id="integer"),
        pytest.param([-(1 << 5000)], "[an integer of 5,001 bits]", id="integers"),
        pytest.param(range(1 << 5000), "a range of large integers", id="range"),
        (range(3), "range(0, 3)"),
        pytest.param("a" * 10**6, "'" + "a" * 98, id="long"),
        (b"ab", "b'ab'"),
        ((), "()"),
        ((1,), "(1,)"),
        ([], "[]"),
        (set(), "set()"),
        ({5}, "{5}"),
        ({}, "{}"),
        pytest.param("\ud800", "'\\ud800'", id="surrogate"),
        ([[1]], ""),
        (float("nan"), "nan"),
    ],
)
def test_the_text_of_plain_values_is_bounded(value, text):
    assert plain_text(value, 99) == text


def test_numbers_of_numpy_are_shown_and_classes_of_its_name_are_not():
    assert numpy_text(np.float32(0.5)) == "0.5"
    assert numpy_text(np.int64(3)) == "3"
    assert numpy_text(np.zeros((0, 2), np.int8)) == "int8 [0, 2]"
    fake = type("ndarray", (), {"__module__": "numpy", "dtype": property(trap)})
    assert numpy_text(fake()) == ""


def test_the_variables_of_a_frame_are_listed_as_a_tree():
    def function():
        numbers, words = [4, [5, 6]], {"a": HostileList([make_hostile()])}
        library = np  # a module is left out
        loop = [numbers]
        loop.append(loop)
        return sys._getframe(), words, library

    frame, *_ = function()
    found = inspection.describe_variables(None, [frame], 0, {"numbers", "words", "words['a']"})
    assert [(row[0], row[1], row[2], *row[7:]) for row in found["variables"]] == [
        ("numbers", "list", "2 items", 0, True),
        ("[0]", "int", "4", 1, False),
        ("[1]", "list", "[5, 6]", 1, True),
        ("words", "dict", "1 item", 0, True),
        ("['a']", "HostileList", "1 item", 1, True),
        ("[0]", "Hostile", "", 2, True),
        ("loop", "list", "2 items", 0, True),
    ]
    plain = inspection.describe_variables(None, [frame], 0)["variables"]
    assert [len(row) for row in plain] == [3, 3, 3]


def test_what_is_left_of_a_long_container_is_counted():
    def function():
        many = list(range(MOST_PARTS + 5))
        return sys._getframe(), many

    frame, _ = function()
    rows = inspection.describe_variables(None, [frame], 0, {"many"})["variables"]
    assert len(rows) == 1 + MOST_PARTS + 1
    assert rows[-1] == ["…", "", "5 more items", "", [], False, False, 1, False]


def test_a_list_that_holds_itself_ends_at_a_depth():
    def function():
        loop = []
        loop.append(loop)
        return sys._getframe(), loop

    frame, _ = function()
    paths = {"loop" + "[0]" * depth for depth in range(100)}
    rows = inspection.describe_variables(None, [frame], 0, paths)["variables"]
    assert [row[7] for row in rows] == list(range(31))
    assert rows[-1][8] is False


def test_names_that_are_no_text_are_left_out():
    space = {"x": 1, 3: 4, HostileText("y"): 5}
    space["frame"] = None
    exec("import sys\nframe = sys._getframe()", space)
    rows = inspection.describe_variables(None, [space["frame"]], 0, set())["variables"]
    assert [row[0] for row in rows] == ["x", "frame"]
