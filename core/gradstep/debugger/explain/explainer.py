"""Explainer: why parameters moved, where gradients come from, who holds and writes tensors."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from gradstep.debugger.cursor import quiet
from gradstep.debugger.explain.change import explain
from gradstep.debugger.explain.last_writer import last_writer
from gradstep.debugger.explain.provenance import contributions
from gradstep.debugger.shadow_program import ShadowProgram
from gradstep.diagnostics.facts.optimizer_bindings import bindings_of
from gradstep.errors import OperationError
from gradstep.program.suggestions import nearest
from gradstep.stopping import never

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gradstep.debugger.cursor import Cursor
    from gradstep.debugger.state_reader import StateReader
    from gradstep.history.records.explanation import Binding, Contribution, Explanation

__all__ = ["Explainer"]


class Explainer:
    """Explains the current moment. Past moments are replayed on a second program.

    Args:
        cursor: The live program's place in time.
        reader: Looks at past moments on the live program, for the writer of one element.
    """

    __slots__ = ("_cursor", "_reader", "_shadow")

    def __init__(self, cursor: Cursor, reader: StateReader) -> None:
        self._cursor = cursor
        self._reader = reader
        self._shadow: ShadowProgram | None = None

    @quiet
    def explain(
        self, parameter: str, *, should_stop: Callable[[], bool] | None = None
    ) -> Explanation:
        r"""Explain the last change of a parameter, or why the last step did not move it.

        The optimizer's own code splits a step's change, run on arrays that track their parts; the
        parts add up to the change,

        .. math:: \theta_t - \theta_{t-1} = \sum_s \Delta_s

        See `gradstep.optim.attribution` for what is linear and what counts as a factor, and
        `gradstep.debugger.explain.step_change` for the order of attribution.

        Args:
            parameter: The tensor's name.
            should_stop: Asked now and then; True cancels.

        Returns:
            The terms, of the parameter's shape, and a sentence.

        Raises:
            OperationError: There is no tensor of that name.
            StoppedError: It was cancelled.
            ReplayError: A replay did not reproduce what was recorded.

        Example:
            >>> from gradstep.debugger import Debugger
            >>> from gradstep.program.document.codec import decode
            >>> dbg = Debugger(decode(b'''{"gradstep": 1, "dtype": "float64",
            ...     "tensors": {"x": {"value": [1, 2], "requires_grad": true}},
            ...     "losses": {"loss": {"expression": "sum(x * x)"}},
            ...     "optimizers": {"sgd": {"kind": "SGD", "params": ["x"], "lr": 0.25,
            ...                            "momentum": 0.5}}}'''))
            >>> _ = dbg.iterate(1), dbg.zero_grad(set_to_none=False), dbg.step()
            >>> why = dbg.explain("x")
            >>> print(why.sentence)
            x moved by 0.559 (norm) in Event 6 although its gradient was zero:
            100 % momentum memory (loss, last step).
            >>> [(term.name, term.value.tolist()) for term in why.terms], why.total.tolist()
            ([('momentum memory', [-0.25, -0.5])], [-0.25, -0.5])
        """
        self._check(parameter)
        cursor = self._cursor
        with self._shadowing(should_stop) as shadow:
            return explain(shadow, cursor.program, cursor.history, cursor.position, parameter)

    @quiet
    def provenance(
        self, parameter: str, *, should_stop: Callable[[], bool] | None = None
    ) -> tuple[Contribution, ...]:
        """Return which Events contributed to the gradient of a parameter.

        Args:
            parameter: The tensor's name.
            should_stop: Asked now and then; True cancels.

        Returns:
            What each Backward since the last clearing added, in order; added up in that order
            they are `.grad`, bit for bit. Clipping is a contribution too, the difference that it
            made, and then they add up to rounding. Beyond 64 Events the earliest are merged into
            one. Empty when `.grad` is None, or was only cleared.

        Raises:
            OperationError: There is no tensor of that name.
            StoppedError: It was cancelled.
            ReplayError: A replay did not reproduce what was recorded.

        Example:
            >>> from gradstep.debugger import Debugger
            >>> from gradstep.program.document.codec import decode
            >>> dbg = Debugger(decode(b'''{"gradstep": 1,
            ...     "tensors": {"x": {"value": [1, 2], "requires_grad": true}},
            ...     "losses": {"a": {"expression": "sum(x * x)"},
            ...                "b": {"expression": "sum(x)"}}}'''))
            >>> for loss in ("a", "b"):
            ...     _ = dbg.forward(loss), dbg.backward(loss)
            >>> [(part.event, part.loss, part.value.tolist()) for part in dbg.provenance("x")]
            [(2, 'a', [2.0, 4.0]), (4, 'b', [1.0, 1.0])]
        """
        self._check(parameter)
        cursor = self._cursor
        with self._shadowing(should_stop) as shadow:
            return contributions(shadow, cursor.history, cursor.position, parameter)

    def bindings(self) -> tuple[Binding, ...]:
        """Return which optimizer holds which tensor, by identity.

        Returns:
            Every tensor but buffers, once for each parameter group that holds it, or once without
            one; then the tensors that optimizers hold although their modules replaced them.

        Example:
            >>> from gradstep.debugger import Debugger
            >>> from gradstep.program.document.codec import decode
            >>> dbg = Debugger(decode(b'''{"gradstep": 1,
            ...     "tensors": {"x": {"value": 1, "requires_grad": true},
            ...                 "y": {"value": 2, "requires_grad": true}},
            ...     "losses": {"loss": {"expression": "x * y"}},
            ...     "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"]}}}'''))
            >>> [(item.tensor, item.optimizer, item.group, item.status) for item in dbg.bindings()]
            [('x', 'optimizer', 0, 'held'), ('y', '', None, 'orphan')]
        """
        return bindings_of(self._cursor.program).matrix()

    @quiet
    def last_writer(
        self, address: str, *, should_stop: Callable[[], bool] | None = None
    ) -> int | None:
        """Return the last Event up to the current moment that wrote a value.

        Args:
            address: As Events name what they write: "model.0.weight", "model.0.weight.grad",
                "optimizer/model.0.weight/exp_avg", "optimizer/lr", "loss"; or "optimizer/1/lr", of
                group 1. Of one element, such as "model.0.weight[0, 1]", it is the last Event that
                gave it another value.
            should_stop: Asked while it looks for an element; True cancels.

        Returns:
            Its index; None when no Event wrote it.

        Raises:
            ExpressionError: There is no such value.

        Example:
            >>> from gradstep.debugger import Debugger
            >>> from gradstep.program.document.codec import decode
            >>> dbg = Debugger(decode(b'''{"gradstep": 1,
            ...     "tensors": {"x": {"value": [1, 2], "requires_grad": true}},
            ...     "losses": {"loss": {"expression": "sum(100 * x)"}},
            ...     "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}}}'''))
            >>> _ = dbg.forward(), dbg.backward(), dbg.step()
            >>> dbg.who_changed("x"), dbg.who_changed("x.grad"), dbg.who_changed("x[1]")
            (3, 2, 3)
        """
        cursor = self._cursor
        return last_writer(
            cursor.program, cursor.history, cursor.position, address, self._reader, should_stop
        )

    def _check(self, parameter: str) -> None:
        known = self._cursor.program.tensors
        if parameter not in known:
            raise OperationError(f"there is no tensor {parameter!r}", nearest(parameter, known))

    @contextmanager
    def _shadowing(self, should_stop: Callable[[], bool] | None) -> Iterator[ShadowProgram]:
        """Give the second program, which is built when it is first needed."""
        if self._shadow is None:
            self._shadow = ShadowProgram(self._cursor.program)
        self._shadow.should_stop = should_stop or never
        try:
            yield self._shadow
        finally:
            self._shadow.should_stop = never
