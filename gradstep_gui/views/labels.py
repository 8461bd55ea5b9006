"""Words that several docks share: names of Operations, and tensors in a few characters."""

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
    "event_words",
    "is_tiny",
    "kind_text",
    "kind_title",
    "odd_text",
    "operation_target",
    "operation_title",
    "operation_words",
    "summary_text",
    "tensor_text",
]

TINY = 4
"""Tensors of up to so many elements are shown by their values, larger ones by their norm."""

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
    "skip": QT_TRANSLATE_NOOP("words", "Skip"),
}
"""What each kind of Operation is called, to be translated; in the order of the buttons."""


def kind_title(kind: str) -> str:
    """Return what a kind of Operation is called on its button.

    Example:
        >>> kind_title("zero_grad")
        'Zero Grad'
    """
    return QCoreApplication.translate("words", KIND_TITLES[kind])


def operation_title(operation: Operation) -> str:
    """Return an Operation's name without what it acts on.

    Example:
        >>> operation_title(Freeze("head.*", frozen=False))
        'Thaw'
    """
    if isinstance(operation, Freeze) and not operation.frozen:
        return QCoreApplication.translate("words", "Thaw")
    return kind_title(kind_of(operation))


def operation_target(operation: Operation) -> str:  # noqa: C901, PLR0911, PLR0912 - one case a kind
    """Return what an Operation acts on, with its values.

    Example:
        >>> operation_target(Step("optimizer_a")), operation_target(SetHyperparameter("lr", 0.1))
        ('optimizer_a', 'lr = 0.1 in optimizer')
    """
    translate = QCoreApplication.translate
    match operation:
        case Forward(loss=name, batch="held") | Step(optimizer=name, batch="held"):
            return translate("words", "{0}, same batch").format(name)
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
        case ReplaceOptimizer(optimizer=optimizer, kind=kind):
            return translate("words", "{0} by {1}").format(optimizer, kind)
        case SetBatchSize(data=data, size=size):
            every = translate("words", "all rows")
            return f"{data}: {every if size is None else count_text(size)}"
        case Skip(operation=skipped):
            return operation_words(skipped)
        case SetValue(tensor=tensor, value=value, index=index):
            place = "" if index is None else f"[{', '.join(map(str, index))}]"
            if isinstance(value, list):
                return f"{tensor}{place}"
            return f"{tensor}{place} = {number_text(value)}"
        case AddLoss(loss=loss, tensor=tensor, item=item):
            added = f"{loss}.item()" if item else loss
            return translate("words", "{0} to {1}").format(added, tensor)
        case LoadState(event=event, parts=parts):
            words = translate("words", "of event {0}").format(count_text(event))
            whole = len(parts) == len(LoadState(0).parts)
            named = ", ".join(part.replace("_", " ") for part in parts)
            return words if whole else translate("words", "{0}: only {1}").format(words, named)
    return ""


def operation_words(operation: Operation) -> str:
    """Return an Operation's name and what it acts on.

    Example:
        >>> operation_words(Step("optimizer_a"))
        'Step optimizer_a'
    """
    return f"{operation_title(operation)} {operation_target(operation)}".strip()


def event_words(event: Event) -> str:
    """Return what an Event did, and in which iteration."""
    words = QCoreApplication.translate("words", "{name}, iteration {number}")
    return words.format(name=operation_words(event.operation), number=count_text(event.iteration))


def is_tiny(record: TensorRecord) -> bool:
    """Tell whether a tensor is shown by its values."""
    return math.prod(record.shape) <= TINY


def tensor_text(record: TensorRecord | None) -> str:
    """Write a tensor for a table: its values when it is tiny, else its norm; None as None.

    Example:
        >>> tensor_text(None)
        'None'
    """
    if record is None:
        return "None"
    if record.array is not None and is_tiny(record):
        return inline_text(record.array)
    odd = odd_text(record)
    if math.prod(record.shape) == 1 and not odd:
        text = number_text(record.minimum)
        return text if not record.shape else f"[{text}]"
    norm = QCoreApplication.translate("words", "norm {0}").format(number_text(record.norm))
    return f"{odd}, {norm}" if odd else norm


def odd_text(record: TensorRecord) -> str:
    """Write how many elements are NaN or infinite; empty when none are."""
    counts = ((record.nan_count, "NaN"), (record.inf_count, "Inf"))
    return ", ".join(f"{count_text(count)} {word}" for count, word in counts if count)


def kind_text(record: TensorRecord) -> str:
    """Write a tensor's shape and dtype."""
    return f"{shape_text(record.shape)} {record.dtype}"


def caption_text(record: TensorRecord) -> str:
    """Write what stands above a picture of a tensor, whose legend tells min and max."""
    text = QCoreApplication.translate("words", "norm {0}, mean {1}").format(
        number_text(record.norm), number_text(record.mean)
    )
    odd = odd_text(record)
    return f"{odd}, {text}" if odd else text


def summary_text(record: TensorRecord) -> str:
    """Write what is known of a tensor's values without them, on one line."""
    text = QCoreApplication.translate("words", "norm {0}, mean {1}, min {2}, max {3}").format(
        number_text(record.norm),
        number_text(record.mean),
        number_text(record.minimum),
        number_text(record.maximum),
    )
    odd = odd_text(record)
    return f"{odd}, {text}" if odd else text
