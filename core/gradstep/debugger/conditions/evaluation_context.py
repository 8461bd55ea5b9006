"""EvaluationContext: the values of the names in a condition, and the marker for a missing one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.debugger.conditions.best_values import SinceBest
from gradstep.history.live_values import array_of, gradient_of, read
from gradstep.history.reads_writes import Address

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from numpy.typing import NDArray

    from gradstep.debugger.conditions.condition import Memory
    from gradstep.history.debuggee import Debuggee
    from gradstep.history.history import History
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.program.expressions.compiler import ExpressionFunction

__all__ = [
    "MISSING",
    "SCOPED",
    "EvaluationContext",
    "RecordedContext",
    "logs_every_loss",
    "or_missing",
]

SCOPED = ("data", "grad", "buf")
"""Names that mean each parameter in turn."""

_BUFFERS = ("momentum_buffer", "exp_avg")
"""State entries that `buf` means in a condition, the first one there is."""


class _Missing:
    """A missing value: no comparison with it holds."""

    def __repr__(self) -> str:
        return "None"

    def __bool__(self) -> bool:
        return False

    def _never(self, *_: object) -> bool:
        return False

    def _itself(self, *_: object) -> _Missing:
        return self

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return id(self)

    __lt__ = __le__ = __gt__ = __ge__ = __ne__ = _never
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _itself
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = _itself
    __neg__ = __pos__ = __getitem__ = _itself
    __array_ufunc__ = None


MISSING = _Missing()


def or_missing(value: Any) -> Any:  # noqa: ANN401 - passed through
    """Return a value, or `MISSING` for None."""
    return MISSING if value is None else value


def _never(_event: int) -> bool:
    return False


def _no_activation(_event: int, _name: str, _losses: Collection[str]) -> None:
    return None


def _no_count(_event: int, _name: str, _best: str) -> None:
    return None


@dataclass(slots=True)
class EvaluationContext(Mapping[str, Any]):
    """The values of the names in a condition, looked up in the live program on use.

    Attributes:
        program: The program, standing at this moment.
        event: How many Events there are up to now.
        last_loss: The loss that was computed last; empty when there is none.
        applied: The last Event; None at the start.
        is_finding_new: Returns whether a finding was first reported at an Event.
        scope: The parameter that `data`, `grad` and `buf` mean.
        activations: Returns the output of a layer after an Event, by its name and the losses whose
            Forwards count; None when there is none.
        counts: Returns how often a loss or metric was computed since its best value, by the Event,
            its name, and "min" or "max"; None when it was never computed.
    """

    program: Debuggee
    event: int = 0
    last_loss: str = ""
    applied: AppliedEvent | None = None
    is_finding_new: Callable[[int], bool] = _never
    scope: str = ""
    activations: Callable[[int, str, Collection[str]], NDArray[Any] | None] = _no_activation
    counts: Callable[[int, str, str], int | None] = _no_count

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - a number, an array, or none
        if name in self.program.losses:
            return self.loss(name)
        get = _NAMES.get(name)
        if get is None:
            raise KeyError(name)
        return get(self)

    def __iter__(self) -> Iterator[str]:
        yield from {**_NAMES, **self.program.losses}

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def advance(self, applied: AppliedEvent) -> None:
        """Follow the program, which has just applied an Operation."""
        self.event, self.applied = applied.index, applied
        if applied.loss is not None:
            name = applied.reads_writes.written_losses[-1]
            if name not in self.program.spec.metrics:
                self.last_loss = name

    def functions(
        self,
        remember: Callable[[Callable[[Any], Any]], Memory],  # noqa: ARG002 - for those that add some
    ) -> Mapping[str, ExpressionFunction]:
        """Return the functions that expressions have in this context alone.

        Args:
            remember: Registers a closure whose value is remembered whenever that of `changed` is.
        """
        return {}

    @property
    def iteration(self) -> int:
        """How many whole passes of the loop are complete."""
        return self.program.iteration

    @property
    def parameters(self) -> tuple[str, ...]:
        """What `data`, `grad` and `buf` mean in turn: every tensor that is not a buffer."""
        buffers = self.program.buffers
        return tuple(name for name in self.program.tensors if name not in buffers)

    def loss(self, name: str) -> Any:  # noqa: ANN401 - a number, or none
        """Return the last value of a loss."""
        return or_missing(read(self.program, Address("loss", name)))

    def activation(self, name: str, losses: Collection[str]) -> Any:  # noqa: ANN401 - an array, or none
        """Return the output of a layer in the last Forward of any of these losses."""
        return or_missing(self.activations(self.event, name, losses))

    def since_best(self, name: str, best: str) -> Any:  # noqa: ANN401 - a number, or none
        """Return how often a loss or metric was computed since its "min" or "max"."""
        return or_missing(self.counts(self.event, name, best))

    def memory(self) -> Any:  # noqa: ANN401 - an array, or none
        """Return the momentum buffer or first moment of the scoped parameter."""
        for optimizer in self.program.optimizers:
            for key in _BUFFERS:
                kept = read(self.program, Address("state", self.scope, optimizer, key))
                if kept is not None:
                    return kept
        return MISSING

    def gradients(self) -> Any:  # noqa: ANN401 - an array, or none
        """Return the elements of all gradients, flattened."""
        return _flattened(gradient_of(tensor) for tensor in self.program.tensors.values())

    def weights(self) -> Any:  # noqa: ANN401 - an array, or none
        """Return the elements of all parameters, flattened."""
        tensors = self.program.tensors
        return _flattened(array_of(tensors[name]) for name in self.parameters)

    def non_finite(self) -> bool:
        """Whether the last Event wrote a NaN or an Inf."""
        applied, tensors = self.applied, self.program.tensors
        if applied is None:
            return False
        if applied.loss is not None and not isfinite(applied.loss):
            return True
        written = applied.reads_writes
        return not (
            all(
                _is_finite(gradient_of(tensors[name]))
                for name in written.written_gradients
                if name in tensors
            )
            and all(
                _is_finite(array_of(tensors[name]))
                for name in written.written_tensors
                if name in tensors
            )
        )


_NAMES: Mapping[str, Callable[[EvaluationContext], Any]] = {
    "loss": lambda context: context.loss(context.last_loss),
    "iteration": lambda context: context.iteration,
    "epoch": lambda context: or_missing(context.program.epoch),
    "event": lambda context: context.event,
    "data": lambda context: or_missing(read(context.program, Address("data", context.scope))),
    "grad": lambda context: or_missing(read(context.program, Address("grad", context.scope))),
    "buf": EvaluationContext.memory,
    "any_data": EvaluationContext.weights,
    "any_grad": EvaluationContext.gradients,
    "raised": lambda context: context.applied is not None and not context.applied.outcome.ok,
    "non_finite": EvaluationContext.non_finite,
    "new_finding": lambda context: context.is_finding_new(context.event),
}


def _flattened(arrays: Iterable[NDArray[Any] | None]) -> Any:  # noqa: ANN401 - as above
    parts = [array.reshape(-1) for array in arrays if array is not None]
    return np.concatenate(parts) if parts else MISSING


def _is_finite(array: NDArray[Any] | None) -> bool:
    return array is None or bool(np.isfinite(array).all())


class RecordedContext(EvaluationContext):
    """The context of a past moment, as far as the Event log alone can give it.

    Args:
        program: For the names of its losses.
        history: The branch.
        is_finding_new: Returns whether a finding was first reported at an Event.
    """

    __slots__ = ("_forwards", "_history")

    def __init__(
        self, program: Debuggee, history: History, is_finding_new: Callable[[int], bool]
    ) -> None:
        super().__init__(
            program, is_finding_new=is_finding_new, counts=SinceBest(lambda: history.log)
        )
        self._history = history
        self._forwards: dict[str, NDArray[np.int64]] = {}

    def move_to(self, index: int) -> None:
        """Give the values after an Event from now on."""
        self.event = index
        self.applied = self._history.applied_event(index) if index else None

    @property
    def iteration(self) -> int:
        """How many whole passes of the loop were complete."""
        applied = self.applied
        return 0 if applied is None else applied.iteration + applied.completes

    def loss(self, name: str) -> Any:  # noqa: ANN401 - a number, or none
        """Return the last value of a loss, or of any loss when the name is empty."""
        if name not in self._forwards:
            log = self._history.log
            self._forwards[name] = log.find(
                0,
                len(log),
                reads_writes=lambda found: bool(
                    name in found.written_losses
                    if name
                    else set(found.written_losses).difference(self.program.spec.metrics)
                ),
                outcome=lambda found: found.ok,
            )
        past = self._forwards[name]
        count = int(np.searchsorted(past, self.event, side="right"))
        return self._history.log.brief(int(past[count - 1]))[4] if count else MISSING


def logs_every_loss(history: History) -> bool:
    """Whether the Event log has each loss; of a Step with several evaluations it has their sum."""
    return all(len(known.written_losses) <= 1 for known in history.log.vocabulary.all_reads_writes)
