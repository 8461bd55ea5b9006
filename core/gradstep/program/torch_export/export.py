"""Export a program as an equivalent PyTorch script, or as a test of what was recorded."""

from __future__ import annotations

import math
from textwrap import dedent, indent
from typing import TYPE_CHECKING

import numpy as np

from gradstep.errors import UnsupportedError
from gradstep.program import operation as ops
from gradstep.program.document.files import InMemoryFiles
from gradstep.program.listing import LineSpan, Listing
from gradstep.program.program import Program
from gradstep.program.schema.available_operations import additional_operations
from gradstep.program.torch_export.epochs import nested_loop
from gradstep.program.torch_export.python_source import abbreviated_array_source
from gradstep.program.torch_export.script_body import (
    RecordedOperation,
    epoch_source,
    is_same_every_iteration,
    loop_source,
    needs_batch_state,
    recorded_body,
    states_to_save,
)
from gradstep.program.torch_export.script_helpers import header_source
from gradstep.program.torch_export.script_objects import ScriptObjects
from gradstep.program.torch_export.statements import gradients_statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gradstep.autograd.tensor import Tensor
    from gradstep.program.operation import LoopLine

__all__ = ["RecordedOperation", "export_script", "export_test", "list_program"]

_MAX_TESTED_LOSSES = 200
_TOLERANCE = {"float32": "rel_tol=1e-3, abs_tol=1e-5", "float64": "rel_tol=1e-8, abs_tol=1e-10"}

_NORM_TOLERANCE = {"float32": "rel_tol=1e-2, abs_tol=1e-3", "float64": "rel_tol=1e-6, abs_tol=1e-8"}
"""The tolerance of norms; the absolute one is a share of the largest norm of the run."""

_MAX_TESTED_STEPS = {"float32": 2, "float64": 4}
_STEPS_TOLERANCE = {
    "float32": "rel_tol=1e-2, abs_tol=1e-4",
    "float64": "rel_tol=1e-4, abs_tol=1e-8",
}
"""The maximum number of tested Steps that evaluate the loss, and their tolerance. Each iteration
amplifies the rounding errors of those before, so a network's 100th shares no digit with torch's."""

