"""Operations of tensors that only scripts use."""

from __future__ import annotations

from weakref import ref

import pytest

import gradstep_torch as torch
from gradstep.errors import (
    ArgumentError,
    ArgumentTypeError,
    MissingNameError,
    TensorError,
)

T = torch.tensor


def recorded():
    """Tell whether what it computes is recorded."""
    return (torch.ones(1, requires_grad=True) * 2).requires_grad


def test_the_modes_decorate_with_and_without_brackets():
    assert not torch.no_grad()(recorded)()
    assert not torch.no_grad(recorded)()
    assert not torch.inference_mode(recorded)()
    with torch.no_grad():
        assert torch.enable_grad(recorded)()
        assert torch.enable_grad()(recorded)()
    assert torch.no_grad()(recorded).__name__ == "recorded"


def test_division_and_remainder_round_down():
    assert (T([7, -7]) // 2).tolist() == [3, -4]
    assert (7 // T([2.0, -2.0])).tolist() == [3.0, -4.0]
    assert (T([5.0, -5.0]) % 3).tolist() == [2.0, 1.0]
    assert (7 % T([5.0, -3.0])).tolist() == [2.0, -2.0]
    assert torch.div(T([7, -7]), 2, rounding_mode="trunc").tolist() == [3, -3]
    with pytest.raises(ArgumentError, match="rounding_mode"):
        torch.div(T([7]), 2, rounding_mode="up")


def test_a_custom_function_releases_its_graph(no_collector):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, grad):
            x, y = ctx.saved_tensors
            return grad * y / x

    x = torch.ones(3, requires_grad=True)
    y = Double.apply(x)
    node = ref(y.grad_fn)
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]
    del y
    assert node() is None


def test_a_power_of_two_plain_numbers_is_rejected():
    with pytest.raises(
        ArgumentTypeError, match="at least one operand must be a Tensor, not int and int"
    ):
        torch.pow(2, 3)


def test_ranges_end_where_torchs_do():
    assert torch.arange(1, 2.5, 0.5).tolist() == [1.0, 1.5, 2.0]
    assert torch.arange(5, 1, -2).tolist() == [5, 3]
    assert torch.linspace(0, 1, 5).tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert torch.logspace(0, 2, 3).tolist() == [1.0, 10.0, 100.0]
    with pytest.raises(TensorError, match="never end"):
        torch.arange(1, 5, -1)


def test_a_missing_name_is_reported():
    with pytest.raises(MissingNameError, match="no attribute 'to_sparse_csr'"):
        T(1.0).to_sparse_csr  # noqa: B018 - only to raise
    with pytest.raises(AttributeError, match="no attribute 'frobnicate'"):
        T(1.0).frobnicate  # noqa: B018 - only to raise
    with pytest.raises(MissingNameError, match="no attribute 'frobnicate'"):
        torch.frobnicate  # noqa: B018 - only to raise
    assert not hasattr(torch, "cuda_graphs")
    assert not hasattr(T(1.0), "to_sparse_csr")
    assert "to_sparse_csr" not in dir(T(1.0))
    assert "backward" in dir(T(1.0))


def test_rearranged_copies_have_the_right_elements_and_gradients():
    x = torch.arange(6).float().view(2, 3).requires_grad_()
    assert x.flip(1).tolist() == [[2.0, 1.0, 0.0], [5.0, 4.0, 3.0]]
    assert x.roll(1, 0).tolist() == [[3.0, 4.0, 5.0], [0.0, 1.0, 2.0]]
    assert x.tril().tolist() == [[0.0, 0.0, 0.0], [3.0, 4.0, 0.0]]
    assert x.triu(1).tolist() == [[0.0, 1.0, 2.0], [0.0, 0.0, 5.0]]
    assert x.diag().tolist() == [0.0, 4.0]
    assert torch.diag(T([1.0, 2.0]), 1).tolist() == [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    assert torch.outer(T([1, 2]), T([3, 4])).tolist() == [[3, 4], [6, 8]]
    assert T([0, 3, 0, 4]).nonzero().tolist() == [[1], [3]]
    assert T([3, 1, 3]).unique().tolist() == [1, 3]
    assert [g.shape for g in torch.meshgrid(T([1, 2]), T([1, 2, 3]))] == [(2, 3), (2, 3)]
    (x.repeat(2, 1) * x.flip(0).roll(1, 0).repeat(2, 1)).sum().backward()
    assert x.grad.tolist() == (4 * x).tolist()


@pytest.mark.torch
def test_operations_are_recorded_under_torchs_names():
    oracle = pytest.importorskip("torch")

    def names(t):
        x = t.arange(6.0).view(2, 3).requires_grad_()
        found = [x.select(0, 1), x[:, 1], x[0, 1:], x[None], x[..., None], x.max(1).values]
        found += [x.min(0, keepdim=True).values, x.sort(1).values, x.topk(2).values]
        found += [x.median(1).values, x.gather(1, t.tensor([[0], [1]])), x.clamp(0, 1), x % 2]
        found += [t.stack([x, x], 1), x.split(1)[0], x.chunk(2, 1)[1], x.unbind(1)[2]]
        found += [x.index_select(1, t.tensor([0])), x.masked_select(x > 2), x[[0, 1], [1, 2]]]
        found += [t.nn.functional.cosine_similarity(x, x).mean(), x.fmod(2)]
        return [(f.grad_fn.name().rstrip("01"), f.tolist()) for f in found]

    assert names(torch) == names(oracle)
