"""Suspicions about curves: oscillating losses, overfitting, and tensors that do not change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from gradstep.diagnostics.observation import Observation
from gradstep.pluralize import pluralize
from gradstep.program.operation import Backward

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from gradstep.diagnostics.suspicions.trainings import Curves
    from gradstep.program.schema.program_spec import ProgramSpec

__all__ = [
    "epoch_swings",
    "held_out_pairs",
    "others",
    "overfitting",
    "parts_of_sums",
    "steady_losses",
    "swings",
    "unchanged",
]

SWING, TURNS = 0.03, 0.2
"""A swing is a turn by this share of the range; the share of iterations that may have one."""

EPOCH_SWING = 0.5
"""A swing of the means of epochs is a turn by this share of their mean."""

OVERFIT = 0.1
"""How far a held-out loss may lie above the training loss, as a share of it."""

STILL_RELATIVE, STILL_ABSOLUTE = 1e-5, 1e-8
"""A tensor that moves by no more than this counts as unchanged."""


def held_out_pairs(spec: ProgramSpec) -> tuple[tuple[str, str], ...]:
    """Return each held-out loss with the training loss of the same model."""
    return tuple(
        (name, other)
        for name, loss in spec.losses.items()
        if loss.rows == "validation"
        for other, trained in spec.losses.items()
        if trained.rows == "training"
        and msgspec.structs.replace(trained, rows="validation") == loss
    )


def parts_of_sums(spec: ProgramSpec) -> frozenset[str]:
    """Return the losses that other losses read, and that the loop trains only as parts of those."""
    if spec.loop is None:
        training = (name for name, loss in spec.losses.items() if loss.rows == "training")
        return frozenset(part for name in training for part in spec.components_of(name))
    trained = {line.operation.loss for line in spec.loop if isinstance(line.operation, Backward)}
    parts = (part for name in trained if name in spec.losses for part in spec.components_of(name))
    return frozenset(parts) - trained


def steady_losses(spec: ProgramSpec) -> frozenset[str]:
    """Return the losses that see the same rows every time and draw nothing at random."""
    return frozenset(
        name
        for name, loss in spec.losses.items()
        if (loss.data is None or spec.data[loss.data].batch_size is None)
        and not spec.is_random(name)
    )


def swings(
    name: str, values: NDArray[np.floating], event: int, first: float = 0.0
) -> Iterator[Observation]:
    """Yield a suspicion if a loss that sees the same rows every time keeps turning.

    Args:
        name: The loss.
        values: Its last values.
        event: The Event just done.
        first: Its first mean: what is small beside it is no more than a step around the minimum.
    """
    spread = float(np.ptp(values))
    if not np.isfinite(values).all():
        return
    if spread <= SWING * max(abs(first), float(np.abs(values).mean())):
        return
    ways = np.diff(values)
    far = np.abs(ways) >= SWING * spread
    turns = (ways[1:] * ways[:-1] < 0) & far[1:] & far[:-1]
    share = float(turns.sum()) / len(values)
    if share > TURNS:
        note = (
            f"In {100 * share:.3g} % of the last {len(values)} iterations, {name} changed "
            f"direction by at least {100 * SWING:.0f} % of its range, although it sees the same "
            "rows every time"
        )
        yield Observation("loss-oscillating", (name,), (event,), note, 100 * share)


def epoch_swings(name: str, means: NDArray[np.floating], event: int) -> Iterator[Observation]:
    """Yield a suspicion if the mean of a loss over an epoch keeps turning.

    Batches differ, but an epoch holds all rows: what its mean does, the steps have done.

    Args:
        name: The loss.
        means: Its means over the last epochs.
        event: The Event just done.
    """
    if not np.isfinite(means).all():
        return
    ways = np.diff(means)
    far = np.abs(ways) >= EPOCH_SWING * float(np.abs(means).mean())
    turns = int(((ways[1:] * ways[:-1] < 0) & far[1:] & far[:-1]).sum())
    share = turns / len(means)
    if share > TURNS:
        note = (
            f"In {turns} of the last {len(means)} epochs, the mean of {name} over the epoch turned "
            f"back by at least {100 * EPOCH_SWING:.0f} % of its size, although each holds the same "
            "rows"
        )
        yield Observation("loss-oscillating", (name,), (event,), note, 100 * share)


def overfitting(
    held_out: str, values: NDArray[np.floating], lowest: float, event: int
) -> Observation | None:
    """Compare a held-out loss with the training loss of the same model.

    Args:
        held_out: The loss's name.
        values: Both losses in the last rows; NaN where one was not computed.
        lowest: The lowest value of the held-out loss so far.
        event: The Event just done.
    """
    outside, inside = (column[np.isfinite(column)] for column in values.T)
    if len(outside) < 2 or not len(inside) or not (inside > 0).all():  # noqa: PLR2004 - or chance
        return None
    gap = float((outside.mean() - inside.mean()) / inside.mean())
    if gap > OVERFIT and outside.mean() > (1 + OVERFIT) * lowest:
        return Observation("overfitting", (held_out,), (event,), value=gap)
    return None


def unchanged(
    series: Curves, names: Sequence[str], rows: NDArray[np.floating], event: int
) -> Iterator[Observation]:
    """Look for weights that do not change although they have a gradient, while others move."""
    if len(names) < 2:  # noqa: PLR2004 - one alone has nothing to be compared with
        return
    norm, update, gradient = (
        rows[:, [series.place(f"{kind}/{name}{ending}") for name in names]]
        for kind, ending in (("norm", ""), ("update", ""), ("norm", ".grad"))
    )
    still = (update <= STILL_ABSOLUTE + STILL_RELATIVE * norm) & np.isfinite(gradient)
    moved = np.isfinite(update) & (update > STILL_ABSOLUTE + STILL_RELATIVE * norm)
    if not (moved.mean(axis=0) > 0.5).any():  # noqa: PLR2004 - more often than not
        return
    found = np.flatnonzero(still.all(axis=0) & (norm > 0).all(axis=0)).tolist()
    if found:
        value = float((update[:, found] / norm[:, found]).max())
        note = others(len(found) - 1)
        yield Observation("unchanged-parameter", (names[found[0]],), (event,), note, value)


def others(count: int) -> str:
    """Return how many more weights the same is true of; only the first is named.

    Example:
        >>> others(0), others(8)
        ('', ' and 8 more weights')
    """
    return f" and {pluralize(count, 'more weight')}" if count else ""
