"""Sessions that are replayed by other arithmetic, as of another NumPy, thread count or machine.

A replay that gives other bits is told where the cursor lands, and what was recorded stays readable:
Events, curves, the moment that was saved. The file is unharmed by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.debugger import Debugger
from gradstep.errors import GradStepError, ReplayError
from gradstep.program.gallery import scenarios
from gradstep.program.operation import Backward, SetHyperparameter
from gradstep.program.program import Program
from tests.torture.sessions import plain

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

    from gradstep.program.operation import Operation

__all__ = ["OtherArithmetic", "prepare"]


class OtherArithmetic:
    """Gives each gradient that a Backward makes another last bit, while it is on."""

    def __init__(self) -> None:
        self.is_on = False
        self._run = Program.run
        Program.run = self._altered(Program.run)  # type: ignore[method-assign]

    def end(self) -> None:
        """Compute as before from now on."""
        Program.run = self._run  # type: ignore[method-assign]

    def _altered(self, run: Callable[..., Any]) -> Callable[..., Any]:
        def altered(program: Program, operation: Operation) -> Any:
            effect = run(program, operation)
            if self.is_on and isinstance(operation, Backward):
                for tensor in program.tensors.values():
                    if tensor._grad is not None:
                        array = tensor._grad._array
                        array[...] = np.nextafter(array, np.inf)
            return effect

        return altered


def prepare(folder: Path) -> Callable[[random.Random], str]:
    """Return an attack on sessions of the programs that ship."""
    paths = [entry.path for entry in scenarios()]
    other = OtherArithmetic()

    def case(draw: random.Random) -> str:
        other.is_on = False
        debugger = Debugger.open(draw.choice(paths))
        for _ in range(draw.randrange(1, 4)):
            debugger.iterate(draw.randrange(1, 6))
            if draw.random() < 0.3:
                debugger.seek(draw.randrange(len(debugger.events) + 1))
                debugger.fork()
        debugger.checkout(0)
        debugger.seek(draw.randrange(len(debugger.events) + 1))
        path = folder / "case.gradstep"
        debugger.save(path)
        recorded, curves = list(debugger.events), debugger.history.series.to_arrays()
        here = plain(debugger.program.capture())

        other.is_on = True
        opened = Debugger.open(path)
        assert plain(opened.program.capture()) == here, "the saved moment is another one"
        told = 0
        for _ in range(6):
            told += _tried(opened, draw)
            first = next(branch for branch in opened.branches if not branch.id)
            assert plain(list(first.history.events)[: len(recorded)]) == plain(recorded)
            found = first.history.series.to_arrays()
            for one, two in zip(curves, found, strict=True):
                np.testing.assert_array_equal(one, two[: len(one), : one.shape[1]])
        opened.save(path)
        other.is_on = False
        again = Debugger.open(path)
        assert not again.alteration
        kept = list(again.branches[0].history.events)[: len(recorded)]
        assert plain(kept) == plain(recorded)
        return "told" if told else "opened"

    return case


def _tried(debugger: Debugger, draw: random.Random) -> bool:
    """Do something; return whether a replay that diverged was reported."""
    count = len(debugger.events)
    place = draw.randrange(count + 1)
    tensor = draw.choice(list(debugger.program.tensors))
    uses: list[Callable[[], object]] = [
        *(lambda: debugger.seek(place),) * 4,
        debugger.back,
        debugger.step_into,
        lambda: debugger.explain(tensor),
        lambda: debugger.provenance(tensor),
        lambda: debugger.who_changed(tensor),
        lambda: debugger.what_if(skip=(max(1, place),)),
        lambda: debugger.compare(0, draw.choice(list(debugger.branches))),
        lambda: debugger.checkout(draw.choice(list(debugger.branches))),
        debugger.run_back,
        lambda: debugger.iterate(1),
        debugger.fork,
        lambda: debugger.apply(SetHyperparameter("lr", 0.5)),
        debugger.resume_check,
        lambda: (debugger.watch("loss"), debugger.watches.records()),
        lambda: (debugger.break_when("loss < 0"), debugger.run(2)),
        lambda: debugger.snapshot,
    ]
    use = draw.choice(uses)
    before = debugger.branches.current
    try:
        use()
    except ReplayError:
        shown = debugger.snapshot
        assert shown.event_index == debugger.position[0], "the window would show another moment"
        if use is uses[0] and debugger.branches.current is before:
            told = [item for item in debugger.findings if item.id == "replay-diverged"]
            assert told, "nothing is told where the cursor lands"
            assert debugger.position[0] < place
        return True
    except GradStepError:
        return False
    return False
