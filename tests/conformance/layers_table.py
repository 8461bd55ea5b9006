"""The part of the table that layers are made of: convolution, pooling, normalization ..."""

from __future__ import annotations

import re
from typing import Any

from tests.conformance.case import Case


def _functional(name: str, *args: Any, **options: Any) -> Any:
    """Return a call of nn.functional on the tensors of a case."""
    return lambda t, *xs: getattr(t.nn.functional, name)(*xs, *args, **options)


def _function(name: str) -> str:
    """Return the name up to its number of dimensions: max_pool2d of max_pool2d_ceil."""
    return re.match(r".*?\dd", name).group()


def _convolutions() -> list[Case]:
    cases = {
        "conv1d": (((2, 2, 5), (3, 2, 3), (3,)), {"padding": 1}),
        "conv1d_strided": (((1, 2, 7), (2, 1, 2), (2,)), {"stride": 2, "dilation": 2, "groups": 2}),
        "conv1d_same": (((2, 5), (3, 2, 3)), {"padding": "same", "dilation": 2}),
        "conv2d": (((2, 2, 4, 3), (2, 2, 2, 3), (2,)), {"padding": (1, 0)}),
        "conv2d_unbatched": (((1, 4, 4), (2, 1, 2, 2)), {"stride": (2, 1), "dilation": (1, 2)}),
        "conv2d_depthwise": (((1, 2, 3, 3), (4, 1, 2, 2), (4,)), {"groups": 2}),
        "conv3d": (((1, 1, 2, 3, 2), (2, 1, 2, 2, 1), (2,)), {"padding": (0, 1, 0)}),
        "conv_transpose1d": (((2, 2, 3), (2, 1, 2), (2,)), {"stride": 2, "groups": 2}),
        "conv_transpose2d": (
            ((1, 2, 3, 2), (2, 2, 2, 3), (2,)),
            {"stride": 2, "padding": 1, "output_padding": (1, 0)},
        ),
        "conv_transpose3d": (((1, 1, 2, 2, 1), (1, 2, 2, 1, 2)), {"dilation": (1, 1, 2)}),
    }
    return [
        Case(name, _functional(_function(name), **how), shapes)
        for name, (shapes, how) in cases.items()
    ]


def _pools() -> list[Case]:
    cases: dict[str, tuple[tuple[int, ...], tuple[Any, ...], dict[str, Any]]] = {
        "max_pool1d": ((2, 2, 7), (3,), {"stride": 2, "padding": 1}),
        "max_pool2d": ((2, 2, 4, 5), (2,), {}),
        "max_pool2d_ceil": ((2, 5, 6), ((3, 2),), {"stride": 2, "padding": 1, "ceil_mode": True}),
        "max_pool2d_dilated": ((1, 2, 5, 6), (2,), {"stride": (1, 2), "dilation": (2, 3)}),
        "max_pool3d": ((1, 2, 2, 4, 3), (2,), {}),
        "avg_pool1d": ((2, 2, 7), (3,), {"stride": 2, "padding": 1}),
        "avg_pool2d": ((2, 2, 4, 5), (2,), {}),
        "avg_pool2d_ceil": ((2, 5, 6), ((3, 2),), {"stride": 2, "padding": 1, "ceil_mode": True}),
        "avg_pool2d_inside": ((2, 5, 6), (3,), {"padding": 1, "count_include_pad": False}),
        "avg_pool2d_divisor": ((2, 5, 6), (3,), {"divisor_override": 2}),
        "avg_pool3d": ((1, 2, 2, 4, 3), (2,), {}),
        "adaptive_avg_pool1d": ((2, 2, 7), (3,), {}),
        "adaptive_avg_pool2d": ((2, 2, 4, 5), ((3, None),), {}),
        "adaptive_avg_pool2d_more": ((2, 2, 3), (5,), {}),
        "adaptive_avg_pool3d": ((2, 2, 4, 3), (2,), {}),
    }
    return [
        Case(name, _functional(_function(name), *args, **how), (shape,))
        for name, (shape, args, how) in cases.items()
    ]


def _padding() -> list[Case]:
    pads = {
        "pad": ((1, 2), {"value": 0.5}),
        "pad_cut": ((-1, 1, 2, -1), {}),
        "pad_reflect": ((2, 1), {"mode": "reflect"}),
        "pad_replicate": ((2, 1), {"mode": "replicate"}),
        "pad_circular": ((2, 4), {"mode": "circular"}),
    }
    return [
        Case(name, _functional("pad", sides, **how), ((2, 3, 4),))
        for name, (sides, how) in pads.items()
    ]


