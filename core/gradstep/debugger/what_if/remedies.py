"""Remedies: what each finding's remedy changes, in the recorded Operations or in the document."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from gradstep.debugger.what_if import (
    data_edits,
    design_edits,
    document_edits,
    operation_edits,
    rate_edits,
)
from gradstep.errors import OperationError
from gradstep.history.records.what_if import Edits, Remedy
from gradstep.program.document.layout import format_document
from gradstep.program.operation import (
    ReplaceOptimizer,
    SetHyperparameter,
    SetValue,
)
from gradstep.program.schema.layers.activations import LeakyReLU, ReLU

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gradstep.history.log.event_log import EventLog
    from gradstep.history.records.finding import Finding
    from gradstep.program.program import Program
    from gradstep.program.schema.program_spec import Intent, ProgramSpec

    _Make = Callable[[Finding, EventLog, Program], Edits | ProgramSpec | None]

__all__ = ["NO_REMEDY", "by_hand", "declares_intent", "is_last_resort", "no_remedy", "remedies_of"]


def remedies_of(finding: Finding, log: EventLog, program: Program) -> tuple[Remedy, ...]:
    """Return the remedies that a finding may have, likelier ones first; none was tried yet.

    Args:
        finding: The finding.
        log: What was recorded.
        program: The program.
    """
    ways = (*_REMEDIES.get(finding.id, ()), *_INTENTS.get(finding.id, ()))
    if finding.id in _AVOIDABLE:
        ways = (*ways, _WITHOUT)
    found = (_remedy(way, finding, log, program) for way in ways)
    return tuple(remedy for remedy in found if remedy is not None)


def declares_intent(remedy: Remedy) -> bool:
    """Return whether a remedy declares an intent, and changes no number."""
    return remedy.title.startswith(_DECLARED)


def is_last_resort(remedy: Remedy) -> bool:
    """Return whether a remedy only skips what went wrong."""
    return remedy.title == _WITHOUT.title


def no_remedy(finding: Finding) -> OperationError:
    """Return the error that says why a finding has no remedy to try."""
    why = NO_REMEDY.get(finding.id)
    if why is None:
        why = _WHERE_NONE.get(finding.id, "no edit of the operations or of the document fits it")
    return OperationError(f"{finding.id} has no remedy to try here: {why}", by_hand(finding))


def by_hand(finding: Finding) -> str:
    """Return the advice of a finding as the end of an error: a clause that begins in lower case."""
    advice = finding.remedy.partition(" There is no what-if to try")[0].removesuffix(".")
    return advice[:1].lower() + advice[1:]


def _remedy(way: _Way, finding: Finding, log: EventLog, program: Program) -> Remedy | None:
    made = way.make(finding, log, program)
    title = way.title or finding.trial
    if made is None:
        return None
    if isinstance(made, Edits):
        return Remedy(finding.id, title, edits=replace(made, name=title))
    before, after = format_document(program.spec), format_document(made)
    return Remedy(finding.id, title, document=(before, after))


class _Way(NamedTuple):
    """One way to carry out a remedy.

    Attributes:
        make: Returns what it changes; None where it does not apply.
        title: Its title; that of the diagnostic when empty.
    """

    make: _Make
    title: str = ""


def _rates(*factors: float) -> tuple[_Way, ...]:
    return tuple(
        _Way(rate_edits.multiply_rates(factor), _RATE_TITLES[factor]) for factor in factors
    )


_RATE_TITLES: Mapping[float, str] = MappingProxyType(
    {
        0.1: "with a tenth of the learning rate from the start",
        0.01: "with a hundredth of the learning rate from the start",
        0.001: "with a thousandth of the learning rate from the start",
        10.0: "with ten times the learning rate from the start",
        100.0: "with a hundred times the learning rate from the start",
        1000.0: "with a thousand times the learning rate from the start",
        10_000.0: "with ten thousand times the learning rate from the start",
        100_000.0: "with a hundred thousand times the learning rate from the start",
        1_000_000.0: "with a million times the learning rate from the start",
    }
)

_AS_DECLARED = _Way(
    operation_edits.skip_kinds(SetHyperparameter, ReplaceOptimizer),
    "with the optimizers as declared, without what was set during the run",
)
_NO_VALUES_SET = _Way(operation_edits.skip_kinds(SetValue), "without the values that were set")
_UNSCHEDULED = _Way(operation_edits.skip_scheduler_steps, "without the steps of the schedulers")
_SMALLER_RATES = (*_rates(0.1, 0.01, 0.001), _AS_DECLARED, _UNSCHEDULED)
_LARGER = (10.0, 100.0, 1000.0, 10_000.0, 100_000.0, 1_000_000.0)
_NO_MOMENTUM = _Way(rate_edits.limit_option("momentum", 0.0), "without momentum")

_HOLD_USED = _Way(
    document_edits.hold_used_parameters, "with the optimizers holding the parameters of the losses"
)
_HOLD_ORPHANS = _Way(
    document_edits.hold_orphans, "with an optimizer that holds each parameter with a gradient"
)
_SHARE_OUT = _Way(document_edits.share_out_parameters, "with each parameter held once")
_REBIND = _Way(
    operation_edits.rebind_optimizers, "with the optimizer created again after each rebuild"
)
_REPAIR = _Way(operation_edits.repair_loop)
_ZERO_FIRST = _Way(operation_edits.zero_before_forward, "with each Zero Grad before Forward")
_CLIPPED = _Way(rate_edits.clip_to_norm, "with the gradients clipped to norm 1 before each step")
_SCALED = _Way(design_edits.scale_weights, "with Kaiming's initial weights")
_OWN_INIT = _Way(design_edits.remove_init, "with the initial values of the layers")
_STANDARDIZED = _Way(data_edits.standardize_data, "with standardized inputs")
_RESCALED = _Way(data_edits.rescale_data, "with standardized inputs, and the targets divided")
_RELU = _Way(
    design_edits.replace_activations(("Sigmoid", "Tanh"), ReLU()), "with ReLU between the layers"
)
_RELU_SCALED = _Way(
    design_edits.use_scaled_relu, "with ReLU between the layers, and Kaiming's initial weights"
)
_LEAKY = _Way(design_edits.replace_activations(("ReLU",), LeakyReLU()), "with LeakyReLU for ReLU")

_WITHOUT = _Way(operation_edits.skip_cited, "without the events that the finding cites")

_AVOIDABLE = frozenset(
    (
        *("step-without-grad", "grad-accumulated", "grad-reused", "grad-discarded"),
        *("backward-missing", "step-missing", "graph-freed", "inplace-after-save", "data-bypass"),
        *("frozen-but-moved", "moved-without-gradient", "scheduler-first"),
    )
)
"""Facts about Operations in the wrong order or place, which need not have been applied."""

_REMEDIES: Mapping[str, tuple[_Way, ...]] = MappingProxyType(
    {
        "step-without-grad": (_HOLD_USED, _REBIND, _ZERO_FIRST, _REPAIR),
        "grad-accumulated": (_HOLD_USED, _REBIND, _HOLD_ORPHANS, _REPAIR),
        "grad-reused": (_SHARE_OUT, _REPAIR),
        "grad-discarded": (_ZERO_FIRST, _REPAIR),
        "backward-missing": (_REPAIR,),
        "step-missing": (_REPAIR,),
        "graph-freed": (_Way(operation_edits.remove_second_backward),),
        "not-connected": (
            _Way(document_edits.connect_losses, "with no detach in the formula of the loss"),
            _Way(operation_edits.leave_unfrozen, "with no parameter frozen"),
        ),
        "inplace-after-save": (_Way(operation_edits.write_before_forward),),
        "data-bypass": (_Way(operation_edits.write_before_forward),),
        "graph-retained": (_Way(operation_edits.free_graphs),),
        "total-keeps-graphs": (_Way(operation_edits.add_numbers),),
        "optimizer-orphan": (_REBIND, _HOLD_USED, _Way(document_edits.hold_orphans)),
        "optimizer-stale": (_REBIND,),
        "optimizer-foreign": (_HOLD_USED,),
        "optimizer-duplicate": (_SHARE_OUT,),
        "frozen-but-moved": (_Way(operation_edits.freeze_after_step),),
        "moved-without-gradient": (_Way(operation_edits.zero_to_none),),
        "scheduler-first": (_Way(operation_edits.step_schedulers_last),),
        "clip-after-step": (_Way(operation_edits.clip_before_step),),
        "clip-per-microbatch": (_Way(operation_edits.clip_once),),
        "clip-before-backward": (_Way(operation_edits.clip_after_backward),),
        "optimizer-rebuilt": (_Way(operation_edits.replace_once),),
        "scheduler-idle": (_Way(operation_edits.step_idle_schedulers),),
        "frozen-but-held": (_Way(operation_edits.leave_unfrozen),),
        "loss-idle": (_Way(document_edits.remove_idle_losses),),
        "accumulation-scale": (_Way(document_edits.divide_loss),),
        "mode-left-eval": (_Way(operation_edits.switch_to_training),),
        "mode-left-train": (_Way(operation_edits.switch_to_evaluation),),
        "resume-incomplete": (
            _Way(operation_edits.load_whole_state),
            _Way(
                operation_edits.load_state_with_optimizers,
                "with the optimizers of that time, and the whole state loaded",
            ),
        ),
        "broadcast-loss": (_Way(document_edits.match_target_shape),),
        "non-finite": (
            _Way(document_edits.reduce_to_mean, "with the mean over the rows"),
            *_SMALLER_RATES,
            _CLIPPED,
            _Way(rate_edits.clip_values, "with the gradients clipped to -1 to 1 before each step"),
            _STANDARDIZED,
            _RESCALED,
            _NO_VALUES_SET,
        ),
        "loss-not-decreasing": (*_rates(*_LARGER, 0.1, 0.01), _AS_DECLARED, _SCALED),
        "poor-initialisation": (_NO_VALUES_SET, _OWN_INIT, _SCALED, _STANDARDIZED),
        "exploding-gradient": (_CLIPPED, *_SMALLER_RATES, _OWN_INIT, _SCALED),
        "learning-rate": (
            *(*_SMALLER_RATES, _NO_MOMENTUM, _NO_VALUES_SET),
            *(_STANDARDIZED, _RESCALED, _OWN_INIT, _SCALED),
        ),
        "loss-diverging": (*_SMALLER_RATES, _NO_MOMENTUM, _CLIPPED),
        "loss-oscillating": (*_SMALLER_RATES, _NO_MOMENTUM),
        "dead-relu": (*_SMALLER_RATES, _NO_VALUES_SET, _OWN_INIT, _STANDARDIZED, _LEAKY),
        "saturated-activation": (
            *_SMALLER_RATES,
            _NO_VALUES_SET,
            _OWN_INIT,
            _STANDARDIZED,
            _SCALED,
            _RELU,
        ),
        "unchanged-parameter": (
            *(
                _Way(
                    rate_edits.multiply_rates_of_subjects(factor),
                    f"with {factor:,.0f} times the learning rate for it",
                )
                for factor in (100.0, 10_000.0, 1_000_000.0, 100_000_000.0)
            ),
            *(_NO_VALUES_SET, _OWN_INIT, _STANDARDIZED, _SCALED, _RELU_SCALED),
        ),
        "update-ratio": (
            *(
                _Way(
                    rate_edits.change_small_updates(factor, is_small=factor > 1),
                    _RATE_TITLES[factor],
                )
                for factor in (*_LARGER, 0.1, 0.01, 0.001)
            ),
            _AS_DECLARED,
        ),
        "small-steps": (
            _Way(rate_edits.without_falling_schedules, _UNSCHEDULED.title),
            *_rates(*_LARGER[1:], *_LARGER[:1]),
            _AS_DECLARED,
            _Way(rate_edits.raise_zero_rates(0.01), "with a learning rate of 0.01 for 0"),
            _UNSCHEDULED,
        ),
        "weight-decay": (
            _Way(rate_edits.limit_option("weight_decay", 0.01)),
            _Way(rate_edits.limit_option("weight_decay", 0.0), "without weight decay"),
            _AS_DECLARED,
        ),
        "clipping-too-tight": (_Way(rate_edits.clip_to_usual_norm),),
        "overfitting": (
            _Way(operation_edits.stop_at_lowest),
            *(
                _Way(
                    rate_edits.raise_option("weight_decay", decay),
                    f"with a weight decay of {decay:g} from the start",
                )
                for decay in (0.01, 0.1)
            ),
        ),
        "maximized-loss": (_Way(document_edits.minimize),),
        "sorted-rows": (_Way(data_edits.shuffle_rows),),
        "sum-reduction": (_Way(document_edits.reduce_to_mean),),
        "bias-before-batchnorm": (_Way(document_edits.remove_bias),),
        "dropout-before-batchnorm": (_Way(document_edits.move_dropout),),
        "criterion-mismatch": (
            _Way(data_edits.squeeze_targets, "with the targets from 0 to 1"),
            _Way(design_edits.fit_last_layer, "with the last layer that is expected"),
            _Way(design_edits.replace_criterion, "with the criterion that takes logits"),
            _Way(design_edits.remove_last_activation, "with the last activation removed"),
        ),
        "input-scale": (
            _Way(data_edits.standardize_inputs, "with standardized inputs"),
            _Way(data_edits.divide_targets, "with the targets divided"),
            _RESCALED,
        ),
        "class-imbalance": (_Way(data_edits.weigh_classes),),
        "labels-from-one": (_Way(data_edits.count_labels_from_zero),),
        "constant-inputs": (_Way(data_edits.drop_constant_columns),),
        "duplicated-inputs": (_Way(data_edits.drop_repeated_columns),),
        "vanishing-gradient": (
            *(_NO_VALUES_SET, _RELU, _OWN_INIT, _RELU_SCALED, _SCALED),
            _Way(
                design_edits.start_elsewhere(0.1, 0.0),
                "with a tenth of the initial values of its tensors",
            ),
            _Way(
                design_edits.start_elsewhere(1.0, 0.1),
                "with 0.1 added to the initial values of its tensors",
            ),
        ),
    }
)
"""By diagnostic, the ways to carry out its remedy, in the order in which they are tried."""

_DECLARED = "with the intent declared: "


def _intents(*names: Intent) -> tuple[_Way, ...]:
    return tuple(_Way(document_edits.declare(name), f"{_DECLARED}{name}") for name in names)


_INTENTS: Mapping[str, tuple[_Way, ...]] = MappingProxyType(
    {
        "grad-accumulated": _intents("gradient_accumulation", "adversarial"),
        "step-missing": _intents("gradient_accumulation"),
        "grad-discarded": _intents("adversarial", "frozen_backbone"),
        "not-connected": _intents("frozen_backbone", "adversarial"),
        "optimizer-orphan": _intents("frozen_backbone", "adversarial"),
        "mode-left-eval": _intents("frozen_backbone"),
        "frozen-but-held": _intents("frozen_backbone"),
        "maximized-loss": _intents("adversarial"),
        "loss-not-decreasing": _intents("adversarial"),
    }
)
"""By diagnostic, the intents that explain it."""

NO_REMEDY: Mapping[str, str] = MappingProxyType(
    {
        "step-partly-without-grad": "nothing is wrong if the loss does not use the parameters",
        "replay-diverged": "the recording was made with another machine or library",
        "chance-level-loss": "no setting makes labels belong to their rows",
        "backwards-per-step": "only the script can step in another place",
        "batches-carried-over": "only the script can step in another place",
        "clip-before-unscale": "only the script can unscale its gradients in another place",
        "clip-of-nothing": "only the script can pass other tensors",
        "closure-accumulates": "only the script can clear its gradients in another place",
        "gradients-of-two-losses": "only the script can clear its gradients in another place",
        "criterion-out-of-range": "only the script can choose another criterion",
        "evaluation-in-training-mode": "only the script can change its modes",
        "freeze-without-effect": "only the script can freeze its parameters",
        "gradient-of-result": "only the script can make a leaf of its tensor",
        "graph-carried": "only the script can hand on values without their graphs",
        "learning-rate-loaded": "only the script can set its rate after it loads a state",
        "leaf-changed-in-place": "only the script can change it with gradients disabled",
        "made-anew": "only the script can make its layers in another place",
        "network-aliased": "only the script can copy its network",
        "network-left-out": "only the script can create an optimizer of that network",
        "one-step-of-two": "only the script can create an optimizer of each network",
        "optimizer-of-other-network": "only the script can give the optimizer other parameters",
        "parameter-rebound": "only the script can change its parameters in place",
        "parameters-left-out": "only the script can give the optimizer other parameters",
        "schedule-per-batch": "only the script can step its schedule in another place",
        "schedule-per-epoch": "only the script can step its schedule in another place",
        "sampler-epoch-not-set": "only the script can give its sampler the epoch",
        "scheduler-of-idle-optimizer": "only the script can give the scheduler another optimizer",
        "nothing-loaded": "only the script can give a state other names",
        "state-not-copied": "only the script can keep a copy",
        "sum-of-batches": "only the script can divide its losses",
        "sum-cleared": "only the script can clear its gradients in another place",
        "unreached-parameter": "only the script can connect it with a loss",
        "unshuffled-batches": "only the script can load its batches in another order",
    }
)
"""The diagnostics that have no remedy to try, and why."""

_DATA = "the document does not hold these columns or labels; edit the file that does"

_WHERE_NONE: Mapping[str, str] = MappingProxyType(
    {
        "constant-inputs": f"{_DATA}, and leave at least one column that varies",
        "duplicated-inputs": _DATA,
        "labels-from-one": _DATA,
        "class-imbalance": "the criterion takes no weights of classes; collect more rows",
        "vanishing-gradient": "the loss has no layer to change; start its tensors elsewhere",
        "not-connected": "no parameter is frozen, and no formula has detach to remove",
        "broadcast-loss": "the shapes follow from the data; reshape one of them",
    }
)
"""Why a remedy that others have may not exist in a program."""
