"""Export a program as an equivalent PyTorch script, or as a test of the recorded losses."""

from __future__ import annotations

from textwrap import dedent, indent
from typing import TYPE_CHECKING

from gradstep.errors import UnsupportedError
from gradstep.program import operation as ops
from gradstep.program.document.files import InMemoryFiles
from gradstep.program.gallery import lesson
from gradstep.program.listing import LineSpan, Listing
from gradstep.program.program import Program
from gradstep.program.schema.available_operations import additional_operations
from gradstep.program.schema.program_spec import LoopLine
from gradstep.program.torch_export.python_source import abbreviated_array_source
from gradstep.program.torch_export.script_body import (
    RecordedOperation,
    is_same_every_iteration,
    loop_body,
    needs_batch_state,
    recorded_body,
)
from gradstep.program.torch_export.script_objects import ScriptObjects, header_source

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["RecordedOperation", "export_script", "export_test", "list_program"]

_MAX_TESTED_LOSSES = 200
_TOLERANCE = {"float32": "rel_tol=1e-3, abs_tol=1e-5", "float64": "rel_tol=1e-8, abs_tol=1e-10"}

_MAX_TESTED_STEPS = {"float32": 2, "float64": 4}
_STEPS_TOLERANCE = {
    "float32": "rel_tol=1e-2, abs_tol=1e-4",
    "float64": "rel_tol=1e-4, abs_tol=1e-8",
}
"""The maximum number of tested Steps that evaluate the loss, and their tolerance. Each iteration
amplifies the rounding errors of those before, so a network's 100th shares no digit with torch's."""


def export_script(program: Program, recorded: Sequence[RecordedOperation] = ()) -> str:
    """Return a script that runs the program's loop, or recorded Operations, on torch alone.

    With the program's seed, torch draws the same random numbers as the program.

    Args:
        program: The program; its current state does not matter.
        recorded: The Operations applied from its start, in order; empty for the loop.

    Raises:
        UnsupportedError: If too many Operations were recorded outside the loop's order.

    Example:
        >>> from gradstep.program.document.codec import decode
        >>> program = Program.from_spec(decode(
        ...     b'{"gradstep": 1, "tensors": {"x": {"value": [1, 2], "requires_grad": true}},'
        ...     b' "losses": {"loss": {"expression": "sum(100 * x)"}},'
        ...     b' "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}}}'))
        >>> "optimizer = torch.optim.SGD([x], lr=0.001)" in export_script(program)
        True
    """
    program = _initial(program)
    if not recorded:
        script = ScriptObjects(program)
        if not is_same_every_iteration(_loop_lines(program), script):
            raise UnsupportedError(
                "a Step evaluates the next batch in some iterations, a Forward's batch in others",
                "record some iterations and export the session",
            )
        return _script(program, script)[0]
    script = ScriptObjects(program, sets_batch_state=needs_batch_state(recorded))
    lines = _loop_lines(program)
    tail = _print_statements(lines, script, program.spec.iterations)
    computed = {name for step in recorded for name in _compared(step, program)}
    body = "\n".join(
        [
            script.setup(),
            "",
            *recorded_body(recorded, lines, script, tail=tail),
            *(
                f'print(f"{name} {{{script.name("losses", name)}.item():.6g}}")'
                for name in program.losses
                if name in computed
            ),
            "",
        ]
    )
    return f"{_docstring(program)}\n{header_source(body)}{body}"


def list_program(program: Program) -> Listing:
    """Return the listing of a program: its script with data abbreviated, and its lesson.

    Args:
        program: The program; its current state does not matter.

    Example:
        >>> from gradstep.program.document.codec import decode
        >>> listing = list_program(Program.from_spec(decode(
        ...     b'{"gradstep": 1, "tensors": {"x": {"value": [1, 2], "requires_grad": true}},'
        ...     b' "losses": {"loss": {"expression": "sum(100 * x)"}},'
        ...     b' "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}}}')))
        >>> listing.code.splitlines()[listing.spans[2].first - 1]
        '    loss.backward()'
    """
    spec = program.spec
    code, spans = _script(program, ScriptObjects(_initial(program), abbreviated_array_source))
    return Listing(spec.name, lesson(spec), code, spans, additional_operations(spec))


def _script(program: Program, script: ScriptObjects) -> tuple[str, tuple[LineSpan, ...]]:
    """Return the script, and the line span of each line of the loop."""
    lines = _loop_lines(program)
    loop = [indent(text, "    ") for text in loop_body(lines, script)]
    tail = [
        indent(text, "    ") for text in _print_statements(lines, script, program.spec.iterations)
    ]
    setup = f"{script.setup()}\n\nfor iteration in range({program.spec.iterations}):\n"
    body = setup + "\n".join([*loop, *tail, ""])
    head = f"{_docstring(program)}\n{header_source(body)}"
    spans = []
    first = f"{head}{setup}".count("\n") + 1
    for line, text in zip(lines, loop, strict=True):
        last = first + text.count("\n")
        spans.append(LineSpan(line.operation, first, last, line.every))
        first = last + 1
    return head + body, tuple(spans)


