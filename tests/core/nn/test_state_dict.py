"""state_dict: what it holds, how strictly it is loaded, and the errors when it does not fit."""

import io
from collections import OrderedDict

import pytest

import gradstep
import gradstep_torch
from gradstep import nn


def network():
    return nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))


def messages(library, change):
    """Return what loading a changed state says."""
    nn = library.nn
    model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    saved = dict(model.state_dict())
    change(library, saved)
    with pytest.raises(RuntimeError) as caught:
        model.load_state_dict(saved)
    return str(caught.value)


def lose(library, saved):
    del saved["0.weight"]


def add(library, saved):
    saved["2.weight"] = library.ones(1)


def reshape(library, saved):
    saved["1.weight"] = library.ones(2, 3)


def both(library, saved):
    lose(library, saved)
    add(library, saved)


@pytest.mark.torch
@pytest.mark.parametrize("change", [lose, add, reshape, both])
def test_a_state_that_does_not_fit_is_rejected_with_torchs_message(change):
    torch = pytest.importorskip("torch")
    ours, theirs = messages(gradstep, change), messages(torch, change)
    for phrase in (
        "Missing key(s) in state_dict",
        "Unexpected key(s) in state_dict",
        "size mismatch",
    ):
        assert (phrase in ours) == (phrase in theirs)
    for name in ("0.weight", "1.weight", "2.weight"):
        assert (name in ours) == (name in theirs)


def test_a_state_that_fits_in_part_is_loaded_in_part():
    model, other = network(), network()
    saved = {name: value for name, value in other.state_dict().items() if name.startswith("0.")}
    saved["9.bias"] = gradstep.ones(1)
    result = model.load_state_dict(saved, strict=False)
    assert "2.weight" in result.missing_keys
    assert result.unexpected_keys == ["9.bias"]
    assert model[0].weight.tolist() == other[0].weight.tolist()
    assert model[2].weight.tolist() != other[2].weight.tolist()


def test_loading_a_whole_state_reports_that_all_keys_matched():
    model = network()
    assert str(model.load_state_dict(network().state_dict())) == "<All keys matched successfully>"


def test_the_order_and_the_names_follow_the_tree():
    assert list(network().state_dict()) == [
        "0.weight",
        "0.bias",
        "1.weight",
        "1.bias",
        "1.running_mean",
        "1.running_var",
        "1.num_batches_tracked",
        "2.weight",
        "2.bias",
    ]


def test_a_state_shares_memory_until_it_is_loaded_elsewhere():
    model, other = nn.Linear(1, 1), nn.Linear(1, 1)
    saved = model.state_dict()
    other.load_state_dict(saved)
    with gradstep.no_grad():
        model.weight.fill_(7.0)
    assert saved["weight"].item() == 7.0
    assert other.weight.item() != 7.0
    assert not saved["weight"].requires_grad


def test_loading_keeps_the_parameters_themselves_and_their_type():
    model = nn.Linear(1, 1)
    weight = model.weight
    model.load_state_dict({"weight": gradstep.ones(1, 1).double(), "bias": gradstep.zeros(1)})
    assert model.weight is weight
    assert weight.dtype == gradstep.float32
    assert weight.item() == 1.0


def test_a_state_dict_stays_ordered_through_a_file():
    state = nn.Linear(1, 1).state_dict()
    file = io.BytesIO()
    gradstep_torch.save({"model": state}, file)
    file.seek(0)
    found = gradstep_torch.load(file)["model"]
    assert type(state) is type(found) is OrderedDict
    assert repr(found) == repr(state)


def test_mismatches_are_listed_in_torchs_order():
    model = nn.Sequential(nn.Linear(2, 1))
    with pytest.raises(RuntimeError) as raised:
        model.load_state_dict({"0.weight": gradstep.zeros(3, 3), "more": gradstep.zeros(1)})
    assert str(raised.value).split("\n\t")[1:] == [
        'Missing key(s) in state_dict: "0.bias". ',
        'Unexpected key(s) in state_dict: "more". ',
        "size mismatch for 0.weight: copying a param with shape gradstep.Size([3, 3]) from "
        "checkpoint, the shape in current model is gradstep.Size([1, 2]).",
    ]
