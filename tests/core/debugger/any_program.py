"""Programs whose state is hard to restore: random draws, buffers, searches, sparse gradients."""

from __future__ import annotations

from tests.core.debugger.conftest import NETWORK, changed

LINEAR = {"kind": "Linear", "in_features": 3, "out_features": 1}
LOOP = NETWORK["loop"]
BCE = {"kind": "BCEWithLogitsLoss"}

WORDS = {
    "kind": "inline",
    "inputs": [[0, 1], [2, 1], [3, 0], [1, 4]],
    "targets": [[1.0], [0.0], [1.0], [0.0]],
    "batch_size": 2,
    "shuffle": True,
}

TRUNK = [
    {"kind": "Linear", "in_features": 2, "out_features": 3},
    {"kind": "BatchNorm1d", "num_features": 3},
    {"kind": "Tanh"},
]

PROGRAMS = {
    "dropout, shuffled, a scheduler": NETWORK,
    "two heads, two optimizers, float64": changed(
        NETWORK,
        dtype="float64",
        modules={"trunk": TRUNK, "head_a": [LINEAR], "head_b": [LINEAR]},
        losses={
            name: {"data": "a", "chain": ["trunk", f"head_{name}"], "criterion": BCE}
            for name in "ab"
        },
        optimizers={
            "all": {"kind": "SGD", "params": ["*.weight"], "lr": 0.1, "momentum": 0.9},
            "few": {"kind": "AdamW", "params": ["head_b.*", "*.bias"], "lr": 0.05},
        },
        schedulers={"plateau": {"kind": "ReduceLROnPlateau", "optimizer": "all", "patience": 0}},
        loop=[
            {"op": "zero_grad", "optimizer": "all"},
            {"op": "zero_grad", "optimizer": "few"},
            *[{"op": op, "loss": loss} for loss in "ab" for op in ("forward", "backward")],
            {"op": "clip_grad_norm", "max_norm": 0.5, "optimizer": "all"},
            {"op": "step", "optimizer": "all"},
            {"op": "step", "optimizer": "few", "every": 2},
            {"op": "scheduler_step", "scheduler": "plateau", "metric": "b"},
        ],
    ),
    "L-BFGS with a line search, float64": changed(
        NETWORK,
        dtype="float64",
        schedulers={},
        loop=None,
        optimizers={
            "optimizer": {
                "kind": "LBFGS",
                "params": ["model.*"],
                "lr": 0.5,
                "max_iter": 3,
                "history_size": 2,
                "line_search_fn": "strong_wolfe",
            }
        },
    ),
    "L-BFGS over batch norm": changed(
        NETWORK,
        schedulers={},
        loop=None,
        modules={"trunk": TRUNK, "head": [LINEAR]},
        losses={"loss": {"data": "a", "chain": ["trunk", "head"], "criterion": BCE}},
        optimizers={"optimizer": {"kind": "LBFGS", "params": ["*"], "lr": 0.1, "max_iter": 2}},
    ),
    "a sparse embedding": changed(
        NETWORK,
        data={"words": WORDS},
        schedulers={},
        modules={
            "table": [
                {"kind": "Embedding", "num_embeddings": 6, "embedding_dim": 3, "sparse": True},
                {"kind": "Flatten"},
            ],
            "head": [{"kind": "Linear", "in_features": 6, "out_features": 1}],
        },
        losses={"loss": {"data": "words", "chain": ["table", "head"], "criterion": BCE}},
        optimizers={
            "sparse": {"kind": "SparseAdam", "params": ["table.*"], "lr": 0.1},
            "adam": {"kind": "NAdam", "params": ["head.*"], "lr": 0.05},
        },
        loop=[
            {"op": "zero_grad", "optimizer": "sparse"},
            {"op": "zero_grad", "optimizer": "adam"},
            {"op": "forward"},
            {"op": "backward"},
            {"op": "step", "optimizer": "sparse"},
            {"op": "step", "optimizer": "adam"},
        ],
    ),
    "shared weights, a frozen tensor": {
        "gradstep": 1,
        "seed": 5,
        "dtype": "float64",
        "data": {"wave": {"kind": "sine", "samples": 12, "batch_size": 5, "shuffle": True}},
        "modules": {
            "enter": [{"kind": "Linear", "in_features": 1, "out_features": 3}],
            "cell": [{"kind": "Linear", "in_features": 3, "out_features": 3}, {"kind": "Tanh"}],
            "leave": [LINEAR],
        },
        "tensors": {"bias": {"value": [0.5], "requires_grad": False}},
        "losses": {
            "loss": {
                "data": "wave",
                "chain": ["enter", "cell", "cell", "leave"],
                "criterion": {"kind": "MSELoss"},
            },
            "norm": {"expression": "sum(bias * bias)"},
        },
        "optimizers": {
            "optimizer": {"kind": "Rprop", "params": ["enter.*", "leave.*", "bias"], "lr": 0.01},
            "muon": {"kind": "Muon", "params": ["cell.0.weight"], "lr": 0.02},
        },
        "loop": [
            {"op": "zero_grad"},
            {"op": "zero_grad", "optimizer": "muon"},
            {"op": "forward"},
            {"op": "backward"},
            {"op": "step"},
            {"op": "step", "optimizer": "muon"},
        ],
    },
}
