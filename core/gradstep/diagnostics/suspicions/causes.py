"""The likelier cause behind suspicions: it replaces them, so that a remedy names what is wrong.

One mistake shows in many numbers: with a sum over the rows as the loss, units die, gradients
explode and the loss grows. Reported one by one, each would come with a remedy for something else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.diagnostics.observation import Observation, joined_names
from gradstep.diagnostics.suspicions.data_sets import class_entropy, nearest_label_agreement
from gradstep.diagnostics.suspicions.likelihood import likeliest
from gradstep.diagnostics.suspicions.loss_curves import parts_of_sums
from gradstep.program.operation import ClipGradNorm

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from gradstep.diagnostics.suspicions.trainings import Curves
    from gradstep.history.debuggee import Debuggee
    from gradstep.history.history import History

__all__ = ["Run", "is_lowered", "likelier_causes"]

_STUCK = frozenset(
    (
        *("loss-not-decreasing", "poor-initialisation", "unchanged-parameter"),
        *("update-ratio", "vanishing-gradient", "dead-relu"),
    )
)
"""What a model shows that does not learn."""

_WILD = frozenset(
    (
        *("loss-diverging", "learning-rate", "exploding-gradient", "loss-oscillating"),
        *("dead-relu", "saturated-activation", "update-ratio", "loss-not-decreasing"),
        *("unchanged-parameter", "poor-initialisation", "vanishing-gradient"),
    )
)
"""What a model shows whose steps are too long."""

_SYMPTOMS = _STUCK | _WILD

_HARMLESS = frozenset(
    (
        *("non-finite", "graph-retained", "total-keeps-graphs", "replay-diverged"),
        *("scheduler-idle", "loss-idle", "moved-without-gradient", "nothing-loaded"),
    )
)
"""Facts that do not explain why a model does not learn."""

_EXPLAINING = frozenset(
    ("criterion-mismatch", "maximized-loss", "schedule-per-batch", "sorted-rows")
)
"""Suspicions about the program that do explain it."""

_NO_INPUT = frozenset(("dead-relu", "unchanged-parameter", *_STUCK))

LONG_STEPS = 0.1
"""Share of a weight's norm above which an update is long: TheDeepChecker's 10 ** -1."""

SHORT_STEPS = 1e-3
"""Share of a weight's norm below which an update is short."""

REACH = 1.0
"""Percent of the loss that the last steps could remove at most."""

PATIENCE = 100
"""Iterations after which a loss may be expected to have decreased."""

STEEP = 0.25
"""A gradient above this share of the steepest is not near a minimum."""

LOWERED = 10.0
"""How many times the present learning rate the initial one is, of a schedule that lowered it."""

CLIPPED = 0.1
"""Share of the gradient that clipping may leave."""

SHRUNK = 0.5
"""Share of its initial norm that weight decay alone would leave of a weight."""

FALLEN = 0.1
"""The same for a model that learns, or whose loss only fell to chance level."""

MEMORY = 0.99
"""The most momentum that multiplies weight decay; more would multiply it without end."""

CHANCE = 0.95
"""Share of the entropy of the labels above which a loss is at chance level."""

DEVIATIONS = 2.0
"""Standard deviations above chance from which labels count as related to the inputs."""

SMALLEST, LARGEST = 0.05, 20.0
"""Standard deviations of activations ten times beyond the usual 0.5 to 2."""

_CAUSES = frozenset(
    (
        *("learning-rate", "small-steps", "sum-reduction", "weight-decay", "clipping-too-tight"),
        *("chance-level-loss", "poor-initialisation"),
    )
)

_SCALE_FREE = frozenset(("Adam", "AdamW", "RMSprop", "Adagrad", "Rprop", "Adamax", "NAdam"))
"""Optimizers whose steps do not grow with the gradient."""


