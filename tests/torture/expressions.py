"""Random expressions as watches, conditions of breakpoints and texts of log lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.debugger import Debugger
from gradstep.program.gallery import scenarios
from gradstep.script.mirror import Mirror
from tests.core.script.sent_frames import descent, take

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence
    from pathlib import Path

__all__ = ["prepare"]

_NAMES = (
    *("loss", "iteration", "epoch", "event", "data", "grad", "buf", "any_data", "any_grad"),
    *("raised", "non_finite", "new_finding", "pi", "inf", "nan", "True", "None", "x", "fit"),
)
_FUNCTIONS = (
    *("is_none", "isnan", "isinf", "any", "all", "isfinite", "norm", "sum", "mean", "std", "min"),
    *("max", "abs", "sign", "sqrt", "log", "exp", "dot", "changed", "data", "grad", "activation"),
    *("since_best", "state", "lr", "option", "eval", "__import__", "getattr"),
)
_READING = ("data", "grad", "activation", "changed", "since_best", "lr", "is_none")
_TEXTS = (
    *("x", "x.grad", "model.0.weight", "model.0.weight[0, 1]", "model.1", "loss", "optimizer"),
    *("momentum_buffer", "exp_avg", "step", "lr", "momentum", "betas", "min", "val", "", "x[", "é"),
    *("model.0.weight[9]", "x[-1]", "optimizer.x.momentum_buffer", "..", "x" * 300),
)
_NUMBERS = ("0", "1", "-1", "2", "0.5", "1e308", "1e400", "10**9", "2**-1074", "1j", "9" * 400)
_OPERATORS = (
    *("+", "-", "*", "/", "**", "//", "%", "@", "<", "<=", "==", "!=", ">", ">=", "and", "or"),
    *("in", "is", "is not", "if"),
)
_COMPARING = ("<", ">=", "==", "and", "or")
_PROGRAMS = ("01", "03", "07", "12", "16", "22")


def prepare(folder: Path) -> Callable[[random.Random], str]:
    """Return an attack on programs that stand before, amid and after some iterations."""
    del folder
    paths = [
        next(item.path for item in scenarios() if item.id.startswith(number))
        for number in _PROGRAMS
    ]

    stream = descent(4, momentum=0.9).stream

    def opened(draw: random.Random) -> Debugger:
        if draw.random() < 0.2:
            debugger = Debugger(Mirror(take(stream)))
            debugger.follow()
            debugger.seek(draw.choice((0, 3, 9)))
            return debugger
        debugger = Debugger.open(draw.choice(paths))
        for _ in range(draw.choice((0, 2, 9))):
            debugger.step_over()
        return debugger

    def case(draw: random.Random) -> str:
        debugger = opened(draw)
        known = [*debugger.program.tensors, *debugger.program.losses]
        texts = known * 12 + [f"{name}.grad" for name in known] + list(_TEXTS)
        text = _damaged(draw, expression(draw, draw.randrange(1, 4), texts))
        match draw.randrange(3):
            case 0:
                debugger.watch(text)
            case 1:
                debugger.break_when(text)
            case _:
                debugger.break_when("event >= 0", log=f"{{{text}}} of {{loss}}")
        _ = debugger.watches.records(compare=False), debugger.breakpoints.records
        reason = debugger.run(2)
        _ = debugger.watches.records(compare=True), reason.sentence, debugger.breakpoints.lines
        if draw.random() < 0.3:
            debugger.run_back()
        return "opened"

    return case


def expression(draw: random.Random, depth: int, texts: Sequence[str] = _TEXTS) -> str:
    """Return a random expression, most often one that compiles.

    Args:
        draw: Chooses.
        depth: How deep it is nested.
        texts: Addresses, and what looks like them.
    """

    def part() -> str:
        return expression(draw, depth - 1, texts)

    def call() -> str:
        return f"{draw.choice(_FUNCTIONS)}({', '.join(part() for _ in range(draw.randrange(3)))})"

    def reading() -> str:
        return f"{draw.choice(_READING)}({draw.choice(texts)!r})"

    def choice(*texts: str) -> Callable[[], str]:
        return lambda: draw.choice(texts)

    leaves = (
        *(choice(*_NUMBERS), choice(*_NAMES)),
        *(choice(*_NAMES[:12]),) * 3,
        *(reading,) * 5,
    )
    trees = (
        lambda: f"({part()} {draw.choice(_OPERATORS)} {part()})",
        *(lambda: f"({part()} {draw.choice(_OPERATORS[:4])} {part()})",) * 4,
        *(lambda: f"({part()} {draw.choice(_COMPARING)} {part()})",) * 3,
        lambda: f"{draw.choice(('not ', '-', '-', '+'))}{part()}",
        lambda: f"{reading()}[{draw.choice(('0', '-1', '0, 1', ':', '::2', '99', part()))}]",
        call,
        *(lambda: f"{draw.choice(_FUNCTIONS[:12])}({part()})",) * 3,
        *(lambda: f"{draw.choice(_FUNCTIONS[:12])}({reading()})",) * 2,
    )
    return draw.choice(trees if depth else leaves)()


def _damaged(draw: random.Random, text: str) -> str:
    """Return the text, now and then with a character removed or doubled."""
    if draw.random() < 0.95 or not text:
        return text
    at = draw.randrange(len(text))
    return draw.choice((text[:at] + text[at + 1 :], text[:at] + text[at] * 200 + text[at:]))
