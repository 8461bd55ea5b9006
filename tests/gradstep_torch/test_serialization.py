"""load() returns what save() wrote, and rejects other files."""

import io
import pickle

import numpy as np
import pytest

import gradstep_torch
from gradstep.errors import DeviceError, SerializationError
from gradstep_torch import nn


def there_and_back(value):
    file = io.BytesIO()
    gradstep_torch.save(value, file)
    file.seek(0)
    return gradstep_torch.load(file)


@pytest.mark.parametrize("kind", ["bool", "uint8", "int64", "float16", "float32", "float64"])
def test_tensors_of_every_type_are_restored(kind):
    x = gradstep_torch.tensor([[0.0, 1.0], [2.0, 3.0]]).to(getattr(gradstep_torch, kind))
    found = there_and_back(x.t())
    assert found.dtype == x.dtype
    assert found.tolist() == x.t().tolist()


def test_containers_and_plain_values_are_restored():
    value = {
        "list": [1, 2.5, None, True, "text", b"bytes"],
        ("a", 1): (
            gradstep_torch.Size([2, 3]),
            gradstep_torch.float64,
            gradstep_torch.device("cpu"),
        ),
        3: np.arange(3),
        "number": np.float64(0.1),
    }
    found = there_and_back(value)
    assert found["list"] == value["list"]
    assert found["a", 1] == value["a", 1]
    assert found[3].tolist() == [0, 1, 2]
    assert found["number"] == 0.1


def test_integers_of_any_size_are_restored():
    edges = [sign * (1 << bits) + more for sign in (1, -1) for bits in (63, 64) for more in (-1, 0)]
    state = np.random.PCG64(3).state  # of 128 bits
    assert there_and_back([*edges, 1 << 20_000, state]) == [*edges, 1 << 20_000, state]


def test_parameters_and_flags_are_restored():
    found = there_and_back(
        [nn.Parameter(gradstep_torch.ones(2)), gradstep_torch.ones(1, requires_grad=True)]
    )
    assert isinstance(found[0], nn.Parameter)
    assert found[1].requires_grad


def test_training_resumes_from_a_saved_state(tmp_path):
    def train(model, optimizer, steps):
        for _ in range(steps):
            optimizer.zero_grad()
            (model(gradstep_torch.ones(2)) ** 2).sum().backward()
            optimizer.step()

    gradstep_torch.manual_seed(0)
    model = nn.Linear(2, 1)
    optimizer = gradstep_torch.optim.Adam(model.parameters())
    train(model, optimizer, 3)
    gradstep_torch.save({"m": model.state_dict(), "o": optimizer.state_dict()}, tmp_path / "c.pt")
    other = nn.Linear(2, 1)
    again = gradstep_torch.optim.Adam(other.parameters())
    state = gradstep_torch.load(str(tmp_path / "c.pt"), map_location="cpu")
    other.load_state_dict(state["m"])
    again.load_state_dict(state["o"])
    train(model, optimizer, 3)
    train(other, again, 3)
    assert gradstep_torch.equal(model.weight, other.weight)


def test_objects_that_need_code_are_not_saved():
    with pytest.raises(SerializationError, match=r"can't save the object: it is a Linear.*state"):
        gradstep_torch.save(nn.Linear(1, 1), io.BytesIO())
    with pytest.raises(SerializationError, match=r"the object\['f'\]\[0\]: it is a function"):
        gradstep_torch.save({"f": [lambda: None]}, io.BytesIO())


class Evil:
    def __reduce__(self):
        return pytest.fail, ("a pickle was loaded",)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"PK\x03\x04rest", "a zip archive"),
        (pickle.dumps(Evil()), "a pickle"),
        (b"", "empty"),
        (b"hello", "unknown format"),
    ],
)
def test_foreign_files_are_rejected_by_format(content, what):
    with pytest.raises(SerializationError, match=what):
        gradstep_torch.load(io.BytesIO(content))


def test_every_truncation_and_every_changed_byte_is_detected():
    file = io.BytesIO()
    gradstep_torch.save({"w": gradstep_torch.ones(3)}, file)
    good = file.getvalue()
    for end in range(8, len(good)):
        with pytest.raises(SerializationError):
            gradstep_torch.load(io.BytesIO(good[:end]))
    for place in range(16, len(good)):
        bad = bytearray(good)
        bad[place] ^= 0xFF
        with pytest.raises(SerializationError):
            gradstep_torch.load(io.BytesIO(bytes(bad)))


def test_loading_to_another_device_is_rejected():
    with pytest.raises(DeviceError):
        gradstep_torch.load(io.BytesIO(), map_location="cuda")


def test_recursive_containers_are_rejected():
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(SerializationError, match="deep"):
        gradstep_torch.save(endless, io.BytesIO())
