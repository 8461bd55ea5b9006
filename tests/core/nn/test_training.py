"""Networks of layers train as they do on torch, and their graphs leave nothing behind."""

from __future__ import annotations

from weakref import ref

import pytest

import gradstep_torch
from gradstep.autograd.graph import walk


def images(torch):
    nn = torch.nn
    torch.manual_seed(0)
    network = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(4, 8, 3),
        nn.GroupNorm(2, 8),
        nn.Hardswish(),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Linear(32, 10),
    )
    return network, torch.randn(16, 1, 12, 12), torch.randint(0, 10, (16,))


def words(torch):
    class Reader(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.nn.Embedding(20, 6)
            self.network = torch.nn.LSTM(6, 8, num_layers=2, batch_first=True)
            self.head = torch.nn.Linear(8, 3)

        def forward(self, numbers):
            _, (hidden, _) = self.network(self.table(numbers))
            return self.head(hidden[-1])

    torch.manual_seed(0)
    return Reader(), torch.randint(0, 20, (16, 7)), torch.randint(0, 3, (16,))


def losses(torch, make, steps=5):
    network, x, y = make(torch)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    found = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(network(x), y)
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


@pytest.mark.parametrize("make", [images, words])
def test_training_lowers_the_loss(make):
    found = losses(gradstep_torch, make, 10)
    assert found[-1] < found[0]


@pytest.mark.torch
@pytest.mark.parametrize("make", [images, words])
def test_training_gives_torchs_losses(make):
    torch = pytest.importorskip("torch")
    assert losses(gradstep_torch, make) == pytest.approx(losses(torch, make), rel=1e-4)


@pytest.mark.parametrize("make", [images, words])
@pytest.mark.usefixtures("no_collector")
def test_a_graph_of_layers_dies_with_its_loss(make):
    network, x, y = make(gradstep_torch)
    loss = gradstep_torch.nn.functional.cross_entropy(network(x), y)
    nodes = [ref(node) for node in list(walk(loss.grad_fn))]
    assert len(nodes) > 10
    del loss
    assert [node() for node in nodes if node() is not None] == []
