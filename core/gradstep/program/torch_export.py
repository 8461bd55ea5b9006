"""A program as a PyTorch script that does the same, or as a test that asserts recorded numbers."""

from __future__ import annotations

from fnmatch import fnmatchcase
from textwrap import dedent, indent
from typing import TYPE_CHECKING, NamedTuple

from gradstep.errors import UnsupportedError
from gradstep.program import operation as ops
from gradstep.program.files import HeldFiles
from gradstep.program.gallery import lesson
from gradstep.program.listing import LineSpan, Listing
from gradstep.program.program import Program
from gradstep.program.spec import LoopLine
from gradstep.program.torch_parts import Parts, header_source
from gradstep.program.torch_source import array_sketch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gradstep.program.operation import Operation

__all__ = ["Recorded", "export_script", "export_test", "list_program"]

_MOST_TESTED_LOSSES = 200
_MOST_LINES = 20_000
_TOLERANCE = {"float32": "rel_tol=1e-3, abs_tol=1e-5", "float64": "rel_tol=1e-8, abs_tol=1e-10"}


class Recorded(NamedTuple):
    """One Operation that was carried out, and the loss when it was a Forward."""

    operation: Operation
    loss: float | None = None


def export_script(program: Program) -> str:
    """Return a script that runs the program's loop from its start, on torch alone.

    It draws torch's numbers from the program's seed, which are those the program itself has drawn.

    Args:
        program: Its present state does not matter.

    Raises:
        UnsupportedError: When the loop does something that a script cannot.

    Example:
        >>> from gradstep.program.document import decode
        >>> program = Program.from_spec(decode(
        ...     b'{"gradstep": 1, "tensors": {"x": {"value": [1, 2], "requires_grad": true}},'
        ...     b' "losses": {"loss": {"expression": "sum(100 * x)"}},'
        ...     b' "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}}}'))
        >>> "optimizer = torch.optim.SGD([x], lr=0.001)" in export_script(program)
        True
    """
    program = _fresh(program)
    return _script(program, Parts(program))[0]


def list_program(program: Program) -> Listing:
    """Return the program to be read: its script with data only hinted at, and its lesson.

    Args:
        program: Its present state does not matter.

    Example:
        >>> from gradstep.program.document import decode
        >>> listing = list_program(Program.from_spec(decode(
        ...     b'{"gradstep": 1, "tensors": {"x": {"value": [1, 2], "requires_grad": true}},'
        ...     b' "losses": {"loss": {"expression": "sum(100 * x)"}},'
        ...     b' "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}}}')))
        >>> listing.code.splitlines()[listing.spans[2].first - 1]
        '    loss.backward()'
    """
    spec = program.spec
    code, spans = _script(program, Parts(_fresh(program), array_sketch))
    return Listing(spec.name, lesson(spec), code, spans)


