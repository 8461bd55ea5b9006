"""Remedies that edit data sets in the program's document: their columns, labels and scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from gradstep.diagnostics.suspicions.program_design import SCALE
from gradstep.program.schema import criteria
from gradstep.program.schema.data_sets import Csv, Inline
from gradstep.program.schema.layers.basic import Linear

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from gradstep.history.log.event_log import EventLog
    from gradstep.history.records.finding import Finding
    from gradstep.program.program import Program
    from gradstep.program.schema.program_spec import LossSpec, ProgramSpec

__all__ = [
    "count_labels_from_zero",
    "divide_targets",
    "drop_constant_columns",
    "drop_repeated_columns",
    "rescale_data",
    "shuffle_rows",
    "squeeze_targets",
    "standardize_data",
    "standardize_inputs",
    "weigh_classes",
]

_REGRESSIONS = {
    "MSELoss": "{0}((output - target / {1:g}) ** 2)",
    "L1Loss": "{0}(abs(output - target / {1:g}))",
}
"""By criterion, its formula with targets that are divided, from its reduction on."""


def shuffle_rows(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Set "shuffle": true on the data sets of a finding, or of its losses."""
    del log
    spec = program.spec
    names = [item if item in spec.data else _data_of(spec, item) for item in finding.subjects]
    data = {
        name: replace(item, shuffle=True) if name in names else item
        for name, item in spec.data.items()
    }
    return replace(spec, data=data) if data != spec.data else None


def _data_of(spec: ProgramSpec, loss: str) -> str | None:
    return spec.losses[loss].data if loss in spec.losses else None


# --- scale ----------------------------------------------------------------------------------


