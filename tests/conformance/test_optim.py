"""Every algorithm gives torch's numbers: recorded ones always, live ones where torch is."""

import json
from pathlib import Path

import numpy as np
import pytest

import gradstep
from tests.conformance.optim_problem import fit, look_up, run
from tests.core.optim.cases import CASES, SPARSE_CASES, WHOLE_CASES

HERE = Path(__file__).parent
GOLDENS = np.load(HERE / "optim_goldens.npz")
FITTED = np.load(HERE / "optim_fitted_goldens.npz")
DEFAULTS = json.loads((HERE / "optim_defaults.json").read_text(encoding="utf-8"))
IDS = [f"{algorithm}-{number}" for number, (algorithm, _) in enumerate(CASES)]
WHOLE_IDS = [f"{algorithm}-{number}" for number, (algorithm, _) in enumerate(WHOLE_CASES)]


@pytest.mark.parametrize(("number", "case"), list(enumerate(CASES)), ids=IDS)
def test_values_and_state_are_those_recorded_from_torch(number, case):
    found = run(gradstep, *case, steps=25)
    prefix = f"{number}/"
    recorded = {key.removeprefix(prefix) for key in GOLDENS if key.startswith(prefix)}
    assert recorded == set(found)
    for name, array in found.items():
        expected = GOLDENS[prefix + name]
        actual = array.reshape(-1)[: len(expected)]
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-12, err_msg=name)


@pytest.mark.parametrize(
    ("kind", "rtol", "atol"), [("float64", 1e-10, 1e-10), ("float32", 1e-3, 1e-4)]
)
@pytest.mark.parametrize(("number", "case"), list(enumerate(CASES)), ids=IDS)
def test_after_a_thousand_steps_values_agree_with_those_recorded(number, case, kind, rtol, atol):
    found = run(gradstep, *case, steps=1000, count=2, kind=kind)
    for name in ("0", "1"):
        expected = GOLDENS[f"{kind}/{number}/{name}"]
        assert found[name].dtype == expected.dtype
        np.testing.assert_allclose(found[name], expected, rtol=rtol, atol=atol, err_msg=name)


def recorded_under(case):
    return {
        key.removeprefix(f"{case}/"): FITTED[key] for key in FITTED if key.startswith(f"{case}/")
    }


@pytest.mark.parametrize(("number", "case"), list(enumerate(WHOLE_CASES)), ids=WHOLE_IDS)
def test_a_fit_through_a_closure_is_that_recorded_from_torch(number, case):
    found, expected = fit(gradstep, *case, steps=6), recorded_under(number)
    assert set(found) == set(expected)
    rtol = 1e-4 if case[0] == "Muon" else 1e-9  # Muon computes in bfloat16
    for name, array in expected.items():
        actual = found[name].reshape(-1)[-len(array) :]
        np.testing.assert_allclose(actual, array, rtol=rtol, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("number", range(len(SPARSE_CASES)))
def test_rows_move_as_recorded_from_torch(number):
    found = look_up(gradstep, SPARSE_CASES[number], steps=25)
    expected = recorded_under(f"sparse{number}")
    assert set(found) == set(expected)
    for name, array in expected.items():
        actual = found[name].reshape(-1)[-len(array) :]
        np.testing.assert_allclose(actual, array, rtol=1e-12, err_msg=name)


@pytest.mark.parametrize("algorithm", DEFAULTS)
def test_defaults_are_those_recorded_from_torch(algorithm):
    optimizer = getattr(gradstep.optim, algorithm)([gradstep.ones(1, 1, requires_grad=True)])
    found = [[name, repr(value)] for name, value in optimizer.defaults.items()]
    assert found == DEFAULTS[algorithm]


@pytest.mark.torch
@pytest.mark.parametrize(("number", "case"), list(enumerate(CASES)), ids=IDS)
def test_the_recorded_values_are_those_of_torch(number, case):
    torch = pytest.importorskip("torch")
    for name, array in run(torch, *case, steps=25).items():
        expected = GOLDENS[f"{number}/{name}"]
        actual = array.reshape(-1)[: len(expected)]
        np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-14, err_msg=name)


@pytest.mark.torch
@pytest.mark.parametrize("case", [*CASES, *WHOLE_CASES], ids=[*IDS, *WHOLE_IDS])
def test_defaults_and_their_order_are_torchs(case):
    torch = pytest.importorskip("torch")
    algorithm, options = case
    made = [
        getattr(library.optim, algorithm)([library.ones(1, 1, requires_grad=True)], **options)
        for library in (torch, gradstep)
    ]
    assert list(made[0].defaults.items()) == list(made[1].defaults.items())
    assert repr(made[0]) == repr(made[1])


@pytest.mark.torch
@pytest.mark.parametrize("case", [*CASES, *WHOLE_CASES], ids=[*IDS, *WHOLE_IDS])
def test_state_dicts_go_to_torch_and_back(case):
    torch = pytest.importorskip("torch")
    algorithm, options = case

    def built(library):
        start = np.arange(6.0).reshape(2, 3) / 10
        parameters = [library.tensor(start, requires_grad=True)]
        return parameters, getattr(library.optim, algorithm)(parameters, **options)

    def stepped(library, parameters, optimizer):
        def closure():
            optimizer.zero_grad()
            loss = (parameters[0].cos() + parameters[0] ** 2).sum()
            loss.backward()
            return loss

        optimizer.step(closure)
        return parameters[0].detach().numpy()

    ours, our_optimizer = built(gradstep)
    stepped(gradstep, ours, our_optimizer)
    theirs, their_optimizer = built(torch)
    with torch.no_grad():
        theirs[0].copy_(torch.from_numpy(ours[0].detach().numpy()))
    saved = our_optimizer.state_dict()
    saved["state"] = {
        number: {key: as_torchs(torch, value) for key, value in entry.items()}
        for number, entry in saved["state"].items()
    }
    their_optimizer.load_state_dict(saved)
    our_optimizer.load_state_dict(their_optimizer.state_dict())
    np.testing.assert_allclose(
        stepped(gradstep, ours, our_optimizer),
        stepped(torch, theirs, their_optimizer),
        rtol=1e-8,
        atol=1e-10,
    )


def as_torchs(torch, value):
    """Return a state entry with torch's tensors for ours."""
    if isinstance(value, list):
        return [as_torchs(torch, item) for item in value]
    return torch.from_numpy(np.array(value.numpy())) if hasattr(value, "numpy") else value
