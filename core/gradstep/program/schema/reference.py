"""The reference of program documents: every kind, with its fields and their defaults."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from gradstep.program.operation import EditLoop, ExecutableOperation, LoadState, ScriptCall
from gradstep.program.schema.criteria import Criterion
from gradstep.program.schema.data_sets import Data
from gradstep.program.schema.initializers import INITIALIZERS
from gradstep.program.schema.layers.basic import Layer
from gradstep.program.schema.optimizers import OPTIMIZERS, SCHEDULERS, constructor_options

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["DocumentKind", "kinds", "snippet", "tables"]

_METRICS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "accuracy": (
        "The share of rows whose largest output is that of the right class.",
        {"expression": "mean(argmax(output, 1) == target)", "mode": "eval"},
    ),
    "mean_absolute_error": (
        "The mean distance of the outputs from the targets.",
        {"expression": "mean(abs(output - target))", "mode": "eval"},
    ),
}
"""Formulas of common metrics: a description, and the fields beside `data` and `chain`."""
_EVERY: Mapping[str, tuple[str, dict[str, Any]]] = {
    "every_number": ("In iterations 3, 6, 9 and so on.", {"every": 3}),
    "every_number_offset": (
        "In iterations 1, 4, 7 and so on.",
        {"every": 3, "offset": 1},
    ),
    "every_epoch": ("In iterations that complete an epoch of the data.", {"every": "epoch"}),
    "every_number_epoch": (
        "After every fourth batch of an epoch, and after its last.",
        {"every": [4, "epoch"]},
    ),
    "enabled": ("Not at all: the line is switched off.", {"enabled": False}),
}
"""The iterations in which a line of `loop` runs: a description, and the fields beside `op`."""
_SECTIONS: tuple[tuple[str, str, Any], ...] = (
    ("data", "Data sets: a value of `data`", Data),
    ("modules", "Layers: a member of a list in `modules`", Layer),
    ("init", "Initial values: a value of `init`, by a pattern of names", INITIALIZERS),
    ("metrics", "Metrics: examples of values of `metrics`, each with its name", _METRICS),
    ("criterion", "Criteria: the `criterion` of a loss", Criterion),
    ("optimizers", "Optimizers: a value of `optimizers`, beside `params`", OPTIMIZERS),
    ("schedulers", "Schedulers: a value of `schedulers`, beside `optimizer`", SCHEDULERS),
    ("loop", "Operations: the `op` of a line of `loop`", ExecutableOperation),
    ("every", "When a line of `loop` runs: its fields beside `op`", _EVERY),
)
_NOT_IN_DOCUMENTS = (LoadState, EditLoop, ScriptCall)
"""Operations that name an Event, change the loop or were done by a script: no loop has them."""

_SHARED = {"batch_size", "shuffle", "drop_last", "standardize", "limit", "validation", "seed"}
_EXAMPLES: dict[str, Any] = {
    "path": "points.csv",
    "unflattened_size": [1, 1],
    "milestones": [30, 60],
    "lr_lambda": "0.95 ** epoch",
    "schedulers": ["warmup", "decay"],
    "base_lr": 0.001,
    "max_lr": 0.1,
    "gamma": 0.95,
    "T_max": 100,
    "T_0": 10,
    "step_size": 30,
    "name": "optimizer.lr",
    "value": 0.01,
    "pattern": "model.*",
    "training": False,
    "module": "model",
    "data": "points",
    "size": 10,
    "tensor": "model.0.weight",
}
"""Example values of required fields; 1 for all others."""
_EXTRA_FIELDS: dict[tuple[str, str], dict[str, Any]] = {
    ("data", "inline"): {"inputs": [[0.0], [1.0]], "targets": [[0.0], [1.0]]},
    ("data", "csv"): {"inputs": ["u"], "target": "y"},
    ("data", "npy"): {"inputs": "inputs.npy", "targets": "targets.npy"},
    ("loop", "set_value"): {"index": [0, 0]},
    ("schedulers", "SequentialLR"): {"milestones": [5]},
    ("loop", "replace_optimizer"): {"kind": "Adam"},
}
"""Optional fields that an example of a kind also needs."""
_REQUIRED_FIELDS: dict[str, dict[str, Any]] = {
    "optimizers": {"params": ["model.*"]},
    "schedulers": {"optimizer": "optimizer"},
}
_NAMED = {
    "data": "points",
    "init": "model.*.weight",
    "optimizers": "optimizer",
    "schedulers": "scheduler",
}
_TORCH_ONLY = {"foreach", "capturable", "differentiable", "fused", "last_epoch"}


@dataclass(frozen=True, slots=True)
class DocumentKind:
    """One kind of entry in a document.

    Attributes:
        section: The section of the document that it belongs to.
        name: The value of `kind`, or of `op` in a loop.
        summary: A description of one sentence.
        fields: Its fields with their defaults as JSON; None for a required field.
    """

    section: str
    name: str
    summary: str
    fields: Mapping[str, str | None]


def kinds() -> tuple[DocumentKind, ...]:
    """Return every kind, section by section.

    Example:
        >>> linear = next(kind for kind in kinds() if kind.name == "Linear")
        >>> linear.section, dict(linear.fields)
        ('modules', {'in_features': None, 'out_features': None, 'bias': 'true'})
    """
    return tuple(
        kind for section, _, known in _SECTIONS for kind in _kinds_of_section(section, known)
    )


def snippet(kind: DocumentKind) -> str:
    """Return an example entry of a kind, as a starting point.

    Example:
        >>> print(snippet(next(kind for kind in kinds() if kind.name == "Linear")))
        {"kind": "Linear", "in_features": 1, "out_features": 1}
        >>> print(snippet(next(kind for kind in kinds() if kind.name == "SGD")))
        "optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.001}
    """
    if kind.section == "metrics":
        metric = {"data": "points", "chain": ["model"], **_METRICS[kind.name][1]}
        return f'"{kind.name}": {json.dumps(metric)}'
    if kind.section == "every":
        return json.dumps({"op": "step", **_EVERY[kind.name][1]})
    given = {
        name: _EXAMPLES.get(name, 1)
        for name, default in kind.fields.items()
        if default is None or name == "lr"
    }
    if "lr" in given:
        given["lr"] = json.loads(kind.fields["lr"] or "0.1")
    entry = {
        "op" if kind.section == "loop" else "kind": kind.name,
        **_REQUIRED_FIELDS.get(kind.section, {}),
        **given,
        **_EXTRA_FIELDS.get((kind.section, kind.name), {}),
    }
    name = _NAMED.get(kind.section)
    return f'"{name}": {json.dumps(entry)}' if name else json.dumps(entry)


def tables() -> str:
    """Return all kinds as Markdown, one table per section.

    Example:
        >>> print(tables().splitlines()[0])
        ## Data sets: a value of `data`
    """
    parts = []
    for section, title, known in _SECTIONS:
        rows = [
            "| `{}` | {} | {} |".format(kind.name, _fields(kind), kind.summary.replace("|", r"\|"))
            for kind in _kinds_of_section(section, known)
        ]
        parts.append("\n".join([f"## {title}", "", "| kind | fields | |", "|---|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def _kinds_of_section(section: str, known: Any) -> list[DocumentKind]:  # noqa: ANN401 - classes by name, or a union
    if section in {"metrics", "every"}:
        return [
            DocumentKind(
                section,
                name,
                summary,
                {field: json.dumps(value) for field, value in fields.items()},
            )
            for name, (summary, fields) in known.items()
        ]
    if isinstance(known, Mapping):
        return [
            DocumentKind(section, name, _summary(cls), _options(cls))
            for name, cls in sorted(known.items())
        ]
    return [
        DocumentKind(section, str(cls.__struct_config__.tag), _summary(cls), _struct_fields(cls))
        for cls in get_args(known)
        if cls not in _NOT_IN_DOCUMENTS
    ]


def _struct_fields(cls: type[msgspec.Struct]) -> dict[str, str | None]:
    hidden = _SHARED if cls in get_args(Data) else {"out_of_loop", "at"}
    return {
        field.encode_name: _default(field)
        for field in _required_first(cls)
        if field.name not in hidden
    }


def _required_first(cls: type[msgspec.Struct]) -> Iterable[msgspec.structs.FieldInfo]:
    """Return a struct's fields, required ones first."""
    return sorted(msgspec.structs.fields(cls), key=lambda field: _default(field) is not None)


def _default(field: msgspec.structs.FieldInfo) -> str | None:
    if field.default is not msgspec.NODEFAULT:
        return json.dumps(field.default)
    if field.default_factory is not msgspec.NODEFAULT:
        return json.dumps(field.default_factory())
    return None


def _options(cls: type[Any]) -> dict[str, str | None]:
    return {
        name: None if parameter.default is inspect.Parameter.empty else _shown(parameter.default)
        for name, parameter in constructor_options(cls).items()
        if name not in _TORCH_ONLY
    }


def _shown(default: object) -> str:
    return json.dumps(default, default=str)


def _summary(cls: type[Any]) -> str:
    """Return the first sentence of a docstring."""
    head = " ".join((inspect.getdoc(cls) or "").split("\n\n")[0].split())
    return re.split(r"(?<!\bal)\. ", head, maxsplit=1)[0].rstrip(".") + "."


def _fields(kind: DocumentKind) -> str:
    return ", ".join(
        f"`{name}`" if default is None else f"`{name}` = {default}"
        for name, default in kind.fields.items()
    )
