"""Random programs, and random sequences of Operations by hand, for the property of the facts."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from gradstep.debugger import Debugger
from gradstep.program.document.codec import decode
from gradstep.program.operation import (
    AddLoss,
    Backward,
    ClipGradNorm,
    ClipGradValue,
    Forward,
    Freeze,
    LoadState,
    RebuildModule,
    ReplaceOptimizer,
    SchedulerStep,
    SetHyperparameter,
    SetMode,
    SetValue,
    Step,
    ZeroGrad,
)
from tests.core.diagnostics.naive_checker import Recording, moment

PARTS = ("modules", "optimizers", "schedulers", "generator", "data_order")

KINDS = [
    {"kind": "SGD", "lr": 0.1},
    {"kind": "SGD", "lr": 0.0},
    {"kind": "SGD", "lr": 0.1, "momentum": 0.9},
    {"kind": "SGD", "lr": 0.1, "weight_decay": 0.1},
    {"kind": "Adam", "lr": 0.01},
    {"kind": "AdamW", "lr": 0.01},
    {"kind": "RMSprop", "lr": 0.01},
    {"kind": "Adagrad", "lr": 0.1},
]

LOOPS = [
    ["zero_grad", "forward", "backward", "step"],
    ["zero_grad", "forward", "backward", "step"],
    ["forward", "backward", "step", "zero_grad"],
    ["forward", "backward", "step"],
    ["forward", "backward", "zero_grad"],
    ["zero_grad", "forward", "step"],
    ["step", "zero_grad", "forward", "backward"],
]

MEAN = "mean(output ** 2)"
FREE = [
    ("x", "sum(x * x)"),
    ("xy", "sum(x * y)"),
    ("y", "sum(relu(y - 1))"),
    ("x", "sum(1e20 * x)"),
]

MIDDLE = [
    {"kind": "Tanh"},
    {"kind": "Dropout", "p": 0.5},
    {"kind": "Dropout", "p": 0.0},
    {"kind": "BatchNorm1d", "num_features": 2},
]

CHANCE = st.integers(0, 3).map(lambda number: number == 0)


def linear(outputs):
    return {"kind": "Linear", "in_features": 2, "out_features": outputs}


@st.composite
def documents(draw):
    """Draw a document, and what the checker needs to know of it.

    Returns:
        The document; and the divisor of each loss that is a mean over its batch, the number of rows
        of each data set to train on, and the losses whose criterion broadcasts.
    """
    parts = {"data": {}, "modules": {}, "tensors": {"total": {"value": 0.0}}, "losses": {}}
    notes = {"divisors": {}, "training_rows": {}, "broadcasts": ()}
    if draw(st.booleans()):
        parts, notes = draw(networks(parts))
    if not parts["modules"] or draw(CHANCE):
        parts = draw(with_free_tensors(parts))
    document = {
        "gradstep": 1,
        "seed": draw(st.integers(0, 3)),
        "intent": draw(st.sampled_from([[], [], [], ["gradient_accumulation"], ["adversarial"]])),
        **parts,
        "optimizers": draw(optimizers(parts)),
        "schedulers": {},
    }
    if draw(CHANCE):
        decay = {"kind": "StepLR", "optimizer": "one", "step_size": draw(st.integers(1, 2))}
        document["schedulers"]["decay"] = decay
    document["loop"] = draw(loops([name for name in parts["losses"] if name != "held"]))
    return document, notes


@st.composite
def networks(draw, parts):
    """Draw modules on a data set, and their losses."""
    is_held_out = draw(CHANCE)
    rows = 8 if is_held_out else draw(st.sampled_from([6, 8]))
    broadcasts = draw(CHANCE)
    data = {
        "kind": "inline",
        "inputs": [[0.5 * row, 1.0 - row] for row in range(rows)],
        "targets": [0.1 * row if broadcasts else [0.1 * row] for row in range(rows)],
        "batch_size": 3,
        "shuffle": draw(CHANCE),
        "drop_last": draw(CHANCE),
        **({"validation": 0.25} if is_held_out else {}),
    }
    modules = {"trunk": [linear(2), draw(st.sampled_from(MIDDLE))], "head": [linear(1)]}
    if draw(CHANCE):
        modules["other"] = [linear(1)]
    whole = {"data": "a", "chain": ["trunk", "head"], "criterion": {"kind": "MSELoss"}}
    losses, divisors = {"a": whole}, {"a": 1.0}
    if draw(st.booleans()):
        divisor = draw(st.sampled_from([1, 2]))
        expression = MEAN if divisor == 1 else f"{MEAN} / {divisor}"
        losses["b"] = {"data": "a", "chain": ["trunk"], "expression": expression}
        divisors["b"] = float(divisor)
    if is_held_out:
        losses["held"] = {**whole, "rows": "validation"}
        divisors["held"] = 1.0
    training = {"a": rows - 2 if is_held_out else rows}
    wide = tuple(name for name in losses if name != "b") if broadcasts else ()
    notes = {"divisors": divisors, "training_rows": training, "broadcasts": wide}
    return {**parts, "data": {"a": data}, "modules": modules, "losses": losses}, notes


@st.composite
def with_free_tensors(draw, parts):
    """Draw free tensors with losses of their own, besides what there is."""
    names = draw(st.lists(st.sampled_from(["x", "y"]), min_size=1, unique=True))
    tensors = {name: {"value": [1.0, 2.0], "requires_grad": True} for name in names}
    possible = [formula for used, formula in FREE if set(used) <= set(names)]
    formulas = draw(st.lists(st.sampled_from(possible), min_size=1, max_size=2, unique=True))
    losses = {f"free{at}": {"expression": formula} for at, formula in enumerate(formulas)}
    return {
        **parts,
        "tensors": {**parts["tensors"], **tensors},
        "losses": {**parts["losses"], **losses},
    }


@st.composite
def optimizers(draw, parts):
    """Draw one or two optimizers; they may share tensors, and leave some out."""
    patterns = [f"{name}.*" for name in parts["modules"]]
    patterns += [name for name in parts["tensors"] if name != "total"]
    some = st.lists(st.sampled_from(patterns), min_size=1, unique=True)
    return {
        name: {**draw(st.sampled_from(KINDS)), "params": draw(st.just(patterns) | some)}
        for name in ("one", "two")[: draw(st.integers(1, 2))]
    }


@st.composite
def loops(draw, losses):
    """Draw the lines of a loop; some are wrong."""
    loss, every = draw(st.sampled_from(losses)), draw(st.sampled_from([1, 1, 1, 2]))
    lines = []
    for kind in draw(st.sampled_from(LOOPS)):
        if kind in {"forward", "backward"}:
            lines.append({"op": kind, "loss": loss})
        else:
            lines.append({"op": kind, "optimizer": "one", "every": every})
    return lines


def operations(document, names):
    """Return a strategy for Operations by hand; None stands for the next one of the loop."""
    losses = st.sampled_from(list(document["losses"]))
    holders = st.sampled_from(list(document["optimizers"]))
    modules, tensors, flags = list(document["modules"]), st.sampled_from(names), st.booleans()
    limits, batches = st.sampled_from([0.01, 1e9]), st.sampled_from(["next", "next", "held"])
    writes = st.builds(SetValue, tensors, st.sampled_from([1.0, 2.0]), through_data=flags)
    parts = st.lists(st.sampled_from(PARTS), min_size=1, unique=True).map(tuple)
    loads = st.builds(LoadState, st.integers(0, 20), st.just(PARTS) | parts)
    rates = st.sampled_from([0.0, 0.1, 0.1, 1e30])
    kinds = [
        *[st.none()] * 12,
        st.builds(ZeroGrad, holders, set_to_none=st.just(value=False)),
        st.builds(ZeroGrad, holders),
        *[st.builds(Forward, losses, batches)] * 2,
        *[st.builds(Backward, losses, retain_graph=flags)] * 2,
        *[st.builds(Step, holders)] * 2,
        *[st.builds(Freeze, tensors | st.just("*"), frozen=flags)] * 2,
        st.builds(SetHyperparameter, st.just("lr"), rates, holders),
        *[writes] * 2,
        st.builds(ClipGradNorm, limits, holders),
        st.builds(ClipGradValue, limits, holders),
        st.builds(AddLoss, losses, st.just("total"), item=CHANCE),
        st.builds(ReplaceOptimizer, st.sampled_from(["SGD", "Adam"]), holders, rebind=flags),
        *[loads] * 2,
    ]
    if document["schedulers"]:
        kinds.append(st.builds(SchedulerStep, st.just("decay")))
    if modules:
        names = st.sampled_from([None, *modules])
        kinds += [st.builds(SetMode, training=flags, module=names)] * 2
        kinds.append(st.builds(RebuildModule, st.sampled_from(modules)))
    return st.sampled_from(kinds).flatmap(lambda kind: kind)  # one_of drops duplicates


@st.composite
def recordings(draw, most=20):
    """Draw a program and Operations, apply them, and return the Debugger and the Recording."""
    document, notes = draw(documents())
    spec = decode(json.dumps(document).encode())
    debugger = Debugger(spec)
    recording = Recording({**document, **notes}, spec)
    recording.moments.append(moment(debugger))
    names = [name for name in debugger.program.tensors if name != "total"]
    by_hand, rebuilt = operations(document, names), set()
    left: tuple[list, list] = [], []
    for _ in range(draw(st.integers(1, most))):
        if draw(st.integers(0, 30)) == 30:  # leave the recorded past on a new branch
            event = draw(st.integers(0, len(recording.events)))
            debugger.seek(event)
            left = recording.events[event:], recording.moments[event + 1 :]
            del recording.events[event:], recording.moments[event + 1 :]
        operation = draw(by_hand) or debugger.program.next_operation
        if isinstance(operation, RebuildModule):
            if operation.module in rebuilt:  # two old generations would share their names
                continue
            rebuilt.add(operation.module)
        applied = debugger.apply(operation)
        if applied.index > len(recording.events) + 1:  # only failed Operations followed: no past
            recording.events += left[0]
            recording.moments += left[1]
        recording.events.append(applied)
        recording.moments.append(moment(debugger))
    return debugger, recording
