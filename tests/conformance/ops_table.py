"""The table of operations: how to call each one, on gradstep and on torch alike."""

# ruff: noqa: ARG005 - every call takes the library, whether it needs it or not

from __future__ import annotations

from tests.conformance.case import Case
from tests.conformance.layers_table import LAYERS
from tests.conformance.matrices_table import MATRICES
from tests.conformance.places_table import PLACES

PAIR = ((2, 3), (2, 3))
CLASSES = [0, 2, 1]
BINARY = [[0.0, 1.0, 1.0], [1.0, 0.0, 0.25]]


def _unary() -> list[Case]:
    anywhere = ["sin", "cos", "exp", "exp2", "expm1", "tanh", "sigmoid", "relu", "abs", "square"]
    anywhere += ["neg", "sinh", "cosh", "atan", "erf", "floor", "ceil", "round", "trunc", "sign"]
    positive = ["log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal"]
    inside = ["asin", "acos", "tan"]
    cases = []
    for names, low, high in ((anywhere, -2, 2), (positive, 0.2, 3), (inside, -0.9, 0.9)):
        cases += [Case(n, lambda t, x, n=n: getattr(t, n)(x), low=low, high=high) for n in names]
    return cases


def _activations() -> list[Case]:
    calls = {
        "leaky_relu": lambda t, x: t.nn.functional.leaky_relu(x, 0.1),
        "elu": lambda t, x: t.nn.functional.elu(x, 1.5),
        "gelu": lambda t, x: t.nn.functional.gelu(x),
        "gelu_tanh": lambda t, x: t.nn.functional.gelu(x, approximate="tanh"),
        "silu": lambda t, x: t.nn.functional.silu(x),
        "softplus": lambda t, x: t.nn.functional.softplus(x, 2.0, 3.0),
        "softmax": lambda t, x: t.softmax(x, 1),
        "softmax_first": lambda t, x: x.softmax(0),
        "log_softmax": lambda t, x: t.log_softmax(x, -1),
    }
    return [Case(name, call) for name, call in calls.items()]


def _binary() -> list[Case]:
    calls = {
        "add": lambda t, x, y: x + y,
        "add_alpha": lambda t, x, y: t.add(x, y, alpha=3),
        "sub": lambda t, x, y: x - y,
        "sub_alpha": lambda t, x, y: t.sub(x, y, alpha=0.5),
        "mul": lambda t, x, y: x * y,
        "maximum": lambda t, x, y: t.maximum(x, y),
        "minimum": lambda t, x, y: t.minimum(x, y),
        "where": lambda t, x, y: t.where(x > 0, x, y),
        "lerp": lambda t, x, y: t.lerp(x, y, 0.3),
    }
    cases = []
    for name, call in calls.items():
        cases.append(Case(name, call, PAIR))
        cases.append(Case(f"{name}_broadcast", call, ((2, 1, 3), (4, 1))))
    cases += [
        Case("div", lambda t, x, y: x / y, PAIR, 0.5, 2),
        Case("div_broadcast", lambda t, x, y: x / y, ((3,), (2, 1)), 0.5, 2),
        Case("pow", lambda t, x, y: x**y, PAIR, 0.5, 2),
        Case("pow_broadcast", lambda t, x, y: t.pow(x, y), ((2, 1), (3,)), 0.5, 2),
        Case("addcmul", lambda t, x, y, z: t.addcmul(x, y, z, value=2), ((3,), (3,), (2, 1))),
        Case("addcdiv", lambda t, x, y, z: t.addcdiv(x, y, z, value=2), ((3,), (3,), (2, 1)), 0.5),
    ]
    return cases


def _numbers() -> list[Case]:
    calls = {
        "add_number": lambda t, x: x + 2.5,
        "radd_number": lambda t, x: 2 + x,
        "sub_number": lambda t, x: x - 2,
        "rsub_number": lambda t, x: 2 - x,
        "mul_number": lambda t, x: 3 * x,
        "div_number": lambda t, x: x / 4,
        "rdiv_number": lambda t, x: 2 / x,
        "pow_number": lambda t, x: x**3,
        "pow_half": lambda t, x: x**0.5,
        "pow_zero": lambda t, x: x**0,
        "rpow_number": lambda t, x: 2**x,
        "clamp": lambda t, x: t.clamp(x, 0.8, 1.7),
        "clamp_min": lambda t, x: x.clamp(min=1),
        "clamp_max": lambda t, x: x.clamp(max=1),
        "masked_fill": lambda t, x: x.masked_fill(x > 1, 0.5),
    }
    return [Case(name, call, low=0.5, high=2) for name, call in calls.items()]


