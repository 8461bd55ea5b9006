"""Frames as an agent sends them, for scripts that were never run."""

from __future__ import annotations

import json

import numpy as np

from gradstep.script.frame_reader import FrameReader
from gradstep.script.frames import ROW
from gradstep.script.tape import ScriptRun, Tape
from gradstep.script.tape_writer import TapeWriter

NAN = float("nan")


def take(stream):
    """Write a whole stream to a tape, as the recording process does."""
    writer, reader = TapeWriter(Tape(ScriptRun("train.py"))), FrameReader()
    for found in reader.feed(bytes(stream)):
        writer.take(*found)
    writer.finish()
    return writer.tape


def frame(header, body=b""):
    """Return the bytes of one frame."""
    text = json.dumps(header).encode()
    return len(text).to_bytes(4, "little") + len(body).to_bytes(4, "little") + text + body


class Sent:
    """Collects the frames of a script, call by call."""

    def __init__(self, level="full"):
        self.stream = bytearray(frame({"type": "hello", "protocol": 1, "pid": 7, "python": "3.11"}))
        torch = {"type": "torch", "name": "torch", "version": "2.13.0"}
        self.stream += frame({**torch, "level": level})
        self.count = 0
        self.iteration = self.epoch = 0
        self._places = {}

    def tensor(self, name, value, *, buffer=False, trained=True):
        array = np.asarray(value, np.float32)
        self.stream += frame(
            {
                "type": "tensor",
                "name": name,
                "buffer": buffer,
                "leaf": True,
                "requires_grad": trained,
                "arrays": [[name, "float32", list(array.shape)]],
            },
            array.tobytes(),
        )

    def optimizer(self, name, kind, params, *, module="torch.optim", new=False, **options):
        groups = [{"params": params, "options": options}]
        header = {"type": "optimizer", "name": name, "kind": kind, "module": module, "new": new}
        self.stream += frame({**header, "groups": groups})

    def module(self, name, *rows):
        tree = [list(row) for row in rows]
        self.stream += frame({"type": "module", "name": name, "kind": tree[0][1], "tree": tree})

    def graph(self, loss, *nodes, **more):
        header = {"type": "graph", "loss": loss, "nodes": [list(node) for node in nodes]}
        self.stream += frame({**header, **more})

    def source(self, file, text):
        header = {"type": "source", "file": file, "sha256": "0" * 64, "size": len(text)}
        self.stream += frame(header, text.encode())

    def event(
        self,
        kind,
        target,
        line,
        written=None,
        *,
        depth=0,
        loss=NAN,
        detail=None,
        error=None,
        file="/home/ada/train.py",
        norms=None,
    ):
        """Add an Event that wrote these values by address; None for a gradient that is gone.

        Of a Step, `norms` are those of each tensor's values, gradient and move.
        """
        norms = norms or {}
        written = written or {}
        arrays = {key: np.asarray(v, np.float32) for key, v in written.items() if v is not None}
        layouts = [[key, "float32", list(value.shape)] for key, value in arrays.items()]
        place = {
            "kind": kind,
            "target": target,
            "file": file,
            "line": line,
            "detail": detail or {},
            "arrays": layouts,
            "cleared": [key for key, value in written.items() if value is None],
            "norms": list(norms),
        }
        key = json.dumps(place)
        if key not in self._places:
            self._places[key] = len(self._places)
            self.stream += frame({"type": "place", "id": self._places[key], **place})
        self.count += 1
        row = np.array(
            [(self.count, self._places[key], depth, self.iteration, self.epoch, loss, 0.001)], ROW
        ).tobytes()
        body = row + b"".join(value.tobytes() for value in arrays.values())
        body += np.array(list(norms.values()), np.float64).T.tobytes()
        self.stream += frame({"type": "rows", "count": 1}, body)
        if error:
            self.stream += frame({"type": "error", "event": self.count, "message": error})

    def bye(self, status=0, error="", traceback="", *, incomplete=False):
        header = {"type": "bye", "status": status, "error": error, "events": self.count}
        header |= {"traceback": traceback} if traceback else {}
        iterations = self.iteration + (not incomplete)
        self.stream += frame({**header, "iterations": iterations, "spent": 0.01})


SQUARES = (
    (0, "SumBackward0", [1], ""),
    (1, "PowBackward0", [2], ""),
    (2, "torch::autograd::AccumulateGrad", [], "w"),
)