def standardize_inputs(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Set "standardize": true on the data set of a loss with large inputs."""
    del log
    if "inputs" not in finding.detail:
        return None
    return _standardized(program.spec, finding.subjects)


def standardize_data(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Set "standardize": true on every data set."""
    del finding, log
    return _standardized(program.spec, tuple(program.spec.losses))


def _standardized(spec: ProgramSpec, losses: Sequence[str]) -> ProgramSpec | None:
    data = dict(spec.data)
    for name in losses:
        source = spec.losses[name].data
        if source is not None:
            data[source] = replace(data[source], standardize=True)
    return replace(spec, data=data) if data != spec.data else None


def divide_targets(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Compute a loss from targets that are divided by a power of ten, where they are large."""
    del log
    if "targets" not in finding.detail:
        return None
    return _divided(program.spec, program, finding.subjects)


def rescale_data(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Set "standardize": true on every data set, and divide targets that are large."""
    del finding, log
    losses = tuple(name for name, loss in program.spec.losses.items() if loss.data is not None)
    standardized = _standardized(program.spec, losses)
    return None if standardized is None else _divided(standardized, program, losses)


def _divided(spec: ProgramSpec, program: Program, names: Sequence[str]) -> ProgramSpec | None:
    """Divide the targets of some losses by a power of ten; None if none of them are large."""
    losses = dict(spec.losses)
    for name in names:
        loss = losses[name]
        _, targets = program.examples(name)
        formula = _REGRESSIONS.get(type(loss.criterion).__name__)
        reduction = getattr(loss.criterion, "reduction", "")
        largest = 0.0 if targets is None else float(np.abs(targets).max(initial=0))
        if formula is None or reduction not in {"mean", "sum"} or not largest > SCALE:
            continue
        divisor = 10.0 ** int(np.ceil(np.log10(largest)))
        expression = formula.format(reduction, divisor)
        losses[name] = replace(loss, criterion=None, expression=expression)
    return replace(spec, losses=losses) if losses != spec.losses else None


# --- labels ---------------------------------------------------------------------------------


def count_labels_from_zero(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Subtract 1 from the labels in the document."""
    del log
    data = dict(program.spec.data)
    for name in finding.subjects:
        source = data[name]
        if not isinstance(source, Inline) or source.targets is None:
            return None
        data[name] = replace(source, targets=[int(label) - 1 for label in source.targets])
    return replace(program.spec, data=data)


def squeeze_targets(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Map targets in the document to 0 to 1, where the criterion expects that, as -1 and 1."""
    del log
    if "expects targets from 0 to 1" not in finding.detail:
        return None
    data = dict(program.spec.data)
    for name in finding.subjects:
        source = data.get(program.spec.losses[name].data or "")
        if not isinstance(source, Inline) or source.targets is None:
            return None
        values = np.asarray(source.targets, float)
        low, high = float(values.min()), float(values.max())
        squeezed = (values - low) / (high - low) if high > low else np.ones_like(values)
        data[program.spec.losses[name].data or ""] = replace(source, targets=squeezed.tolist())
    return replace(program.spec, data=data)


def weigh_classes(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Weigh each class by the inverse of its share, up to ten times, in the criteria."""
    del log
    losses = dict(program.spec.losses)
    for name, loss in losses.items():
        if loss.data in finding.subjects and loss.rows == "training":
            _, targets = program.examples(name)
            criterion: Any = _weighted(loss, targets, program)
            if criterion is not None:
                losses[name] = replace(loss, criterion=criterion)
    return replace(program.spec, losses=losses) if losses != program.spec.losses else None


_HEAVIEST = 10.0
"""The largest weight of a class: single rows with larger ones would govern the steps."""


def _weighted(loss: LossSpec, targets: NDArray[Any] | None, program: Program) -> object:
    """Return the criterion of a loss with weights; None if it takes none."""
    if targets is None:
        return None
    labels = targets.reshape(-1).astype(np.int64)
    criterion = loss.criterion
    if isinstance(criterion, criteria.BCEWithLogitsLoss):
        positive = int(labels.sum())
        weight = (len(labels) - positive) / positive if positive else 1.0
        return replace(criterion, pos_weight=[_rounded(np.clip(weight, 1 / _HEAVIEST, _HEAVIEST))])
    if isinstance(criterion, criteria.CrossEntropyLoss | criteria.NLLLoss):
        counts = np.bincount(labels, minlength=_outputs(loss, program))
        weights = counts.max() / np.maximum(counts, 1)
        weights[counts == 0] = 1.0
        return replace(criterion, weight=[_rounded(item) for item in weights.clip(max=_HEAVIEST)])
    return None


def _rounded(value: float) -> float:
    return float(f"{float(value):.4g}")


def _outputs(loss: LossSpec, program: Program) -> int:
    """Return how many classes the model of a loss has outputs for; 0 if its layers do not say."""
    layers = [layer for module in loss.chain for layer in program.spec.modules[module]]
    widths = [layer.out_features for layer in layers if isinstance(layer, Linear)]
    return widths[-1] if widths else 0


# --- columns --------------------------------------------------------------------------------


def drop_constant_columns(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Remove the input columns that have one value in all rows."""
    del log
    return _drop_columns(
        finding, program, lambda inputs: np.flatnonzero(np.ptp(inputs, axis=0) != 0).tolist()
    )


def drop_repeated_columns(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Remove each input column that repeats an earlier one."""
    del log
    return _drop_columns(finding, program, _first_of_equal_columns)


def _drop_columns(
    finding: Finding, program: Program, kept_of: Callable[[NDArray[Any]], list[int]]
) -> ProgramSpec | None:
    """Keep these input columns of the data sets of a finding; None where one cannot be edited."""
    spec: ProgramSpec | None = program.spec
    for data in finding.subjects:
        inputs = _inputs(data, program)
        if inputs is None or spec is None:
            return None
        spec = _with_columns(spec, data, kept_of(inputs), inputs.shape[1], program)
    return spec


def _first_of_equal_columns(inputs: NDArray[Any]) -> list[int]:
    """Return the columns that repeat no earlier one."""
    first: dict[bytes, int] = {}
    for number, column in enumerate(np.ascontiguousarray(inputs.T)):
        first.setdefault(column.tobytes(), number)
    return sorted(first.values())


def _inputs(data: str, program: Program) -> NDArray[Any] | None:
    """Return the input columns of a data set."""
    for name, loss in program.spec.losses.items():
        inputs, _ = program.examples(name)
        if loss.data == data and inputs is not None and inputs.ndim == 2:  # noqa: PLR2004 - columns
            return inputs
    return None


def _with_columns(
    spec: ProgramSpec, data: str, kept: list[int], width: int, program: Program
) -> ProgramSpec | None:
    """Keep some input columns of a data set, and fit the first layers that read them."""
    source = spec.data[data]
    names = _names(source, width, program)
    if isinstance(source, Inline):
        edited: Any = replace(source, inputs=[[row[at] for at in kept] for row in source.inputs])
    elif isinstance(source, Csv) and names is not None:
        edited = replace(source, inputs=[names[at] for at in kept])
    else:
        return None
    modules = dict(spec.modules)
    for loss in spec.computed.values():
        if loss.data != data:
            continue
        first = modules[loss.chain[0]][0] if loss.chain else None
        if not kept or not isinstance(first, Linear):
            return None
        narrow = replace(first, in_features=len(kept))
        modules[loss.chain[0]] = [narrow, *modules[loss.chain[0]][1:]]
    return replace(spec, data={**spec.data, data: edited}, modules=modules)


def _names(source: object, width: int, program: Program) -> list[str] | None:
    """Return the names of the input columns of a CSV file; None if a column makes several."""
    if not isinstance(source, Csv) or source.categories:
        return None
    names = source.inputs
    if names is None:
        raw = program.files.get(source.path, b"")
        line = raw.split(b"\n", 1)[0].decode("utf-8-sig", "replace").strip()
        cells = [cell.strip().strip('"') for cell in line.split(source.delimiter)]
        heads = cells if source.header else [str(at) for at in range(len(cells))]
        names = [name for name in heads if name != source.target]
    return names if len(names) == width else None
