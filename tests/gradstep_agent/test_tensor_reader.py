"""Only tensors with elements in memory are read."""

from __future__ import annotations

import pytest

from gradstep_agent.tensor_reader import TensorReader

pytestmark = pytest.mark.torch


def tensors():
    """Return tensors, and whether they have elements."""
    import torch

    freed = torch.ones(3)
    freed.untyped_storage().resize_(0)  # as FSDP does
    ragged = [torch.ones(2), torch.ones(3)]
    return [
        (torch.ones(2, 3), True),
        (torch.ones(0, 3), True),
        (torch.ones(2, 3).to_sparse(), True),
        (torch.ones(2, device="meta"), False),
        (freed, False),
        (torch.nested.nested_tensor(ragged, layout=torch.jagged), False),
    ]


def test_a_tensor_without_memory_of_its_own_has_no_elements():
    import torch

    reader = TensorReader(torch)
    assert [reader.has_elements(tensor) for tensor, _ in tensors()] == [has for _, has in tensors()]
