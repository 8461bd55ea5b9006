"""Remedies that edit layers, criteria and initial values in the program's document."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from gradstep.program.schema import criteria
from gradstep.program.schema.layers import activations
from gradstep.program.schema.program_spec import InitSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from numpy.typing import NDArray

    from gradstep.history.log.event_log import EventLog
    from gradstep.history.records.finding import Finding
    from gradstep.program.program import Program
    from gradstep.program.schema.program_spec import ProgramSpec

__all__ = [
    "fit_last_layer",
    "remove_init",
    "remove_last_activation",
    "replace_activations",
    "replace_criterion",
    "scale_weights",
    "start_elsewhere",
    "use_scaled_relu",
]

_BOUNDED = frozenset({"ReLU", "Softplus", "Sigmoid", "Softmax", "LogSoftmax", "Tanh", "ReLU6"})
"""Last layers that `criterion-mismatch` is about."""


def remove_last_activation(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Remove the last activation where the criterion applies it itself or bounds the output."""
    del log
    if "expects" in finding.detail and "logits" not in finding.detail:
        return None
    spec = program.spec
    modules, losses = dict(spec.modules), dict(spec.losses)
    for subject in finding.subjects:
        inner = _without_function(losses[subject].output)
        if inner is not None:
            losses[subject] = replace(losses[subject], output=inner)
            continue
        found = _last_activation(spec, subject)
        if found is None or len(modules[found[0]]) == 1:
            return None
        module, at = found
        modules[module] = [*modules[module][:at], *modules[module][at + 1 :]]
    return replace(spec, modules=modules, losses=losses)


def _without_function(output: str | None) -> str | None:
    """Return a formula without the activation that ends it; None if it ends with none.

    Example:
        >>> _without_function("log_softmax(model(input), 1)")
        'model(input)'
    """
    node = _outermost_call(output)
    if node is None or node[0] not in _FUNCTIONS or output is None:
        return None
    return ast.get_source_segment(output.strip(), node[1].args[0])


def _outermost_call(output: str | None) -> tuple[str, ast.Call] | None:
    """Return the name of the function or module that a formula calls last, and the call."""
    if output is None:
        return None
    node = ast.parse(output.strip(), mode="eval").body
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
        return node.func.id, node
    return None


_FUNCTIONS = frozenset({"log_softmax", "sigmoid", "tanh", "relu"})
"""Functions of formulas that are activations."""


def fit_last_layer(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Put Sigmoid for a Softmax over one unit, and LogSoftmax for a Softmax before NLLLoss."""
    del log
    spec = program.spec
    modules = dict(spec.modules)
    for subject in finding.subjects:
        found = _last_activation(spec, subject)
        criterion = type(spec.losses[subject].criterion).__name__
        if found is None:
            return None
        module, at = found
        layer: Any = modules[module][at]
        if type(layer).__name__ != "Softmax":
            return None
        if "always 1" in finding.detail and criterion not in _ON_LOGITS:
            fitting: Any = activations.Sigmoid()
        elif criterion == "NLLLoss":
            fitting = activations.LogSoftmax(dim=layer.dim)
        else:
            return None
        modules[module] = [*modules[module][:at], fitting, *modules[module][at + 1 :]]
    return replace(spec, modules=modules)


_ON_LOGITS = frozenset({"CrossEntropyLoss", "BCEWithLogitsLoss"})


def replace_criterion(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Choose the criterion that takes logits, where the model gives them."""
    del log
    spec = program.spec
    losses = dict(spec.losses)
    for subject in finding.subjects:
        loss = losses[subject]
        old = loss.criterion
        new: Any = None
        if isinstance(old, criteria.BCELoss):
            new = criteria.BCEWithLogitsLoss(reduction=old.reduction)
        elif isinstance(old, criteria.NLLLoss):
            new = criteria.CrossEntropyLoss(
                reduction=old.reduction, weight=old.weight, ignore_index=old.ignore_index
            )
        if new is None:
            return None
        losses[subject] = replace(loss, criterion=new)
    return replace(spec, losses=losses)


def _last_activation(spec: ProgramSpec, loss: str) -> tuple[str, int] | None:
    """Return the module and the place of the last bounded activation of a loss."""
    chain = spec.losses[loss].chain
    call = _outermost_call(spec.losses[loss].output)
    module = chain[-1] if chain else "" if call is None else call[0]
    layers = spec.modules.get(module, ())
    places = [at for at, layer in enumerate(layers) if type(layer).__name__ in _BOUNDED]
    return (module, places[-1]) if places else None


# --- activations ----------------------------------------------------------------------------


def replace_activations(
    old: Collection[str], new: object
) -> Callable[[Finding, EventLog, Program], ProgramSpec | None]:
    """Return a remedy that replaces activations between the layers.

    Args:
        old: The kinds that are replaced.
        new: The layer that takes their place.
    """

    def make(_finding: Finding, _log: EventLog, program: Program) -> ProgramSpec | None:
        modules: dict[str, Any] = {
            name: [
                new if type(layer).__name__ in old and at < len(layers) - 1 else layer
                for at, layer in enumerate(layers)
            ]
            for name, layers in program.spec.modules.items()
        }
        spec = replace(program.spec, modules=modules)
        return spec if spec != program.spec else None

    return make


def use_scaled_relu(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Use ReLU between the layers, and draw the initial weights as Kaiming's does for ReLU."""
    made = replace_activations(("Sigmoid", "Tanh"), activations.ReLU())(finding, log, program)
    scaled = scale_weights(finding, log, program)
    return None if made is None or scaled is None else replace(made, init=scaled.init)


# --- initial values -------------------------------------------------------------------------


def remove_init(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Remove "init", so that the layers have their own initial values."""
    del finding, log
    return replace(program.spec, init={}) if program.spec.init else None


def scale_weights(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Draw the initial weights as Kaiming's initialisation does, scaled to the width of a layer."""
    del finding, log
    weights = [
        name
        for name, tensor in program.tensors.items()
        if name.partition(".")[0] in program.modules
        and name.endswith("weight")
        and name not in program.buffers
        and tensor.ndim >= 2  # noqa: PLR2004 - the weights of norms have one dimension
    ]
    if not weights:
        return None
    return replace(
        program.spec,
        init={**program.spec.init, **{name: InitSpec("kaiming_normal_") for name in weights}},
    )


def start_elsewhere(
    factor: float, shift: float
) -> Callable[[Finding, EventLog, Program], ProgramSpec | None]:
    """Return a remedy that starts the free tensors of a finding from other values.

    Args:
        factor: What their initial values are multiplied by.
        shift: What is then added to each of their elements.
    """

    def make(finding: Finding, _log: EventLog, program: Program) -> ProgramSpec | None:
        tensors = dict(program.spec.tensors)
        for name in finding.subjects:
            if name in tensors and tensors[name].requires_grad:
                values = factor * np.asarray(tensors[name].value, float) + shift
                tensors[name] = replace(tensors[name], value=_shortened(values).tolist())
        spec = replace(program.spec, tensors=tensors)
        return spec if spec != program.spec else None

    return make


def _shortened(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as a document should show them: 1.1 and not 1.1000000000000001."""
    digits = [float(f"{value:.12g}") for value in values.ravel().tolist()]
    return np.array(digits).reshape(values.shape)
