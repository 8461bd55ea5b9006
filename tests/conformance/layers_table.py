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


LAYERS = [*_convolutions(), *_pools(), *_padding()]