def descent(iterations=3, *, clears=True, lr=0.25, momentum=0.0, ends=True):
    """Return what gradient descent on the sum of w**2 sends, from w = [1, 2], with its values."""
    sent, w = Sent(), np.array([1, 2], np.float32)
    buffer = grad = None
    sent.tensor("w", w)
    sent.optimizer("optimizer", "SGD", ["w"], lr=lr, momentum=momentum)
    sent.source("/home/ada/train.py", "import torch\n\nw = ...\nfor i in range(3):\n    ...\n")
    for iteration in range(iterations):
        sent.iteration = iteration
        if clears:
            sent.event("zero_grad", "optimizer", 5, {} if grad is None else {"w.grad": None})
            grad = None
        if not iteration:
            sent.graph("loss", *SQUARES)
        grad = 2 * w if grad is None else grad + 2 * w
        sent.event("backward", "loss", 7, {"w.grad": grad}, loss=float((w**2).sum()))
        written = {}
        if momentum:
            buffer = grad if buffer is None else momentum * buffer + grad
            written = {"optimizer/w/momentum_buffer": buffer}
        w = w - np.float32(lr) * (buffer if momentum else grad)
        sent.event("step", "optimizer", 8, {"w": w, **written})
    if ends:
        sent.bye()
    return sent


def every_kind_of_frame():
    """Return three iterations of a model with a schedule, clipping, errors and changes by hand."""
    sent = Sent()
    w, b = np.array([[1, 2], [0.5, -1]], np.float32), np.array([0.1, 0.2], np.float32)
    names = ["model.0.weight", "model.0.bias"]
    sent.tensor(names[0], w)
    sent.tensor(names[1], b)
    sent.tensor("model.1.running_mean", [0.0], buffer=True, trained=False)
    sent.module("model", ["", "Sequential", "", True], ["0", "Linear", "in_features=2", True])
    options = {"lr": 0.1, "betas": [0.9, 0.999], "eps": 1e-8, "weight_decay": 0}
    sent.optimizer("optimizer", "Adam", names, **options)
    sent.source("/home/ada/train.py", "import torch\n" * 12)
    call = {"training": True, "grad": True}
    for iteration in range(3):
        sent.iteration = iteration
        cleared = {f"{name}.grad": None for name in names} if iteration else {}
        sent.event("zero_grad", "optimizer", 4, cleared)
        sent.event("forward", "model", 5, {"model.1.running_mean": [0.5]}, detail=call)
        sent.event("forward", "criterion", 5, detail=call)
        if not iteration:
            leaf = "torch::autograd::AccumulateGrad"
            nodes = ((0, "MseLoss", [1], ""), (1, "Addmm", [2, 3], ""))
            leaves = ((2, leaf, [], names[0]), (3, leaf, [], names[1]))
            sent.graph("loss", *nodes, *leaves, broadcast="from [8, 1] to [8, 8]")
        written = {f"{names[0]}.grad": 2 * w, f"{names[1]}.grad": 2 * b}
        sent.event("backward", "loss", 6, written, loss=1 / (iteration + 1))
        sent.event("clip_grad_norm", "", 7, written, detail={"limit": 1.0})
        w, b, state = w - np.float32(0.1), b - np.float32(0.1), {}
        for name, value in zip(names, (w, b), strict=True):
            state[f"optimizer/{name}/step"] = iteration + 1
            state[f"optimizer/{name}/exp_avg"] = 0.1 * value
            state[f"optimizer/{name}/exp_avg_sq"] = 0.01 * value**2
        sent.event("step", "optimizer", 8, {names[0]: w, names[1]: b, **state})
        detail = {"scheduler": "StepLR", "optimizer": "optimizer"}
        sent.event("scheduler_step", "scheduler", 9, detail=detail)
        sent.optimizer("optimizer", "Adam", names, **{**options, "lr": 0.05 / (iteration + 1)})
    sent.event("update_by_hand", "", 11, {names[1]: b + 1}, detail={"changed": [names[1]]})
    sent.event("backward", "loss", 6, loss=NAN, error="RuntimeError: backward a second time")
    sent.stream += frame({"type": "interval", "iterations": 2})
    sent.event("forward", "model", 5, depth=1)
    sent.event("step", "optimizer", 12)
    sent.bye(1, "ValueError: wrong")
    return sent
