"""Texts that several docks share: names of Operations, and short texts for tensors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from gradstep.program.operation import (
    AddLoss,
    Backward,
    ClipGradNorm,
    ClipGradValue,
    Forward,
    Freeze,
    LoadState,
    Operation,
    RebuildModule,
    ReplaceOptimizer,
    SchedulerStep,
    ScriptCall,
    SetBatchSize,
    SetHyperparameter,
    SetMode,
    SetValue,
    Skip,
    Step,
    ZeroGrad,
)
from gradstep_gui.theme import kind_of
from gradstep_gui.widgets.number_format import (
    count_text,
    inline_text,
    number_text,
    shape_text,
    value_text,
)

if TYPE_CHECKING:
    from gradstep.history.records.event import Event
    from gradstep.history.records.tensor import TensorRecord

__all__ = [
    "KIND_TITLES",
    "TINY",
    "caption_text",
    "event_text",
    "is_tiny",
    "kind_title",
    "non_finite_text",
    "not_recorded_text",
    "operation_target",
    "operation_text",
    "operation_title",
    "shape_and_dtype_text",
    "summary_text",
    "tensor_text",
]

TINY = 4
"""Tensors with up to this many elements are shown by their values, others by their norm."""

KIND_TITLES: dict[str, Any] = {
    "zero_grad": QT_TRANSLATE_NOOP("words", "Zero Grad"),
    "forward": QT_TRANSLATE_NOOP("words", "Forward"),
    "backward": QT_TRANSLATE_NOOP("words", "Backward"),
    "step": QT_TRANSLATE_NOOP("words", "Step"),
    "scheduler_step": QT_TRANSLATE_NOOP("words", "Scheduler Step"),
    "clip_grad_norm": QT_TRANSLATE_NOOP("words", "Clip Grad Norm"),
    "clip_grad_value": QT_TRANSLATE_NOOP("words", "Clip Grad Value"),
    "set_hyperparameter": QT_TRANSLATE_NOOP("words", "Set"),
    "freeze": QT_TRANSLATE_NOOP("words", "Freeze"),
    "set_mode": QT_TRANSLATE_NOOP("words", "Set Mode"),
    "rebuild_module": QT_TRANSLATE_NOOP("words", "Rebuild Module"),
    "replace_optimizer": QT_TRANSLATE_NOOP("words", "Replace Optimizer"),
    "set_batch_size": QT_TRANSLATE_NOOP("words", "Set Batch Size"),
    "set_value": QT_TRANSLATE_NOOP("words", "Set Value"),
    "add_loss": QT_TRANSLATE_NOOP("words", "Add Loss"),
    "load_state": QT_TRANSLATE_NOOP("words", "Load State"),
    "edit_loop": QT_TRANSLATE_NOOP("words", "Edit Loop"),
    "skip": QT_TRANSLATE_NOOP("words", "Skip"),
    "script_call": QT_TRANSLATE_NOOP("words", "Script"),
}
"""The title of each kind of Operation, in the order of the buttons."""


_CALL_TITLES: dict[str, Any] = {
    "forward": QT_TRANSLATE_NOOP("words", "Call"),
    "update_by_hand": QT_TRANSLATE_NOOP("words", "Update by Hand"),
    "clear_by_hand": QT_TRANSLATE_NOOP("words", "Clear by Hand"),
    "gradient_by_hand": QT_TRANSLATE_NOOP("words", "Gradient by Hand"),
    "options_by_hand": QT_TRANSLATE_NOOP("words", "Set by Hand"),
    "pause": QT_TRANSLATE_NOOP("words", "Pause"),
    "new_tensors": QT_TRANSLATE_NOOP("words", "New Tensors"),
    "new_optimizer": QT_TRANSLATE_NOOP("words", "New Optimizer"),
    "zero_grad": QT_TRANSLATE_NOOP("words", "Zero Grad"),
    "step": QT_TRANSLATE_NOOP("words", "Step"),
    "autograd_grad": QT_TRANSLATE_NOOP("words", "autograd.grad"),
    "clip_grad_norm": QT_TRANSLATE_NOOP("words", "Clip Grad Norm"),
    "clip_grad_value": QT_TRANSLATE_NOOP("words", "Clip Grad Value"),
    "scaler_unscale": QT_TRANSLATE_NOOP("words", "Unscale Gradients"),
    "scaler_step": QT_TRANSLATE_NOOP("words", "Scaler Step"),
    "scaler_update": QT_TRANSLATE_NOOP("words", "Scaler Update"),
    "load_state_dict": QT_TRANSLATE_NOOP("words", "Load State Dict"),
}
"""The titles of what only scripts do."""


def kind_title(kind: str) -> str:
    """Return the title of a kind of Operation.

    Example:
        >>> kind_title("zero_grad")
        'Zero Grad'
    """
    return QCoreApplication.translate("words", KIND_TITLES[kind])


def operation_title(operation: Operation) -> str:
    """Return the title of an Operation, without its target.

    Example:
        >>> operation_title(Freeze("head.*", frozen=False))
        'Thaw'
    """
    if isinstance(operation, Freeze) and not operation.frozen:
        return QCoreApplication.translate("words", "Thaw")
    if isinstance(operation, ScriptCall) and operation.call in _CALL_TITLES:
        return QCoreApplication.translate("words", _CALL_TITLES[operation.call])
    return kind_title(kind_of(operation))


def operation_target(operation: Operation) -> str:  # noqa: C901, PLR0911, PLR0912 - one case a kind
    """Return the target of an Operation and its values.

    Example:
        >>> operation_target(Step("optimizer_a")), operation_target(SetHyperparameter("lr", 0.1))
        ('optimizer_a', 'lr = 0.1 in optimizer')
    """
    translate = QCoreApplication.translate
    match operation:
        case Forward(loss=name, batch="held") | Step(optimizer=name, batch="held"):
            return translate("words", "{0}, same batch").format(name)
        case Forward(loss=name, batch="current"):
            return translate("words", "{0}, current batch").format(name)
        case Backward(loss=loss, retain_graph=True):
            return translate("words", "{0}, graph kept").format(loss)
        case Forward(loss=loss) | Backward(loss=loss):
            return loss
        case ZeroGrad(optimizer=optimizer, set_to_none=False):
            return translate("words", "{0}, to zeros").format(optimizer)
        case ZeroGrad(optimizer=optimizer) | Step(optimizer=optimizer):
            return optimizer
        case ClipGradNorm(optimizer=optimizer, max_norm=limit):
            return translate("words", "{0} to norm {1}").format(optimizer, number_text(limit))
        case ClipGradValue(optimizer=optimizer, clip_value=limit):
            return translate("words", "{0} to ±{1}").format(optimizer, number_text(limit))
        case SetHyperparameter(name=name, value=value, optimizer=optimizer, group=group):
            place = f"{optimizer}[{group}]" if group else optimizer
            return translate("words", "{0} = {1} in {2}").format(name, value_text(value), place)
        case SchedulerStep(scheduler=scheduler):
            return scheduler
        case Freeze(pattern=pattern):
            return pattern
        case SetMode(training=training, module=module):
            mode = translate("words", "train") if training else translate("words", "eval")
            return f"{module or translate('words', 'all modules')}: {mode}"
        case RebuildModule(module=module):
            return module
        case ReplaceOptimizer(optimizer=optimizer, kind=kind, rebind=rebind):
            words = translate("words", "{0} with {1} on the current tensors")
            words = words if rebind else translate("words", "{0} with {1}")
            return words.format(optimizer, kind)
        case SetBatchSize(data=data, size=size):
            every = translate("words", "all rows")
            return f"{data}: {every if size is None else count_text(size)}"
        case Skip(operation=skipped):
            return operation_text(skipped)
        case SetValue(tensor=tensor, value=value, index=index):
            place = "" if index is None else f"[{', '.join(map(str, index))}]"
            if isinstance(value, list):
                return f"{tensor}{place}"
            return f"{tensor}{place} = {number_text(value)}"
        case ScriptCall(name=name):
            return name
        case AddLoss(loss=loss, tensor=tensor, item=item):
            added = f"{loss}.item()" if item else loss
            return translate("words", "{0} to {1}").format(added, tensor)
        case LoadState(event=event, parts=parts):
            words = translate("words", "from event {0}").format(count_text(event))
            whole = len(parts) == len(LoadState(0).parts)
            named = ", ".join(part.replace("_", " ") for part in parts)
            return words if whole else translate("words", "{0}, {1} only").format(words, named)
    return ""


def operation_text(operation: Operation) -> str:
    """Return the title and target of an Operation.

    Example:
        >>> operation_text(Step("optimizer_a"))
        'Step optimizer_a'
    """
    return f"{operation_title(operation)} {operation_target(operation)}".strip()


def event_text(event: Event) -> str:
    """Return the Operation of an Event and its iteration."""
    words = QCoreApplication.translate("words", "{name}, iteration {number}")
    return words.format(name=operation_text(event.operation), number=count_text(event.iteration))


def is_tiny(record: TensorRecord) -> bool:
    """Return whether a tensor is shown by its values."""
    return math.prod(record.shape) <= TINY


def not_recorded_text() -> str:
    """Return what stands for a value that is not known at this moment."""
    return QCoreApplication.translate("words", "not recorded here")


def tensor_text(record: TensorRecord | None) -> str:
    """Return a tensor as text for a table: its values when it is tiny, else its norm.

    Example:
        >>> tensor_text(None)
        'None'
    """
    if record is None:
        return "None"
    if not record.is_recorded:
        return not_recorded_text()
    if record.array is not None and is_tiny(record):
        return inline_text(record.array)
    odd = non_finite_text(record)
    if math.prod(record.shape) == 1 and not odd:
        text = number_text(record.minimum)
        return text if not record.shape else f"[{text}]"
    norm = QCoreApplication.translate("words", "norm {0}").format(number_text(record.norm))
    return f"{odd}, {norm}" if odd else norm


def non_finite_text(record: TensorRecord) -> str:
    """Return the number of NaN and infinite elements as text; empty when there are none."""
    counts = ((record.nan_count, "NaN"), (record.inf_count, "Inf"))
    return ", ".join(f"{count_text(count)} {word}" for count, word in counts if count)


def shape_and_dtype_text(record: TensorRecord) -> str:
    """Return a tensor's shape and dtype as text."""
    return f"{shape_text(record.shape)} {record.dtype}"


def caption_text(record: TensorRecord) -> str:
    """Return norm and mean as a caption; the legend has minimum and maximum."""
    text = QCoreApplication.translate("words", "norm {0}, mean {1}").format(
        number_text(record.norm), number_text(record.mean)
    )
    odd = non_finite_text(record)
    return f"{odd}, {text}" if odd else text


def summary_text(record: TensorRecord) -> str:
    """Return norm, mean, minimum and maximum as one line."""
    if not record.is_recorded:
        return not_recorded_text()
    text = QCoreApplication.translate("words", "norm {0}, mean {1}, min {2}, max {3}").format(
        number_text(record.norm),
        number_text(record.mean),
        number_text(record.minimum),
        number_text(record.maximum),
    )
    odd = non_finite_text(record)
    return f"{odd}, {text}" if odd else text
