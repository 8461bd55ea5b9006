"""Every algorithm gives torch's numbers: recorded ones always, live ones where torch is."""

from pathlib import Path

import numpy as np
import pytest

import gradstep
from tests.conformance.optim_problem import run
from tests.core.optim.cases import CASES

GOLDENS = np.load(Path(__file__).with_name("optim_goldens.npz"))
IDS = [f"{algorithm}-{number}" for number, (algorithm, _) in enumerate(CASES)]


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


@pytest.mark.torch
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_after_a_thousand_steps_float64_agrees_with_torch(case):
    torch = pytest.importorskip("torch")
    ours, theirs = (run(library, *case, steps=1000, count=2) for library in (gradstep, torch))
    assert list(ours) == list(theirs)
    for name in ("0", "1"):
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-10, atol=1e-10, err_msg=name)


@pytest.mark.torch
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_defaults_and_their_order_are_torchs(case):
    torch = pytest.importorskip("torch")
    algorithm, options = case
    made = [
        getattr(library.optim, algorithm)([library.ones(1, requires_grad=True)], **options)
        for library in (torch, gradstep)
    ]
    assert list(made[0].defaults.items()) == list(made[1].defaults.items())
    assert repr(made[0]) == repr(made[1])


@pytest.mark.torch
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_state_dicts_go_to_torch_and_back(case):
    torch = pytest.importorskip("torch")
    algorithm, options = case

    def built(library):
        parameters = [library.tensor(np.arange(3.0), requires_grad=True)]
        return parameters, getattr(library.optim, algorithm)(parameters, **options)

    def stepped(library, parameters, optimizer):
        parameters[0].grad = library.tensor(np.array([1.0, -2.0, 0.5]))
        optimizer.step()
        return parameters[0].detach().numpy()

    ours, our_optimizer = built(gradstep)
    stepped(gradstep, ours, our_optimizer)
    theirs, their_optimizer = built(torch)
    with torch.no_grad():
        theirs[0].copy_(torch.from_numpy(ours[0].detach().numpy()))
    saved = our_optimizer.state_dict()
    saved["state"] = {
        number: {key: torch.from_numpy(np.array(value.numpy())) for key, value in entry.items()}
        for number, entry in saved["state"].items()
    }
    their_optimizer.load_state_dict(saved)
    our_optimizer.load_state_dict(their_optimizer.state_dict())
    np.testing.assert_allclose(
        stepped(gradstep, ours, our_optimizer), stepped(torch, theirs, their_optimizer), rtol=1e-8
    )