@dataclass(frozen=True, slots=True)
class Run:
    """What is known of a run when its suspicions are judged.

    Attributes:
        program: The live program.
        history: Its branch.
        curves: The curves of the present training.
        rows: Their last rows.
        event: The Event just done.
        learns: Whether some loss has decreased.
        steepest: The steepest gradient so far.
        reported: The facts and suspicions so far.
        facts: Ids of those that are facts.
    """

    program: Debuggee
    history: History
    curves: Curves
    rows: NDArray[np.floating]
    event: int
    learns: bool
    steepest: float
    reported: Sequence[Observation]
    facts: frozenset[str]

    @property
    def suspicions(self) -> frozenset[str]:
        """Ids of the suspicions so far."""
        return frozenset(item.id for item in self.reported) - self.facts

    def columns(self, kind: str, names: Sequence[str], ending: str = "") -> NDArray[np.float64]:
        """Return columns of the last rows, one for each tensor."""
        series = self.curves
        places = [series.place(f"{kind}/{name}{ending}") for name in names]
        return self.rows[:, places].astype(np.float64)

    def loss(self, name: str) -> float:
        """Return the mean of a loss in the last rows; NaN if it was not computed."""
        values = self.columns("loss", [name])
        known = values[np.isfinite(values)]
        return float(known.mean()) if len(known) else float("nan")

    @property
    def trained(self) -> list[str]:
        """The losses over training rows that have a value and are not only parts of a sum."""
        spec = self.program.spec
        parts = parts_of_sums(spec)
        return [
            name
            for name, loss in spec.losses.items()
            if loss.rows == "training" and name not in parts and np.isfinite(self.loss(name))
        ]

    @property
    def moving(self) -> list[str]:
        """The tensors that the last rows show moving, with a gradient."""
        names = self.sloped
        moves = self.columns("update", names)
        slopes = self.columns("norm", names, ".grad")
        moved = np.any((moves > 0) & np.isfinite(slopes), axis=0)
        return [names[at] for at in np.flatnonzero(moved).tolist()]

    @property
    def sloped(self) -> list[str]:
        """The tensors that the last rows show with a gradient."""
        names = list(self.curves.tensors)
        known = np.any(np.isfinite(self.columns("norm", names, ".grad")), axis=0)
        return [names[at] for at in np.flatnonzero(known).tolist()]


def likelier_causes(run: Run, suspected: Collection[Observation]) -> Iterator[Observation]:
    """Yield the suspicions, or instead of them the one cause that explains them.

    Args:
        run: The run.
        suspected: What the curves, the activations and the initial values suggest.
    """
    known, cause = run.suspicions, None
    if run.facts - _HARMLESS or known & _EXPLAINING:
        hidden = _SYMPTOMS
    elif "constant-inputs" in known:
        hidden = _NO_INPUT
    else:
        cause, hidden = _cause(run, suspected)
        if known & _CAUSES:  # what is reported later follows from it
            hidden = _SYMPTOMS - known
            cause = None if cause is None or cause.id not in known else cause
    overfits = {item.subjects for item in (*run.reported, *suspected) if item.id == "overfitting"}
    left = [
        item
        for item in suspected
        if item.id not in hidden
        and not (item.id in {"loss-not-decreasing", "loss-diverging"} and item.subjects in overfits)
    ]
    left = [_with_schedule(run, item) for item in left]
    yield from likeliest(run.program, [*([] if cause is None else [cause]), *left], run.reported)


def _with_schedule(run: Run, item: Observation) -> Observation:
    """Return a suspicion; of small updates, with the schedule that may have made them small."""
    is_small = item.id == "update-ratio" and (item.value or 0.0) < (item.threshold or 0.0)
    lowered = _lowered_rates(run) if is_small else ""
    return replace(item, note=f"{item.note}; {lowered}") if lowered else item


def _cause(
    run: Run, suspected: Collection[Observation]
) -> tuple[Observation | None, frozenset[str]]:
    """Return the cause of what is suspected, and the ids that it explains.

    The first that applies counts: from a mistake in the document over steps that are too long to
    steps that are too short.
    """
    ids = {item.id for item in suspected}
    if "non-finite" in run.facts or ids & _WILD - {"loss-not-decreasing"}:
        cause = _sum(run)
        if cause is not None:
            return cause, _SYMPTOMS
    if "learning-rate" in ids:
        return None, _WILD - {"learning-rate"}
    if run.learns and (cause := _decay(run)) is not None:
        return cause, _SYMPTOMS
    if ids & {"dead-relu", "saturated-activation"}:
        cause = _first(run, (_large,) if run.learns else (_decay, _large))
        if cause is not None:
            return cause, _SYMPTOMS
    if "loss-diverging" in ids:
        cause = None if run.learns else _large(run)
        return cause, _WILD if cause else _WILD - {"loss-diverging"}
    return (None, frozenset()) if run.learns else _cause_of_rest(run, suspected, ids)


def _cause_of_rest(
    run: Run, suspected: Collection[Observation], ids: set[str]
) -> tuple[Observation | None, frozenset[str]]:
    """Return the cause of a loss that does not decrease, and the ids that it explains."""
    if any(item.id == "poor-initialisation" and _explains_rest(item.value) for item in suspected):
        return None, _SYMPTOMS - {"poor-initialisation", "saturated-activation"}
    if ids & _STEEPNESS:
        cause = _decay(run) if ids & _STUCK else None
        rest = _SYMPTOMS - _STEEPNESS - {"saturated-activation", "dead-relu"}
        return cause, _SYMPTOMS if cause else rest
    late = len(run.curves) > PATIENCE
    slow = (_clipping, _unrelated, _small) if late or ids & _STUCK else ()
    cause = _first(run, (*slow, _decay) if ids & _STUCK else slow)
    if cause is None and ids & _WILD:
        cause = _large(run)
        return cause, frozenset() if cause is None else _WILD
    return cause, frozenset() if cause is None else _STUCK