def _norms() -> list[Case]:
    rows, image = (4, 3), (2, 3, 2, 2)
    running = lambda t: (t.tensor([0.5, 0, 1]).double(), t.tensor([1, 2, 0.5]).double())  # noqa: E731 - one call, two cases
    calls = {
        "batch_norm": (
            lambda t, x, w, b: t.nn.functional.batch_norm(x, None, None, w, b, training=True),
            (rows, (3,), (3,)),
        ),
        "batch_norm_image": (
            lambda t, x: t.nn.functional.batch_norm(x, None, None, training=True, eps=0.1),
            (image,),
        ),
        "batch_norm_fixed": (
            lambda t, x, w, b: t.nn.functional.batch_norm(x, *running(t), w, b),
            (image, (3,), (3,)),
        ),
        "batch_norm_unbiased": (
            lambda t, x, w: t.nn.functional.batch_norm(x, *running(t), w),
            (rows, (3,)),
        ),
        "layer_norm": (_functional("layer_norm", (3,)), (rows,)),
        "layer_norm_affine": (
            lambda t, x, w, b: t.nn.functional.layer_norm(x, (2, 3), w, b),
            ((2, 2, 3), (2, 3), (2, 3)),
        ),
        "layer_norm_shifted": (
            lambda t, x, b: t.nn.functional.layer_norm(x, (1, 3), None, b),
            ((2, 1, 3), (1, 3)),
        ),
        "group_norm": (
            lambda t, x, w, b: t.nn.functional.group_norm(x, 2, w, b),
            ((2, 4, 3), (4,), (4,)),
        ),
        "normalize": (_functional("normalize"), (rows,)),
        "normalize_1": (_functional("normalize", 1.0, 0), (rows,)),
        "cosine_similarity": (_functional("cosine_similarity"), (rows, rows)),
        "pairwise_distance": (_functional("pairwise_distance", keepdim=True), (rows, rows)),
        "embedding": (
            lambda t, w: t.nn.functional.embedding(t.tensor([[0, 2], [2, 1]]), w),
            (rows,),
        ),
    }
    return [Case(name, call, shapes) for name, (call, shapes) in calls.items()]


def _activations() -> list[Case]:
    calls: dict[str, tuple[Any, ...]] = {
        "relu6": (),
        "hardtanh": (-1.5, 0.5),
        "threshold": (0.3, -1.0),
        "selu": (),
        "celu": (0.5,),
        "mish": (),
        "logsigmoid": (),
        "hardswish": (),
        "hardshrink": (0.7,),
        "softshrink": (0.7,),
        "softsign": (),
        "tanhshrink": (),
        "softmin": (1,),
        "glu": (0,),
    }
    wide = [Case(n, _functional(n, *args), ((4, 3),), -4, 7) for n, args in calls.items()]
    return [
        *wide,
        Case("hardsigmoid", _functional("hardsigmoid"), ((4, 3),), -4, 7),
        Case("prelu", _functional("prelu"), ((2, 3), (1,))),
        Case("prelu_channels", _functional("prelu"), ((2, 3, 2), (3,))),
    ]


def _sign(t: Any) -> Any:
    return t.tensor([1, -1, 1]).double()


def _losses() -> list[Case]:
    one, two, three = ((2, 3),), ((2, 3),) * 2, ((3, 4),) * 3
    calls: dict[str, tuple[Any, tuple[tuple[int, ...], ...], float, float]] = {
        "smooth_l1_loss": (_functional("smooth_l1_loss", beta=0.7), two, -2, 2),
        "huber_loss": (_functional("huber_loss", delta=0.7), two, -2, 2),
        "kl_div_batchmean": (_functional("kl_div", reduction="batchmean"), two, 0.1, 1),
        "kl_div_log": (_functional("kl_div", log_target=True, reduction="sum"), two, -2, 0),
        "poisson_nll_loss": (_functional("poisson_nll_loss", full=True), two, 0.5, 3),
        "poisson_nll_rate": (_functional("poisson_nll_loss", log_input=False), two, 0.5, 3),
        "gaussian_nll_loss": (_functional("gaussian_nll_loss", full=True), ((2, 3),) * 3, 0.1, 2),
        "gaussian_nll_shared": (
            lambda t, x, y, v: t.nn.functional.gaussian_nll_loss(x, y, v, eps=1.0),
            ((2, 3), (2, 3), (2,)),
            0.2,
            2,
        ),
        "hinge_embedding_loss": (
            lambda t, x: t.nn.functional.hinge_embedding_loss(x, _sign(t), margin=0.5),
            one,
            -2,
            2,
        ),
        "soft_margin_loss": (
            lambda t, x: t.nn.functional.soft_margin_loss(x, _sign(t), reduction="none"),
            one,
            -2,
            2,
        ),
        "margin_ranking_loss": (
            lambda t, x, y: t.nn.functional.margin_ranking_loss(x, y, _sign(t), 0.5),
            ((3,), (3,)),
            -2,
            2,
        ),
        "cosine_embedding_loss": (
            lambda t, x, y: t.nn.functional.cosine_embedding_loss(
                x, y, _sign(t), margin=-0.5, reduction="none"
            ),
            three[:2],
            -2,
            2,
        ),
        "triplet_margin_loss": (_functional("triplet_margin_loss"), three, -2, 2),
        "triplet_margin_swap": (
            _functional("triplet_margin_loss", margin=3.0, p=1.0, swap=True, reduction="sum"),
            three,
            -2,
            2,
        ),
    }
    cases = [
        Case(name, call, shapes, low, high) for name, (call, shapes, low, high) in calls.items()
    ]
    for reduction in ("sum", "none"):
        for name in ("smooth_l1_loss", "huber_loss"):
            cases.append(Case(f"{name}_{reduction}", _functional(name, reduction=reduction), two))
    return cases


LAYERS = [
    *_convolutions(),
    *_pools(),
    *_padding(),
    *_norms(),
    *_activations(),
    *_losses(),
]