def _print_statements(
    lines: Sequence[LoopLine], script: ScriptObjects, iterations: int
) -> list[str]:
    """Return statements that print the losses about ten times; none if the loop has no losses."""
    every = [_computed(line.operation, script) for line in lines if line.every == 1]
    losses = tuple(dict.fromkeys(name for names in every for name in names))
    if not losses:
        return []
    shown = ", ".join(f"{name} {{{script.name('losses', name)}.item():.6g}}" for name in losses)
    output = f'print(f"iteration {{iteration + 1}}: {shown}")'  # counts complete iterations
    between = iterations // 10
    return [f"if (iteration + 1) % {between} == 0:", f"    {output}"] if between > 1 else [output]


def _computed(operation: ops.Operation, script: ScriptObjects) -> tuple[str, ...]:
    """Return the losses that an Operation computes."""
    if isinstance(operation, ops.Step) and script.needs_closure(operation.optimizer):
        return script.stepped_losses(operation.optimizer)
    return (operation.loss,) if isinstance(operation, ops.Forward) else ()


def export_test(program: Program, recorded: Sequence[RecordedOperation]) -> str:
    """Return a pytest test that runs recorded Operations on torch and compares the losses.

    Args:
        program: The program; its current state does not matter.
        recorded: The Operations applied from its start, in order.

    Raises:
        UnsupportedError: If an Operation cannot be run or compared on torch.
    """
    program = _initial(program)
    steps = _up_to_losses(recorded, program)
    script = ScriptObjects(program, sets_batch_state=needs_batch_state(steps))
    searches = any(
        isinstance(step.operation, ops.Step) for step in steps if _compared(step, program)
    )
    tolerances = _STEPS_TOLERANCE if searches else _TOLERANCE
    expected = [
        f'    ("{" + ".join(_compared(step, program))}", {_number(step.loss)}),'
        for step in steps
        if _compared(step, program)
    ]
    later = (step.operation for step in recorded[len(steps) :] if _compared(step, program))
    ended = searches and any(isinstance(operation, ops.Step) for operation in later)
    body = "\n".join(
        [
            *([_TRUNCATED_NOTE] if ended else []),
            "RECORDED = [",
            *expected,
            "]",
            "",
            "",
            "def losses():",
            '    """Yield the name and the value of each loss as it is computed."""',
            indent(script.setup(), "    "),
            *(
                indent(text, "    ")
                for text in recorded_body(steps, _loop_lines(program), script, yielding=True)
            ),
            _COMPARISON.format(tolerance=tolerances[program.spec.dtype]),
        ]
    )
    return f"{_docstring(program)}\n{header_source(body)}{body}"


_TRUNCATED_NOTE = dedent("""\
    # Later steps are not compared: each of their iterations amplifies the rounding errors of those
    # before, so later losses share fewer and fewer digits with those recorded.
""").rstrip()

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


def _initial(program: Program) -> Program:
    """Return the program in its initial state."""
    return Program.from_spec(program.spec, files=InMemoryFiles(program.files))


def _loop_lines(program: Program) -> list[LoopLine]:
    return program.spec.loop or [LoopLine(operation) for operation in program.loop_operations()]


def _docstring(program: Program) -> str:
    title = " ".join(program.spec.name.split()) or "A program"
    plain = title.replace("\\", "/").replace('"', "'")
    return f'"""{plain}, as GradStep runs it; written by `gradstep export`."""\n'


def _compared(step: RecordedOperation, program: Program) -> tuple[str, ...]:
    """Return the losses whose sum an Operation recorded."""
    operation = step.operation
    if isinstance(operation, ops.Step) and step.loss is not None:
        return program.stepped_losses(operation.optimizer)
    return (operation.loss,) if isinstance(operation, ops.Forward) else ()


def _up_to_losses(
    recorded: Sequence[RecordedOperation], program: Program
) -> Sequence[RecordedOperation]:
    """Return the recorded Operations up to the last loss that is compared."""
    places = [place for place, step in enumerate(recorded) if _compared(step, program)]
    stepped = [place for place in places if isinstance(recorded[place].operation, ops.Step)]
    most = _MAX_TESTED_STEPS[program.spec.dtype]
    if len(stepped) > most:
        places = [place for place in places if place < stepped[most]]
    places = places[:_MAX_TESTED_LOSSES]
    if not places:
        raise UnsupportedError("no loss was recorded", "run an iteration before exporting a test")
    return recorded[: places[-1] + 1]


def _number(loss: float | None) -> str:
    return repr(loss) if loss is not None and abs(loss) < float("inf") else f'float("{loss}")'
