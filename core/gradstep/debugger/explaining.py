"""Explaining: a cursor that tells why things are as they are at the present moment."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from gradstep.debugger.cursor import quiet
from gradstep.debugger.explain import contributions, explain
from gradstep.debugger.replica import Replica
from gradstep.debugger.stepping import Stepping
from gradstep.diagnostics.facts.optimizer_bindings import bindings_of
from gradstep.errors import OperationError
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gradstep.history.records.explanation import Binding, Contribution, Explanation

__all__ = ["Explaining"]


class Explaining(Stepping):
    """A cursor that explains. What is looked at for that is replayed aside."""

    _replica: Replica | None = None

    @quiet
    def explain(
        self, parameter: str, *, should_stop: Callable[[], bool] | None = None
    ) -> Explanation:
        r"""Tell why a parameter has last changed, or why the last step has left it as it was.

        A step's change is told apart by the optimizer's own code, run on arrays that remember what
        they are made of; the parts add up to the change,

        .. math:: \theta_t - \theta_{t-1} = \sum_s \Delta_s

        See `gradstep.optim.attribution` for what is linear and what is taken as a factor, and
        `gradstep.debugger.explain.step` for the order of attribution.

        Args:
            parameter: The tensor's name.
            should_stop: Asked now and then; True gives up.

        Returns:
            The terms, of the parameter's shape, and a sentence.

        Raises:
            OperationError: There is no tensor of that name.
            StoppedError: It was asked to stop.
            ReplayError: A replay did not give what was recorded.

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
            100 % momentum memory.
            >>> [(term.name, term.value.tolist()) for term in why.terms], why.total.tolist()
            ([('momentum memory', [-0.25, -0.5])], [-0.25, -0.5])
        """
        self._check(parameter)
        with self._aside(should_stop) as replica:
            return explain(replica, self._program, self.history, self._timeline.position, parameter)

    @quiet
    def provenance(
        self, parameter: str, *, should_stop: Callable[[], bool] | None = None
    ) -> tuple[Contribution, ...]:
        """Tell which Events have put the gradient of a parameter where it is.

        Args:
            parameter: The tensor's name.
            should_stop: Asked now and then; True gives up.

        Returns:
            What each Backward since the last clearing has added, in order; added up in that order
            they are `.grad`, bit for bit. A clipping is a contribution too, the difference that it
            has made, and then they add up but for rounding. Of more than 64 Events the earliest are
            told as one. Nothing when `.grad` is None, or has only been cleared.

        Raises:
            OperationError: There is no tensor of that name.
            StoppedError: It was asked to stop.
            ReplayError: A replay did not give what was recorded.

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
        with self._aside(should_stop) as replica:
            return contributions(replica, self.history, self._timeline.position, parameter)

    def bindings(self) -> tuple[Binding, ...]:
        """Tell which optimizer holds which tensor, by identity, and how the two go together.

        Returns:
            Every tensor that is no buffer, once for each parameter group that holds it, or once
            without one; then those that optimizers hold though their modules have replaced them.

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
        return bindings_of(self._program).matrix()

    def _check(self, parameter: str) -> None:
        known = self._program.tensors
        if parameter not in known:
            raise OperationError(f"there is no tensor {parameter!r}", nearest(parameter, known))

    @contextmanager
    def _aside(self, should_stop: Callable[[], bool] | None) -> Iterator[Replica]:
        """Give the replica, which is made when it is first needed."""
        if self._replica is None:
            self._replica = Replica(self._program)
        self._replica.should_stop = should_stop or bool
        try:
            yield self._replica
        finally:
            self._replica.should_stop = bool