def _reductions() -> list[Case]:
    calls = {
        "sum": lambda t, x: x.sum(),
        "sum_dim": lambda t, x: x.sum(1),
        "sum_keep": lambda t, x: t.sum(x, dim=(0, 2), keepdim=True),
        "sum_axis": lambda t, x: x.sum(axis=0),
        "mean": lambda t, x: x.mean(),
        "mean_dim": lambda t, x: x.mean(-1, keepdim=True),
        "mean_dims": lambda t, x: t.mean(x, (0, 1)),
        "var": lambda t, x: x.var(),
        "var_dim": lambda t, x: x.var(1, unbiased=False),
        "std": lambda t, x: t.std(x),
        "std_dim": lambda t, x: x.std(2, keepdim=True),
        "norm": lambda t, x: x.norm(),
        "norm_1": lambda t, x: x.norm(1),
        "norm_3": lambda t, x: x.norm(3, dim=1),
        "norm_inf": lambda t, x: x.norm(float("inf")),
        "prod": lambda t, x: x[0, 0].prod(),
        "prod_dim": lambda t, x: x.prod(1),
        "cumsum": lambda t, x: x.cumsum(1),
        "logsumexp": lambda t, x: t.logsumexp(x, 2),
        "max": lambda t, x: x.max(),
        "min": lambda t, x: x.min(),
        "max_dim": lambda t, x: x.max(1).values,
        "min_dim": lambda t, x: x.min(-1, keepdim=True)[0],
        "amax": lambda t, x: x.amax((0, 1)),
        "amin": lambda t, x: t.amin(x, 2),
        "sort": lambda t, x: x.sort(1, descending=True).values,
        "topk": lambda t, x: x.topk(2, 2).values,
    }
    return [Case(name, call, ((2, 3, 4),)) for name, call in calls.items()]


def _shapes() -> list[Case]:
    calls = {
        "reshape": lambda t, x: x.reshape(6, -1),
        "view": lambda t, x: x.view(-1, 2),
        "flatten": lambda t, x: t.flatten(x, 1),
        "squeeze": lambda t, x: x[:1].squeeze(),
        "unsqueeze": lambda t, x: x.unsqueeze(-1),
        "transpose": lambda t, x: x.transpose(0, 2),
        "transposed_reshape": lambda t, x: x.transpose(0, 2).reshape(-1),
        "permute": lambda t, x: x.permute(2, 0, 1),
        "t": lambda t, x: x[0].t(),
        "T": lambda t, x: x[0].T,
        "expand": lambda t, x: x.unsqueeze(1).expand(-1, 5, -1, 4),
        "movedim": lambda t, x: x.movedim(0, 2),
        "index": lambda t, x: x[1],
        "index_slice": lambda t, x: x[:, 1:, ::2],
        "index_ellipsis": lambda t, x: x[..., None, 0],
        "index_list": lambda t, x: x[:, [0, 0, 2]],
        "index_tensor": lambda t, x: x[t.tensor([1, 0, 1]), 1],
        "index_mask": lambda t, x: x[x > 0],
        "index_select": lambda t, x: x.index_select(1, t.tensor([2, 0, 2])),
        "masked_select": lambda t, x: t.masked_select(x, x > 0.5),
        "gather": lambda t, x: x.gather(1, t.tensor([[[0, 1, 2, 0]], [[2, 2, 1, 0]]])),
        "split": lambda t, x: t.cat([part * 2 for part in x.split(2, 1)], 1),
        "chunk": lambda t, x: x.chunk(2, 2)[1],
        "unbind": lambda t, x: x.unbind(1)[2],
        "stack": lambda t, x: t.stack([x, 2 * x], 1),
        "iteration": lambda t, x: sum(row.sum() * n for n, row in enumerate(x)),
        "clone": lambda t, x: x.clone(),
        "to_float": lambda t, x: x.float().double(),
    }
    return [Case(name, call, ((2, 3, 4),)) for name, call in calls.items()]