def _first(run: Run, rules: Sequence[Callable[[Run], Observation | None]]) -> Observation | None:
    """Return what the first rule finds that finds anything."""
    return next((cause for rule in rules if (cause := rule(run)) is not None), None)


_STEEPNESS = frozenset(("exploding-gradient", "vanishing-gradient"))


def _explains_rest(spread: float | None) -> bool:
    """Whether activations begin ten times smaller or larger than usual, or units begin equal."""
    return spread is None or not SMALLEST <= spread <= LARGEST


def _sum(run: Run) -> Observation | None:
    """Look for a loss that is a sum over many rows."""
    for name in run.program.spec.losses:
        loss = run.program.spec.losses[name]
        if loss.rows != "training" or getattr(loss.criterion, "reduction", "") != "sum":
            continue
        batch = run.program.batches.get(name)
        rows = len(batch.rows) if batch is not None else 1
        if rows > 1:
            note = f"{name} is the sum over the {rows} rows of a batch"
            return Observation("sum-reduction", (name,), (run.event,), note, float(rows), 1.0)
    return None


def _small(run: Run) -> Observation | None:
    """Look for steps so short that the loss cannot decrease, though the gradient is steep."""
    names = run.moving or run.sloped  # steps of a rate of 1e-30 move nothing at all
    weights_move = set(names).issuperset(run.curves.weights)
    if len(run.trained) != 1 or not names or not weights_move:
        return None  # weights that get no gradient have another cause
    (loss,) = run.trained
    moves, slopes = run.columns("update", names), run.columns("norm", names, ".grad")
    steep = float(np.sqrt(np.nansum(np.median(slopes, axis=0) ** 2)))
    weights = float(np.linalg.norm(run.columns("norm", names)[-1]))
    length = float(np.sqrt(np.nansum(np.median(moves, axis=0) ** 2)))
    value = abs(run.loss(loss))
    if not steep > STEEP * run.steepest or not value or not length < SHORT_STEPS * weights:
        return None
    percent = 100 * float(np.nansum(moves * slopes)) / value
    if not percent < REACH:
        return None
    note = (
        f"To first order, the steps of the last {len(moves)} iterations together could decrease "
        f"{loss} by {percent:.2g} % at most, though the gradient is "
        f"{100 * steep / run.steepest:.0f} % as steep as it has ever been"
    )
    lowered = _lowered_rates(run)
    still = tuple(dict.fromkeys(name for name, group in _groups(run) if group["lr"] == 0))
    if lowered:
        note += f"; {lowered}"
    elif still:
        note += f"; the learning rate of {joined_names(still)} is 0"
    return Observation("small-steps", (loss,), (run.event,), note, percent, REACH)


def _lowered_rates(run: Run) -> str:
    """Return which learning rates a schedule has lowered, as a clause; "" for none."""
    lowered = dict.fromkeys(
        f"{name} from {group['initial_lr']:.3g} to {group['lr']:.3g}"
        for name, group in _groups(run)
        if is_lowered(group)
    )
    if not lowered:
        return ""
    return f"a schedule has lowered the learning rate of {joined_names(tuple(lowered))}"


def _groups(run: Run) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the groups of all optimizers with the optimizer's name."""
    return [
        (name, group)
        for name, optimizer in run.program.optimizers.items()
        for group in optimizer.param_groups
    ]


def is_lowered(group: Mapping[str, Any]) -> bool:
    """Whether a schedule has lowered the learning rate of a group to a tenth or less."""
    initial = float(group.get("initial_lr") or 0.0)
    return initial > 0 and LOWERED * float(group["lr"]) <= initial


def _large(run: Run) -> Observation | None:
    """Look for steps that change weights by a large part of their size, again and again."""
    names = [name for name in run.curves.weights if name in run.moving]
    if not run.trained or not names:
        return None
    with np.errstate(all="ignore"):
        ratios = run.columns("update", names) / run.columns("norm", names)
    ratio = float(np.nanmedian(ratios))
    if not ratio > LONG_STEPS:
        return None
    note = (
        f"In the last {len(ratios)} iterations, half of the updates of a weight were longer than "
        f"{100 * ratio:.3g} % of its norm, and averaged over iterations {run.trained[0]} has "
        "fallen by less than a tenth"
    )
    return Observation("learning-rate", (run.trained[0],), (run.event,), note, ratio, LONG_STEPS)


