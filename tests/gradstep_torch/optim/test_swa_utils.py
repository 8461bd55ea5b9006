"""Averages of weights: by themselves, and against torch."""

# ruff: noqa: ARG005 - every call takes all that some need

import numpy as np
import pytest

import gradstep_torch
from gradstep.errors import ArgumentError


def make(lib):
    layers = [lib.nn.Linear(3, 4), lib.nn.BatchNorm1d(4), lib.nn.ReLU(), lib.nn.Linear(4, 1)]
    return lib.nn.Sequential(*layers)


def train(lib, swa, options, anneal):
    lib.manual_seed(0)
    model, x, y = make(lib), lib.randn(16, 3), lib.randn(16, 1)
    optimizer = lib.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    averaged = swa.AveragedModel(model, **options)
    scheduler = swa.SWALR(optimizer, swa_lr=0.05, anneal_epochs=3, anneal_strategy=anneal)
    rates = []
    for _ in range(6):
        optimizer.zero_grad()
        ((model(x) - y) ** 2).mean().backward()
        optimizer.step()
        averaged.update_parameters(model)
        scheduler.step()
        rates.append(scheduler.get_last_lr()[0])
    swa.update_bn([x[:8], [x[8:], y[8:]]], averaged)
    state = {name: value.detach().numpy() for name, value in averaged.state_dict().items()}
    return rates, state, averaged.eval()(x).detach().numpy()


OPTIONS = {
    "means": lambda swa: {},
    "exponential averages": lambda swa: {"multi_avg_fn": swa.get_ema_multi_avg_fn(0.9)},
    "exponential averages one by one": lambda swa: {"avg_fn": swa.get_ema_avg_fn(0.9)},
    "means of lists": lambda swa: {"multi_avg_fn": swa.get_swa_multi_avg_fn()},
    "buffers, too": lambda swa: {"use_buffers": True},
}


@pytest.mark.torch
@pytest.mark.parametrize("anneal", ["cos", "linear"])
@pytest.mark.parametrize("kind", OPTIONS)
def test_averages_rates_and_statistics_match_torch(kind, anneal):
    torch = pytest.importorskip("torch")
    swa = torch.optim.swa_utils
    own = gradstep_torch.optim.swa_utils
    rates, state, output = train(gradstep_torch, own, OPTIONS[kind](own), anneal)
    theirs = train(torch, swa, OPTIONS[kind](swa), anneal)
    assert rates == pytest.approx(theirs[0], rel=1e-12)
    assert list(state) == list(theirs[1])
    for name, value in theirs[1].items():
        np.testing.assert_allclose(state[name], value, 1e-4, 1e-5, err_msg=name)
    np.testing.assert_allclose(output, theirs[2], 1e-4, 1e-5)


def test_the_average_is_the_mean_of_its_updates_and_the_model_is_unchanged():
    model = gradstep_torch.nn.Linear(1, 1)
    averaged = gradstep_torch.optim.swa_utils.AveragedModel(model)
    for value in (1.0, 2.0, 6.0):
        gradstep_torch.nn.init.constant_(model.weight, value)
        averaged.update_parameters(model)
    assert (averaged.module.weight.item(), model.weight.item()) == (3.0, 6.0)
    assert averaged.n_averaged.item() == 3


def test_statistics_are_recomputed_and_modes_and_momenta_restored():
    model = gradstep_torch.nn.Sequential(gradstep_torch.nn.BatchNorm1d(1, momentum=0.3)).eval()
    batches = [gradstep_torch.tensor([[0.0], [2.0]]), gradstep_torch.tensor([[4.0], [6.0]])]
    gradstep_torch.optim.swa_utils.update_bn(batches, model)
    assert model[0].running_mean.tolist() == [3.0]
    assert (model[0].momentum, model.training, model[0].training) == (0.3, False, False)


def test_a_model_without_batch_norm_is_not_run():
    model, calls = gradstep_torch.nn.Linear(1, 1), []
    model.register_forward_hook(lambda *_: calls.append("forward"))
    gradstep_torch.optim.swa_utils.update_bn([gradstep_torch.ones(2, 1)], model.eval())
    assert calls == []
    assert not model.training


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"anneal_epochs": 0}, [0.25] * 4),
        ({"anneal_epochs": 4, "anneal_strategy": "linear"}, [1.0, 0.8125, 0.625, 0.4375]),
        (
            {"anneal_epochs": 3},
            [1.0, 0.8125, 0.4375, 0.25],
        ),
        (
            {"anneal_epochs": 5},
            [1.0, 0.9283813728906053, 0.7408813728906053, 0.5091186271093948],
        ),
    ],
)
def test_rates_are_those_recorded_from_torch(options, expected):
    optimizer = gradstep_torch.optim.SGD([gradstep_torch.ones(1, requires_grad=True)], lr=1.0)
    scheduler = gradstep_torch.optim.swa_utils.SWALR(optimizer, 0.25, **options)
    found = scheduler.get_last_lr()
    for _ in range(3):
        optimizer.step()
        scheduler.step()
        found += scheduler.get_last_lr()
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda swa, m, o: swa.get_ema_multi_avg_fn(1.5), "Invalid decay value 1.5"),
        (lambda swa, m, o: swa.SWALR(o, 0.1, anneal_strategy="exp"), "one of 'cos' or 'linear'"),
        (lambda swa, m, o: swa.SWALR(o, 0.1, anneal_epochs=-1), "equal or greater than 0, got -1"),
        (lambda swa, m, o: swa.SWALR(o, [0.1, 0.2]), "Expected 1 values for swa_lr, got 2"),
        (
            lambda swa, m, o: swa.AveragedModel(
                m, avg_fn=swa.get_swa_avg_fn(), multi_avg_fn=swa.get_swa_multi_avg_fn()
            ),
            "Only one of avg_fn and multi_avg_fn",
        ),
    ],
)
def test_arguments_out_of_range_are_rejected(call, message):
    model = gradstep_torch.nn.Linear(1, 1)
    optimizer = gradstep_torch.optim.SGD(model.parameters(), lr=0.1)
    with pytest.raises(ArgumentError, match=message):
        call(gradstep_torch.optim.swa_utils, model, optimizer)
