"""What the agent knows of an Operation: of its function beforehand, and of each call of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

    from gradstep_agent.sites import Site

_ONCE_AN_ITERATION = frozenset(("zero_grad", "backward", "step", "autograd_grad"))
_VALUES_KEPT = frozenset(("zero_grad", "backward", "autograd_grad"))
_WRITING = frozenset(
    (
        *_ONCE_AN_ITERATION,
        *("clip_grad_norm", "clip_grad_value", "scaler_unscale", "scaler_step"),
        *("load_state_dict", "update_by_hand", "clear_by_hand", "gradient_by_hand"),
    )
)
NAN = float("nan")


class WrappedFunction:
    """A function of torch that the agent sees, and how its calls are reported.

    Args:
        kind: One of the kinds in docs/agent_protocol.md.
        describe: Called with the Operation and the user's frame before it is announced: finds
            out its target, and what else there is to report.
        note: Called with the Operation before it where arrays are recorded: what `writes` needs.
        writes: Called with the Operation after the call: the tensors that it wrote, by address;
            None as the tensor when there is none any more.
        complete: Called with the Operation after the call, before it is recorded.
        enter: Called with the Operation before the call when a user steps into it; returns what
            is called after it.
        show: Called with the Operation and the user's frame when the script is held before it:
            returns what is sent only then, by name.
        repeats: Called with the ExpectedCall and the arguments: returns whether `describe` would
            find the same again. If it does, it has noted what `describe` would have noted.
    """

    __slots__ = (
        *("complete", "describe", "enter", "is_call", "is_writing", "keeps_values", "kind", "note"),
        *("has_trail", "repeats", "show", "writes"),
    )

    def __init__(
        self,
        kind: str,
        describe: Callable[[Operation, FrameType | None], None] | None = None,
        *,
        note: Callable[[Operation], object] | None = None,
        writes: Callable[[Operation], Sequence[tuple[str, Any]]] | None = None,
        complete: Callable[[Operation], None] | None = None,
        enter: Callable[[Operation], Callable[[], None]] | None = None,
        show: Callable[[Operation, FrameType | None], dict[str, Any]] | None = None,
        repeats: Callable[[Any, tuple[Any, ...]], bool] | None = None,
    ) -> None:
        self.kind = kind
        self.describe = describe
        self.note = note
        self.writes = writes
        self.complete = complete
        self.enter = enter
        self.show = show
        self.repeats = repeats or _never
        self.is_call = kind == "forward"
        self.has_trail = self.is_call or kind in _ONCE_AN_ITERATION
        self.is_writing = kind in _WRITING
        self.keeps_values = kind in _VALUES_KEPT


class Operation:
    """One call of a wrapped function.

    Attributes:
        target: What it is done to.
        detail: What else there is to report, as pairs of a name and a value.
        loss: What a Backward differentiates, as a number.
        began: When it began.
        events_before: How many Events there were when it began.
        keeps_gradients: Whether it is known not to change gradients.
        is_skipped: Whether it is skipped, because the user asked for that.
        enters: Whether a user steps into it.
        leave: What ends that.
        noted: What `WrappedFunction.note` returned.
        call: The ExpectedCall when it is done again.
        kept: What nodes of a graph had saved before a Backward, if that may explain a NaN.
    """

    target = ""
    detail: tuple[tuple[str, Any], ...] = ()
    loss = NAN
    began = 0.0
    events_before = 0
    keeps_gradients = False
    is_skipped = False
    enters = False
    leave: Callable[[], None] | None = None
    noted: Any = None
    call: Any = None
    kept: Any = None

    def __init__(
        self,
        function: WrappedFunction,
        site: Site,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        self.function = function
        self.site = site
        self.args = args
        self.kwargs = kwargs


def _never(_: object, __: tuple[Any, ...]) -> bool:
    return False