def _script(program: Program, parts: Parts) -> tuple[str, tuple[LineSpan, ...]]:
    """Return the script, and where in it each line of the loop is."""
    lines = _loop_lines(program)
    losses = [
        line.operation.loss
        for line in lines
        if isinstance(line.operation, ops.Forward) and line.every == 1
    ]
    shown = ", ".join(f"{name} {{{parts.name('losses', name)}.item():.6g}}" for name in losses)
    loop = [indent(text, "    ") for text in _body(lines, parts)]
    tail = []
    if shown:
        every = max(1, program.spec.iterations // 10)
        tail = [
            f"    if iteration % {every} == 0:",
            f'        print(f"iteration {{iteration}}: {shown}")',
        ]
    setup = f"{parts.setup()}\n\nfor iteration in range(1, {program.spec.iterations} + 1):\n"
    body = setup + "\n".join([*loop, *tail, ""])
    head = f"{_docstring(program)}\n{header_source(body)}"
    spans = []
    first = f"{head}{setup}".count("\n") + 1
    for line, text in zip(lines, loop, strict=True):
        last = first + text.count("\n")
        spans.append(LineSpan(line.operation, first, last, line.every))
        first = last + 1
    return head + body, tuple(spans)


def export_test(program: Program, recorded: Sequence[Recorded]) -> str:
    """Return a test for pytest that runs the same on torch and compares the losses.

    Args:
        program: Its present state does not matter.
        recorded: What was carried out from its start, in order.

    Raises:
        UnsupportedError: When something recorded cannot be done, or compared, on torch.
    """
    program = _fresh(program)
    parts = Parts(program)
    if parts.has_dropout:
        raise UnsupportedError(
            "the program has Dropout, whose masks follow another stream than torch's",
            "export it without --test, or set p to 0",
        )
    steps = _up_to_losses(recorded)
    expected = [
        f'    ("{step.operation.loss}", {_number(step.loss)}),'
        for step in steps
        if isinstance(step.operation, ops.Forward)
    ]
    body = "\n".join(
        [
            "RECORDED = [",
            *expected,
            "]",
            "",
            "",
            "def losses():",
            '    """Yield the name and the value of each loss as it is computed."""',
            indent(parts.setup(), "    "),
            *(indent(text, "    ") for text in _steps(steps, program, parts)),
            _COMPARISON.format(tolerance=_TOLERANCE[program.spec.dtype]),
        ]
    )
    return f"{_docstring(program)}\n{header_source(body)}{body}"


_COMPARISON = dedent("""

    def test_torch_gives_the_recorded_losses():
        found = list(itertools.islice(losses(), len(RECORDED)))
        assert [name for name, _ in found] == [name for name, _ in RECORDED]
        for number, ((name, value), (_, expected)) in enumerate(zip(found, RECORDED), 1):
            same = math.isclose(value, expected, {tolerance})
            both_nan = math.isnan(value) and math.isnan(expected)
            assert same or both_nan, f"Forward {{number}}: {{name}} is {{value}}, not {{expected}}"


    if __name__ == "__main__":
        test_torch_gives_the_recorded_losses()
        print(f"torch gives the {{len(RECORDED)}} recorded losses")
""")


def _fresh(program: Program) -> Program:
    """Return the program as it was before anything happened to it."""
    return Program.from_spec(program.spec, files=HeldFiles(program.files))


def _loop_lines(program: Program) -> list[LoopLine]:
    return program.spec.loop or [LoopLine(operation) for operation in program.loop_operations()]


def _docstring(program: Program) -> str:
    title = " ".join(program.spec.name.split()) or "A program"
    plain = title.replace("\\", "/").replace('"', "'")
    return f'"""{plain}, as GradStep runs it; written by `gradstep export`."""\n'


def _body(lines: Sequence[LoopLine], parts: Parts, *, yielding: bool = False) -> Iterator[str]:
    """Yield the statements of one iteration."""
    for line in lines:
        text = _statements(line.operation, parts, yielding=yielding)
        if line.every == 1:
            yield text
        else:
            yield f"if iteration % {line.every} == 0:\n{indent(text, '    ')}"


def _steps(steps: Sequence[Recorded], program: Program, parts: Parts) -> list[str]:
    """Return what was recorded: as the program's loop where it is that, else line by line."""
    lines = _loop_lines(program)
    operations = [step.operation for step in steps]
    if lines and operations == _looped(lines, len(operations)):
        body = list(_body(lines, parts, yielding=True))
        return ["for iteration in itertools.count(1):", *(indent(text, "    ") for text in body)]
    if len(operations) > _MOST_LINES:
        raise UnsupportedError(
            f"{len(operations)} Operations were applied in an order that is not the loop's",
            f"export a session with at most {_MOST_LINES}",
        )
    return [_statements(operation, parts, yielding=True) for operation in operations]


def _looped(lines: Sequence[LoopLine], count: int) -> list[Operation]:
    """Return the first `count` Operations that the loop runs."""
    found: list[Operation] = []
    iteration = 0
    while len(found) < count:
        iteration += 1
        found += [line.operation for line in lines if iteration % line.every == 0]
    return found[:count]


def _up_to_losses(recorded: Sequence[Recorded]) -> Sequence[Recorded]:
    """Return what was recorded up to the last loss that is compared."""
    places = [
        place for place, step in enumerate(recorded) if isinstance(step.operation, ops.Forward)
    ][:_MOST_TESTED_LOSSES]
    if not places:
        raise UnsupportedError("no loss was recorded", "run an iteration before exporting a test")
    return recorded[: places[-1] + 1]


def _number(loss: float | None) -> str:
    return repr(loss) if loss is not None and abs(loss) < float("inf") else f'float("{loss}")'


def _statements(operation: Operation, parts: Parts, *, yielding: bool) -> str:  # noqa: C901, PLR0911, PLR0912 - one line a kind
    """Return the statements that do what an Operation does."""
    match operation:
        case ops.ZeroGrad(name, set_to_none):
            return f"{parts.name('optimizers', name)}.zero_grad({'' if set_to_none else 'False'})"
        case ops.Forward(name, batch):
            text = parts.forward(name, held=batch == "held")
            value = parts.name("losses", name)
            return f'{text}\nyield "{name}", {value}.item()' if yielding else text
        case ops.Backward(name, retain_graph):
            flag = "retain_graph=True" if retain_graph else ""
            return f"{parts.name('losses', name)}.backward({flag})"
        case ops.Step(name):
            return f"{parts.name('optimizers', name)}.step()"
        case ops.SchedulerStep(name, metric):
            value = f"{parts.name('losses', metric)}.item()" if metric else ""
            return f"{parts.name('schedulers', name)}.step({value})"
        case ops.ClipGradNorm(max_norm, name, norm_type):
            held = f"held({parts.name('optimizers', name)})"
            return f"nn.utils.clip_grad_norm_({held}, {max_norm!r}, norm_type={norm_type!r})"
        case ops.ClipGradValue(clip_value, name):
            held = f"held({parts.name('optimizers', name)})"
            return f"nn.utils.clip_grad_value_({held}, {clip_value!r})"
        case ops.SetHyperparameter(key, value, name, group):
            plain = tuple(value) if isinstance(value, list) else value
            return f'{parts.name("optimizers", name)}.param_groups[{group}]["{key}"] = {plain!r}'
        case ops.Freeze(pattern, frozen):
            chosen = [name for name in parts.tensors if fnmatchcase(name, pattern)]
            calls = (f"{parts.tensor(name)}.requires_grad_({not frozen})" for name in chosen)
            return "\n".join(calls)
        case ops.SetMode(training, module):
            chosen = [module] if module else list(parts.modules)
            return "\n".join(f"{parts.name('modules', name)}.train({training})" for name in chosen)
        case ops.RebuildModule(name):
            return f"{parts.name('modules', name)} = {parts.module(name)}"
        case ops.Skip(skipped):
            return f"pass  # left out: {_statements(skipped, parts, yielding=False)}"
        case ops.ReplaceOptimizer() | ops.SetBatchSize():
            raise UnsupportedError(
                f"{type(operation).__name__} has no counterpart in a script", "leave it out"
            )
        case ops.LoadState():
            raise UnsupportedError(
                "LoadState goes back in a History, which a script has not", "leave it out"
            )
