"""Which losses expand an output to match a target of another shape, and which mean a square."""

from __future__ import annotations

import pytest

from tests.gradstep_agent.client import record

pytestmark = [pytest.mark.torch, pytest.mark.slow]

SETUP = """
import warnings
import torch
from torch import nn
from torch.nn import functional as F

warnings.simplefilter("ignore")
torch.manual_seed(0)
N = 6
net, flat = nn.Linear(3, 1), nn.Sequential(nn.Linear(3, 1), nn.Flatten(0))
rates = nn.Parameter(torch.full((N,), 0.3))
x = torch.randn(N, 3)
y, square = torch.arange(N) % 2.0, torch.rand(N, N)
column = y[:, None]

def p():
    return torch.sigmoid(net(x))

def q():
    return torch.sigmoid(flat(x))

def focal(p, y):
    of_class = torch.where(y == 1, p, 1 - p)
    return (-(1 - of_class) ** 2.0 * torch.log(of_class)).mean()

"""
COLUMN, FLAT, ROW = (f"from {shape} to [6, 6]" for shape in ("[6, 1]", "[6]", "[1, 6]"))
EXPANDED = {
    "F.mse_loss(net(x), y)": COLUMN,
    "F.mse_loss(flat(x), column)": FLAT,
    "F.huber_loss(flat(x), column) / 4": FLAT,
    "F.l1_loss(net(x), y)": COLUMN,
    "F.l1_loss(flat(x), column)": FLAT,
    "nn.L1Loss(reduction='sum')(net(x).T, column)": ROW,
    "F.l1_loss(net(x).half(), y.half())": COLUMN,
    "F.l1_loss(net(x), y) / 4": COLUMN,
    "autocast(F.l1_loss, y)": COLUMN,
    "autocast(F.mse_loss, y)": COLUMN,
    "(net(x) - y).abs().mean()": COLUMN,
    "((column - net(x).squeeze(1)) ** 2).mean()": FLAT,
    "torch.log(torch.cosh(net(x) - y)).mean()": COLUMN,
    "bce(p(), y)": COLUMN,
    "bce(q(), column)": FLAT,
    "bce(p(), 0.1 + 0.8 * y)": COLUMN,
    "by_logits(net(x), y)": COLUMN,
    "of_mean(p(), y)": COLUMN,
    "focal(p(), y)": COLUMN,
    "focal(q(), column)": FLAT,
    "of_logarithms(p(), y)": COLUMN,
}
"""Losses that compare every output with every target, and how they expand the output."""
MEANT = (
    "F.l1_loss(net(x), column)",
    "F.l1_loss(net(x).expand(N, N), square)",
    "F.l1_loss(flat(x), square)",
    "autocast(F.l1_loss, square)",
    "autocast(F.mse_loss, column)",
    "F.mse_loss(net(x), square)",
    "F.mse_loss(net(x).expand_as(square), square)",
    "F.mse_loss(flat(x), square)",
    "((flat(x[:, :]).squeeze() - square) ** 2).mean()",
    "((net(x).T - square) ** 2).mean()",
    "(net(x)[:, 0].unsqueeze(1) - y).abs().mean()",
    "(net(x)[:, 0].unsqueeze(1).expand(N, N) - y).abs().mean()",
    "F.l1_loss(rates.expand(N, N), column.expand(N, N))",
    "torch.cdist(net(x), net(x)).mean()",
    "(net(x) - net(x).T).abs().mean()",
    "(net(x) * y).mean()",
    "(net(x) * y + (1 - y)).mean()",
    "bce(p(), column)",
    "bce(p(), square)",
    "bce(rates, column)",
    "bce(p()[:, 0].unsqueeze(1), y)",
    "weighted(net(x), flat(x).detach(), y)",
    "gate(net(x), x[:, :1] * net.weight[0, 0], y)",
    "torch.where(y == 1, net(x), 2 * net(x)).mean()",
    "torch.where(square > 0.5, p(), 1 - p()).mean()",
    "torch.where(y == 1, net(x) @ net(x).T, -torch.inf).softmax(1).square().mean()",
    "(net(x) @ net(x).T * y).softmax(1).square().mean()",
    "focal(p(), column)",
)
"""Losses whose square is meant, or has nothing to do with a target."""
FUNCTIONS = """
def autocast(criterion, y):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return criterion(net(x), y)

def bce(p, y):
    return -(y * torch.log(p + 1e-8) + (1 - y) * torch.log(1 - p + 1e-8)).mean()

def by_logits(z, y):
    return (-y * F.logsigmoid(z) - (1 - y) * F.logsigmoid(-z)).mean()

def of_mean(p, y):
    return -(p.log() * y).mean() - ((1 - p).log() * (1 - y)).mean()

def of_logarithms(p, y):
    return -torch.where(y == 1, torch.log(p), torch.log(1 - p)).mean()

def weighted(one, other, y):
    return (y * one + (1 - y) * other.unsqueeze(1)).mean()

def gate(one, other, y):
    return (y * one + (1 - y) * other).square().mean()

"""


def expansions(losses, tmp_path):
    """Return how each of the losses expanded an output, as the agent says."""
    script = tmp_path / "losses.py"
    lines = [f"loss{n} = {loss}\nloss{n}.backward()\n" for n, loss in enumerate(losses)]
    script.write_text(SETUP + FUNCTIONS + "".join(lines))
    run = record(script)
    assert run.status == 0, run.err
    found = {header["loss"]: header.get("broadcast", "") for header in run.of("graph")}
    return {loss: found[f"loss{n}"] for n, loss in enumerate(losses)}


def test_an_output_that_a_target_expands_is_found(tmp_path):
    assert expansions(EXPANDED, tmp_path) == EXPANDED


def test_a_square_that_is_meant_is_not(tmp_path):
    assert expansions(MEANT, tmp_path) == dict.fromkeys(MEANT, "")
