"""Every scheduler sets torch's learning rates and momenta: recorded ones, and live ones."""

import inspect
from pathlib import Path

import numpy as np
import pytest

import gradstep
from tests.core.optim.lr_scheduler.cases import CASES, optimizer_of, scheduler_of, trajectory

GOLDENS = np.load(Path(__file__).with_name("scheduler_goldens.npz"))


@pytest.mark.parametrize("name", CASES)
def test_learning_rates_are_those_recorded_from_torch(name):
    found = np.array(trajectory(gradstep, CASES[name]))
    np.testing.assert_allclose(found, GOLDENS[name], rtol=1e-12, atol=1e-16)


@pytest.mark.filterwarnings("ignore:Detected call of `lr_scheduler.step")
def test_every_public_scheduler_is_recorded_and_every_record_is_compared():
    kinds = gradstep.optim.lr_scheduler
    public = {name for name in kinds.__all__ if inspect.isclass(getattr(kinds, name))}
    recorded = {
        type(scheduler_of(gradstep, case, optimizer_of(gradstep, case))).__name__
        for case in CASES.values()
    }
    assert recorded == public - {"LRScheduler"}
    assert set(GOLDENS) == set(CASES)


@pytest.mark.torch
@pytest.mark.parametrize("name", CASES)
def test_learning_rates_are_those_of_torch(name):
    torch = pytest.importorskip("torch")
    theirs = trajectory(torch, CASES[name])
    np.testing.assert_array_equal(trajectory(gradstep, CASES[name]), theirs)
    np.testing.assert_allclose(theirs, GOLDENS[name], rtol=1e-13, atol=1e-17)
