"""Which files are the person's own, and which names objects have in them."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import pytest

from gradstep_agent import user_code


def code_of(name):
    return compile("pass", name, "exec")


@pytest.mark.parametrize(
    ("file", "own"),
    [
        ("/home/me/train.py", True),
        ("<ipython-input-3-abc>", True),
        ("<frozen importlib._bootstrap>", False),
        ("<string>", False),
        (json.__file__, False),
        (user_code.__file__, False),
        ("/opt/venv/lib/python3.11/site-packages/torch/optim/adam.py", False),
    ],
)
def test_libraries_are_not_the_persons_code(file, own):
    assert user_code.is_user_code(code_of(file)) is own


def test_a_module_of_a_bundle_is_not_the_persons_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").touch()
    monkeypatch.setattr(user_code, "_known", {})
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert not user_code.is_user_code(code_of("numpy/linalg/_linalg.py"))
    assert user_code.is_user_code(code_of("train.py"))


def name_here(thing):
    return user_code.name_of(thing, sys._getframe(1))


def test_an_object_has_the_name_of_the_variable_that_holds_it():
    thing = object()
    name, no_name = name_here(thing), name_here(object())
    assert (name, no_name) == ("thing", "")


def place_here(thing):
    return user_code.place_of(thing, sys._getframe(1))


def test_an_object_in_a_list_has_the_name_and_place_of_it():
    models, heads, pair = [object(), object()], {"left": object()}, (object(),)
    names = [place_here(models[1]), place_here(heads["left"]), place_here(pair[0])]
    assert names == ["models[1]", 'heads["left"]', "pair[0]"]


@pytest.mark.parametrize(
    "key", ["a.b", "a/b", 'say "a"', "it's", "\\'\"", "a\\", "\n", "größe", -1, 7]
)
def test_the_place_in_a_dictionary_is_written_as_in_python(key):
    nets = {key: object()}
    name = place_here(nets[key])
    assert eval(name) is nets[key]
    assert "/" not in name
    assert name.isprintable()


@pytest.mark.parametrize("key", [None, True, 0.5, ("a", 1), b"a"])
def test_keys_that_are_neither_texts_nor_integers_are_no_places(key):
    nets = {key: object()}
    assert place_here(nets[key]) == ""


def test_long_lists_and_subclasses_are_not_searched():
    class Own(list):
        def __iter__(self):
            raise AssertionError

    rows, own = [object()] * 101, Own([object()])
    assert (place_here(rows[0]), place_here(own[0])) == ("", "")


def lasting_name_here(thing):
    return user_code.lasting_name_of(thing, sys._getframe(1))


def test_an_item_of_a_list_is_named_by_its_place_where_the_variable_is_a_loops():
    things, by_key = [object(), object()], {"left": object()}
    names = [lasting_name_here(thing) for thing in things]
    for number in range(2):
        thing = things[number]
        names.append(lasting_name_here(thing))
    for _, thing in by_key.items():
        names.append(lasting_name_here(thing))
    assert names == [*2 * ["things[0]", "things[1]"], 'by_key["left"]']


def test_what_a_loop_passes_on_is_named_by_its_place_or_by_a_variable_that_stays():
    def train(model):
        return lasting_name_here(model)

    encoder, decoder = object(), object()
    both, others = [encoder, decoder], [object()]
    names = []
    for thing in both + others:
        names.append(train(thing))
    assert names == ["encoder", "decoder", "others[0]"]
    assert train(others[0]) == "model"


def test_an_object_that_only_the_variable_of_a_loop_holds_has_its_name():
    names = []
    for thing in (object(), object()):
        names.append(lasting_name_here(thing))
    kept = []
    for _ in range(2):
        made = object()
        kept.append(made)
        names.append(lasting_name_here(made))
    assert names == ["thing", "thing", "made", "made"]


def test_an_object_has_the_name_of_the_attribute_that_holds_it():
    class Trainer:
        def __init__(self, model):
            self.model = model

        def name(self):
            return user_code.name_of(self.model, sys._getframe())

    assert Trainer(SimpleNamespace()).name() == "model"


def test_variables_are_found_by_their_type():
    class Model:
        pass

    net = Model()
    assert dict(user_code.variables_of_type(Model, sys._getframe())) == {"net": net}


class Trainer:
    def __init__(self):
        self.model, self.opts, self._hidden = object(), {"g": object()}, object()


def test_what_objects_hold_has_the_name_of_its_attribute():
    trainer, trainers = Trainer(), [Trainer(), Trainer()]
    names = [place_here(trainer.model), place_here(trainer.opts["g"]), place_here(trainer._hidden)]
    assert names == ["trainer.model", 'trainer.opts["g"]', ""]
    assert place_here(trainers[1].opts["g"]) == 'trainers[1].opts["g"]'


def test_what_objects_of_a_loop_hold_is_named_by_their_places():
    trainers, names = [Trainer(), Trainer()], []
    for trainer in trainers:
        names.append(lasting_name_here(trainer.model))
    for trainer in (Trainer() for _ in range(1)):
        names.append(lasting_name_here(trainer.model))
    assert names == ["trainers[0].model", "trainers[1].model", "trainer.model"]


def test_no_code_of_an_object_or_its_class_is_run_for_a_name():
    class Meta(type):
        @property
        def __module__(cls):
            raise AssertionError

    class Own(metaclass=Meta):
        def __init__(self):
            object.__setattr__(self, "held", object())

        def __getattribute__(self, name):
            raise AssertionError

    own = Own()
    assert place_here(object.__getattribute__(own, "held")) == "own.held"