_MAX_TESTED_MUON_STEPS = 10
"""The maximum number of tested Steps of Muon, whose bfloat16 products round differently on other
processors (docs/decisions/0018); they are compared as in float32."""


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
        if not is_same_every_iteration(program.lines, script):
            raise UnsupportedError(
                "a Step evaluates the next batch in some iterations, a Forward's batch in others",
                "record some iterations and export the session",
            )
        return _script(program, script, program.lines)[0]
    script = _script_objects(program, recorded)
    done = recorded_body(recorded, program.lines, script)
    computed = {name for step in recorded for name in _compared(step, program)}
    body = "\n".join(
        [
            script.setup(),
            "",
            *done,
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
    """Return the listing of a program: its script with data abbreviated, and its description.

    Args:
        program: The program; of its current state only the lines of the loop matter.

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
    lines = program.lines
    script = ScriptObjects(_initial(program), abbreviated_array_source, loops=[lines])
    code, spans = _script(program, script, lines)
    return Listing(spec.name, spec.description, code, spans, additional_operations(spec))


def _script(
    program: Program, script: ScriptObjects, lines: Sequence[LoopLine]
) -> tuple[str, tuple[LineSpan, ...]]:
    """Return the script, and the line span of each line of a loop."""
    iterations = program.spec.iterations
    nested, clock = nested_loop(lines, script), script.epoch_clock()
    if nested is not None and clock is not None and iterations % clock.count == 0:
        loop = epoch_source(nested, script, range(iterations // clock.count))
    else:
        loop = loop_source(lines, script, range(iterations))
    setup = "\n".join([script.setup(), "", *loop.head, ""])
    body = setup + "\n".join([*loop.lines, *loop.tail, ""])
    head = f"{_docstring(program)}\n{header_source(body)}"
    spans = []
    first = f"{head}{setup}".count("\n") + 1
    for line, text in zip(lines, loop.lines, strict=True):
        last = first + text.count("\n")
        spans.append(LineSpan(line.operation, first, last, line.every, line=line))
        first = last + 1
    return head + body, tuple(spans)


def export_test(program: Program, recorded: Sequence[RecordedOperation]) -> str:
    """Return a pytest test that runs recorded Operations on torch and compares what they did.

    It compares each loss, the norm of all gradients after each Backward and after the last Zero
    Grad, and the norm of an optimizer's parameters after each Step.

    Args:
        program: The program; its current state does not matter.
        recorded: The Operations applied from its start, in order.

    Raises:
        UnsupportedError: If an Operation cannot be run or compared on torch.
    """
    program = _initial(program)
    steps = _tested_part(recorded, program)
    script = _script_objects(program, steps)
    searches = any(
        isinstance(step.operation, ops.Step) for step in steps if _compared(step, program)
    )
    tolerances = _STEPS_TOLERANCE if searches else _TOLERANCE
    later = (step.operation for step in recorded[len(steps) :] if _compared(step, program))
    ended = searches and any(isinstance(operation, ops.Step) for operation in later)
    ended |= len(list(_muon_steps(recorded, program))) > _MAX_TESTED_MUON_STEPS
    uses_muon = any(True for _ in _muon_steps(steps, program))
    precision = "float32" if uses_muon else program.spec.dtype
    found = list(_measured(_initial(program), steps))
    largest = max(
        (value for name, value in found if value is not None and _is_norm(name)), default=0.0
    )
    done = recorded_body(steps, program.lines, script, prints=False, yielding=True)
    if cleared := _last_cleared(steps, program):
        done.append(gradients_statement(cleared, script))
    body = "\n".join(
        [
            *([_TRUNCATED_NOTE] if ended else []),
            "RECORDED = [",
            *(f'    ("{name}", {_number(value)}),' for name, value in found),
            "]",
            "",
            "",
            "def measurements():",
            '    """Yield the name and the value of each loss and norm as it is computed."""',
            indent(script.setup(), "    "),
            *(indent(text, "    ") for text in done),
            _COMPARISON.format(
                tolerance=tolerances[precision],
                norm_tolerance=_NORM_TOLERANCE[precision],
                largest=_number(largest if largest < float("inf") else 1.0),
            ),
        ]
    )
    return f"{_docstring(program)}\n{header_source(body)}{body}"


def _measured(
    program: Program, steps: Sequence[RecordedOperation]
) -> Iterator[tuple[str, float | None]]:
    """Run recorded Operations again; yield each recorded loss, and the norms that a test compares.

    The norms are computed here, since the log keeps them only for some Events.
    """
    kept, states = states_to_save(steps), {}
    for event in kept.get(0, ()):
        states[event] = program.capture()
    for step in steps:
        operation = step.operation
        if isinstance(operation, ops.LoadState):
            program.load_state(states[operation.event], operation.parts)
        else:
            program.run(operation)
        for event in kept.get(step.event or -1, ()):
            states[event] = program.capture()
        if losses := _compared(step, program):
            yield " + ".join(losses), step.loss
        elif isinstance(operation, ops.Backward):
            yield f"{operation.loss}.backward()", _gradient_norm(program)
        elif isinstance(operation, ops.Step):
            groups = program.optimizers[operation.optimizer].param_groups
            yield (
                f"{operation.optimizer}.step()",
                _norm(tensor for group in groups for tensor in group["params"]),
            )
    if cleared := _last_cleared(steps, program):
        yield cleared, _gradient_norm(program)


def _last_cleared(steps: Sequence[RecordedOperation], program: Program) -> str:
    """Return the call of the last Zero Grad; empty if a later Backward shows whether it ran."""
    for step in reversed(steps):
        if isinstance(step.operation, ops.ZeroGrad):
            return f"{step.operation.optimizer}.zero_grad()"
        if isinstance(step.operation, ops.Backward):
            return ""
        if isinstance(step.operation, ops.Step) and _compared(step, program):
            return ""
    return ""


def _gradient_norm(program: Program) -> float:
    return _norm(
        tensor.grad for name, tensor in program.tensors.items() if name not in program.buffers
    )


def _norm(tensors: Iterable[Tensor | None]) -> float:
    """Return the norm of all elements of some tensors; None counts as absent."""
    arrays = [tensor.detach().numpy() for tensor in tensors if tensor is not None]
    with np.errstate(all="ignore"):
        return math.sqrt(sum(float(np.square(array.astype(np.float64)).sum()) for array in arrays))


def _is_norm(name: str) -> bool:
    return name.endswith("()")


_TRUNCATED_NOTE = dedent("""\
    # Later steps are not compared: each of their iterations amplifies the rounding errors of those
    # before, so later losses share fewer and fewer digits with those recorded.
""").rstrip()

_COMPARISON = dedent("""

    def test_torch_gives_the_recorded_values():
        found = list(itertools.islice(measurements(), len(RECORDED)))
        assert [name for name, _ in found] == [name for name, _ in RECORDED]
        for number, ((name, value), (_, expected)) in enumerate(zip(found, RECORDED), 1):
            if name.endswith("()"):  # the norm of all gradients, or of the parameters
                same = math.isclose(value, expected, {norm_tolerance} * {largest})
            else:
                same = math.isclose(value, expected, {tolerance})
            both_nan = math.isnan(value) and math.isnan(expected)
            assert same or both_nan, f"value {{number}}: {{name}} gives {{value}}, not {{expected}}"


    if __name__ == "__main__":
        test_torch_gives_the_recorded_values()
        print(f"torch gives the {{len(RECORDED)}} recorded values")
""")


def _script_objects(program: Program, recorded: Sequence[RecordedOperation]) -> ScriptObjects:
    forwards = [step.operation for step in recorded if isinstance(step.operation, ops.Forward)]
    return ScriptObjects(
        program,
        sets_batch_state=needs_batch_state(recorded),
        shares_batches=any(forward.batch == "current" for forward in forwards),
        forwards=frozenset(forward.loss for forward in forwards),
        loops=[
            program.lines,
            *(
                step.operation.lines
                for step in recorded
                if isinstance(step.operation, ops.EditLoop)
            ),
        ],
    )


def _initial(program: Program) -> Program:
    """Return the program in its initial state."""
    return Program.from_spec(program.spec, files=InMemoryFiles(program.files))


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


def _tested_part(
    recorded: Sequence[RecordedOperation], program: Program
) -> Sequence[RecordedOperation]:
    """Return the recorded Operations up to the first loss that is no longer compared."""
    places = [place for place, step in enumerate(recorded) if _compared(step, program)]
    stepped = [place for place in places if isinstance(recorded[place].operation, ops.Step)]
    most = _MAX_TESTED_STEPS[program.spec.dtype]
    end = len(recorded)
    if len(stepped) > most:
        end = stepped[most]
    if len(places) > _MAX_TESTED_LOSSES:
        end = min(end, places[_MAX_TESTED_LOSSES])
    muon_steps = list(_muon_steps(recorded, program))
    if len(muon_steps) > _MAX_TESTED_MUON_STEPS:
        end = min(end, muon_steps[_MAX_TESTED_MUON_STEPS])
    if not places or places[0] >= end:
        raise UnsupportedError("no loss was recorded", "run an iteration before exporting a test")
    return recorded[:end]


def _muon_steps(recorded: Sequence[RecordedOperation], program: Program) -> Iterator[int]:
    """Yield the places of the Steps of Muon."""
    kinds = {name: spec.kind for name, spec in program.spec.optimizers.items()}
    for place, step in enumerate(recorded):
        operation = step.operation
        if isinstance(operation, ops.ReplaceOptimizer):
            kinds[operation.optimizer] = operation.kind
        elif isinstance(operation, ops.Step) and kinds.get(operation.optimizer) == "Muon":
            yield place


def _number(loss: float | None) -> str:
    return repr(loss) if loss is not None and abs(loss) < float("inf") else f'float("{loss}")'