def _products() -> list[Case]:
    shapes = {
        "matmul": ((2, 3), (3, 4)),
        "matmul_vector": ((3,), (3,)),
        "matmul_left_vector": ((3,), (3, 4)),
        "matmul_right_vector": ((2, 3), (3,)),
        "matmul_batch": ((2, 2, 3), (2, 3, 4)),
        "matmul_broadcast": ((2, 1, 2, 3), (2, 3, 4)),
        "matmul_batch_matrix": ((2, 2, 3), (3, 4)),
        "matmul_matrix_batch": ((2, 3), (2, 3, 4)),
        "matmul_batch_vector": ((2, 2, 3), (3,)),
        "matmul_vector_batch": ((3,), (2, 3, 4)),
    }
    cases = [Case(name, lambda t, x, y: x @ y, pair) for name, pair in shapes.items()]
    linear = lambda t, *xs: t.nn.functional.linear(*xs)  # noqa: E731 - one call, four cases
    return [
        *cases,
        Case("cat", lambda t, x, y: t.cat([x, y], 1), ((2, 3), (2, 1))),
        Case("linear", linear, ((4, 3), (2, 3), (2,))),
        Case("linear_unbiased", linear, ((4, 3), (2, 3))),
        Case("linear_vector", linear, ((3,), (2, 3), (2,))),
        Case("linear_deep", linear, ((2, 2, 3), (2, 3), (2,))),
    ]


def _losses() -> list[Case]:
    cases = []
    for reduction in ("mean", "sum", "none"):
        how = {"reduction": reduction}
        calls = {
            "mse_loss": lambda t, x, y, how=how: t.nn.functional.mse_loss(x, y, **how),
            "l1_loss": lambda t, x, y, how=how: t.nn.functional.l1_loss(x, y, **how),
        }
        cases += [Case(f"{n}_{reduction}", call, PAIR) for n, call in calls.items()]
        scores = {
            "nll_loss": lambda t, x, how=how: t.nn.functional.nll_loss(
                x, t.tensor(CLASSES), weight=t.tensor([1.0, 2.0, 0.5]).double(), **how
            ),
            "nll_ignored": lambda t, x, how=how: t.nn.functional.nll_loss(
                x, t.tensor(CLASSES), ignore_index=2, **how
            ),
            "cross_entropy": lambda t, x, how=how: t.nn.functional.cross_entropy(
                x, t.tensor(CLASSES), **how
            ),
            "cross_entropy_smooth": lambda t, x, how=how: t.nn.functional.cross_entropy(
                x,
                t.tensor(CLASSES),
                weight=t.tensor([1.0, 2.0, 0.5]).double(),
                ignore_index=1,
                label_smoothing=0.2,
                **how,
            ),
            "cross_entropy_soft": lambda t, x, how=how: t.nn.functional.cross_entropy(
                x, t.full((3, 3), 1 / 3).double(), label_smoothing=0.1, **how
            ),
        }
        cases += [Case(f"{n}_{reduction}", call, ((3, 3),)) for n, call in scores.items()]
        cases.append(
            Case(
                f"cross_entropy_pixels_{reduction}",
                lambda t, x, how=how: t.nn.functional.cross_entropy(
                    x, t.tensor([[0, 1], [2, 2]]), **how
                ),
                ((2, 3, 2),),
            )
        )
        cases.append(
            Case(
                f"bce_{reduction}",
                lambda t, x, how=how: t.nn.functional.binary_cross_entropy(
                    x, t.tensor(BINARY).double(), **how
                ),
                low=0.1,
                high=0.9,
            )
        )
        cases.append(
            Case(
                f"bce_logits_{reduction}",
                lambda t, x, how=how: t.nn.functional.binary_cross_entropy_with_logits(
                    x,
                    t.tensor(BINARY).double(),
                    weight=t.tensor([1.0, 2.0, 3.0]).double(),
                    pos_weight=t.tensor([0.5, 1.0, 4.0]).double(),
                    **how,
                ),
            )
        )
    return cases


CASES = [
    *_unary(),
    *_activations(),
    *_binary(),
    *_numbers(),
    *_reductions(),
    *_shapes(),
    *_products(),
    *_losses(),
    *LAYERS,
    *MATRICES,
    *PLACES,
]
BY_NAME = {case.name: case for case in CASES}