def _clipping(run: Run) -> Observation | None:
    """Look for clipping that leaves next to nothing of the gradients that SGD follows."""
    log, series = run.history.log, run.curves
    first = int(series.column("event", len(series) - len(run.rows))[1][0])
    events = log.find(first, run.event, operation=lambda done: isinstance(done, ClipGradNorm))
    shares: dict[str, list[float]] = {}
    for event in events.tolist():
        operation: Any = log.operation(event)
        reported = _NORM.search(run.history.applied_event(event).outcome.message)
        if reported is not None and float(reported[1]) > 0:
            shares.setdefault(operation.optimizer, []).append(
                operation.max_norm / float(reported[1])
            )
    for name, left in shares.items():
        kind = type(run.program.optimizers[name]).__name__
        value = float(np.median(left))
        if kind not in _SCALE_FREE and value < CLIPPED:
            note = f"clipping left a median share of {value:.3g} of the gradient norm of {name}"
            return Observation("clipping-too-tight", (name,), (run.event,), note, value, CLIPPED)
    return None


_NORM = re.compile(r"total norm was ([^ ,]+)")
"""The norm before clipping, in the message of its Event."""


def _decay(run: Run) -> Observation | None:
    """Look for weight decay that pulls weights to 0 faster than the gradient can move them."""
    series, rows = run.curves, len(run.curves) - 1
    limit = FALLEN if run.learns else SHRUNK
    for name, optimizer in run.program.optimizers.items():
        held = [item for item in run.program.optimizer_tensors if item.optimizer == name]
        for number, group in enumerate(optimizer.param_groups):
            names = [item.address for item in held if item.group == number]
            names = [address for address in names if address in series.weights]
            decay = float(group.get("weight_decay") or 0.0)
            if (
                not names
                or not decay > 0
                or not _pulls(run, type(optimizer).__name__, group, names)
            ):
                continue
            before = [float(series.column(f"norm/{address}")[1][0]) for address in names]
            left = float(np.linalg.norm(run.columns("norm", names)[-1]) / np.linalg.norm(before))
            if left < limit:
                note = (
                    f"{name} has a weight decay of {decay:.3g}, and after {rows} iterations the "
                    f"norm of its weights is {left:.3g} of what it was"
                )
                return Observation("weight-decay", (name,), (run.event,), note, left, limit)
    return None


def _pulls(run: Run, kind: str, group: Mapping[str, Any], names: Sequence[str]) -> bool:
    """Whether weight decay by itself could have halved the weights so far."""
    decay, rate = float(group["weight_decay"]), float(group["lr"])
    if kind in _SCALE_FREE and not group.get("decoupled_weight_decay"):
        # It passes through the scale of the gradient, with which it has to be compared.
        with np.errstate(all="ignore"):
            shares = decay * run.columns("norm", names) / run.columns("norm", names, ".grad")
        known = shares[~np.isnan(shares)]  # there may have been no gradient for a long time
        return known.size > 0 and float(np.median(known)) > SHRUNK
    rate = max(rate, float(group.get("initial_lr") or 0.0))  # of a schedule that has lowered it
    pull = decay * rate / (1 - min(float(group.get("momentum") or 0.0), MEMORY))
    return (1 - min(pull, 1.0)) ** (len(run.curves) - 1) < SHRUNK


def _unrelated(run: Run) -> Observation | None:
    """Look for a loss at chance level, over labels that do not follow from the inputs."""
    for name in run.trained:
        loss = run.program.spec.losses[name]
        inputs, targets = run.program.examples(name)
        entropy = class_entropy(targets)
        kind = type(loss.criterion).__name__
        if kind not in _CLASSIFIERS or not entropy or run.loss(name) < CHANCE * entropy:
            continue
        if not _is_plain(loss.criterion):
            continue  # its value cannot be compared with the entropy of the labels
        compared = nearest_label_agreement(inputs, targets)
        if compared is None:
            continue
        agree, chance, deviation = compared
        if agree < chance + DEVIATIONS * deviation:
            note = (
                f"{name} averages {run.loss(name):.3g}; to predict the share of each class, "
                f"without looking at the inputs, gives {entropy:.3g}. Of a sample of rows, "
                f"{100 * agree:.0f} % have the same label as the row nearest to them; by chance, "
                f"{100 * chance:.0f} % would"
            )
            value = run.loss(name) / entropy
            return Observation("chance-level-loss", (name,), (run.event,), note, value, CHANCE)
    return None


def _is_plain(criterion: Any) -> bool:  # noqa: ANN401 - of any kind
    """Whether a criterion is the mean over the rows, each and every class weighted alike."""
    weights = (getattr(criterion, field, None) for field in ("weight", "pos_weight"))
    smoothing = getattr(criterion, "label_smoothing", 0.0)
    return criterion.reduction == "mean" and not smoothing and all(item is None for item in weights)


_CLASSIFIERS = frozenset(("CrossEntropyLoss", "NLLLoss", "BCEWithLogitsLoss", "BCELoss"))
