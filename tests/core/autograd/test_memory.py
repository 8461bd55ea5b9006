"""Graphs die with the last tensor that needs them, without the garbage collector."""

from __future__ import annotations

import subprocess
import sys
from weakref import ref

import pytest

import gradstep


def loss_of(x):
    y = (x.exp() * x).tanh().softmax(0)
    y = y * 1
    view = y[1:]
    view.mul_(2)
    return (y.sigmoid().sum() + gradstep.autograd.grad((x * x).sum(), x)[0].sum()).sqrt()


@pytest.mark.usefixtures("no_collector")
def test_a_graph_dies_with_its_root():
    x = gradstep.ones(3, requires_grad=True)
    loss = loss_of(x)
    node = ref(loss.grad_fn)
    del loss
    assert node() is None


@pytest.mark.usefixtures("no_collector")
def test_a_graph_dies_after_backward_and_leaves_the_leaf_free():
    x = gradstep.ones(3, requires_grad=True)
    loss = loss_of(x)
    loss.backward()
    node, tensor = ref(loss.grad_fn), ref(x)
    del loss, x
    assert node() is None
    assert tensor() is None


@pytest.mark.usefixtures("no_collector")
def test_a_recorded_backward_dies_too():
    x = gradstep.ones(3, requires_grad=True)
    (first,) = gradstep.autograd.grad(x.exp().sum(), x, create_graph=True)
    node = ref(first.grad_fn)
    del first
    assert node() is None


@pytest.mark.usefixtures("no_collector")
def test_backward_lets_go_of_saved_arrays_at_once():
    x = gradstep.ones(3, requires_grad=True)
    y = x.exp()
    saved = ref(y)
    loss = y.sum()
    del y
    loss.backward()
    assert saved() is None
    assert loss.grad_fn.next_functions[0][0].freed


GROWTH = """
import gc
import tracemalloc

import gradstep

x = gradstep.tensor([1.0, 2.0], requires_grad=True)
optimizer = gradstep.optim.SGD([x], lr=1e-6)


def train(iterations):
    for _ in range(iterations):
        optimizer.zero_grad()
        (100 * x).sum().backward()
        optimizer.step()


gc.disable()
train(100)
tracemalloc.start()
train(10)
before, _ = tracemalloc.get_traced_memory()
train(10_000)
after, _ = tracemalloc.get_traced_memory()
print(after - before)
"""


def test_memory_stays_flat_over_ten_thousand_iterations():
    """In a process of its own, because all that a process allocates is counted."""
    command = [sys.executable, "-c", GROWTH]
    grown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert int(grown) < 4096
