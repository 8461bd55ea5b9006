"""Files of the user's that write tensors through `.data` are found, and no others."""

from __future__ import annotations

import linecache
from types import ModuleType, SimpleNamespace

import pytest

from gradstep_agent.data_writes import DataWrites


@pytest.fixture
def add_module(tmp_path, monkeypatch):
    """Return a function that adds a module with some text to a process that has no others."""
    system = SimpleNamespace(modules={})
    monkeypatch.setattr("gradstep_agent.data_writes.sys", system)
    monkeypatch.setattr(linecache, "cache", {})

    def add(text, name="train.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        system.modules[name] = module = ModuleType(name)
        module.__file__ = str(path)
        return path

    return add


@pytest.mark.parametrize(
    "text",
    [
        "p.data.clamp_(-1, 1)\n",
        "w.data -= 0.1 * w.grad\n",
        "w.data = average\n",
        "w.data[0] *= 2\n",
        "self.w.data.copy_(v.data)\n",
        "values = layers[0].weight.data\nvalues.clamp_(-1, 1)\n",
        "kept = w.data  # to be restored\n",
        "vector_to_parameters(vector, model.parameters())\n",
        "p.grad.data.clamp_(-1, 1)\n",
        "dist.all_reduce(p.grad)\n",
    ],
)
def test_what_writes_through_data_is_found(text, add_module):
    add_module(text)
    assert DataWrites().look()


@pytest.mark.parametrize(
    "text",
    [
        "v = w.data.clone()\n",
        "loss = (w.data - v) ** 2\n",
        "d = f(w.data)\n",
        "if v.data == w.data: pass\n",
        "self.data = read()\n",
        "self.data[3] = 1\n",
        "import torch.utils.data\n",
        "loader = torch.utils.data.DataLoader(x)\n",
        "f(data=3)\n",
    ],
)
def test_what_only_reads_is_not(text, add_module):
    add_module(text)
    assert not DataWrites().look()


def test_files_of_libraries_are_not_read(add_module):
    add_module("w.data = average\n", "site-packages/library.py")
    assert not DataWrites().look()


def test_each_file_is_read_once_and_later_ones_too(add_module):
    writes = DataWrites()
    path = add_module("v = w.data.clone()\n")
    assert not writes.look()
    path.write_text("w.data = average\n")
    assert not writes.look()
    add_module("w.data = average\n", "averages.py")
    assert writes.look()


def test_cells_of_a_notebook_are_read(add_module, monkeypatch):
    writes = DataWrites()
    lines = ["w.data = average\n"]
    monkeypatch.setitem(linecache.cache, "<ipython-input-3>", (1, None, lines, "<ipython-input-3>"))
    assert writes.look()
