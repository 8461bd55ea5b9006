"""Python statements of Operations, for a PyTorch script."""

from __future__ import annotations

from fnmatch import fnmatchcase
from textwrap import indent
from typing import TYPE_CHECKING

from gradstep.program import operation as ops
from gradstep.program.torch_export.python_source import call_source, value_source

if TYPE_CHECKING:
    from gradstep.program.operation import Operation
    from gradstep.program.torch_export.script_objects import ScriptObjects

__all__ = ["gradients_statement", "save_statement", "statements"]


def statements(operation: Operation, script: ScriptObjects, *, yielding: bool = False) -> str:  # noqa: C901, PLR0911, PLR0912 - one line a kind
    """Return the statements of an Operation.

    Args:
        operation: The Operation.
        script: The objects of the script.
        yielding: Whether losses, and norms after a Backward and a Step, are yielded, for a test.
    """
    match operation:
        case ops.ZeroGrad(name, set_to_none):
            how = "" if set_to_none else "set_to_none=False"
            return f"{script.name('optimizers', name)}.zero_grad({how})"
        case ops.Forward(name, batch):
            script.unused_forwards.add(name)
            text = script.forward(name, batch)
            value = script.name("losses", name)
            return f'{text}\nyield "{name}", {value}.item()' if yielding else text
        case ops.Backward(name, retain_graph):
            flag = "retain_graph=True" if retain_graph else ""
            text = f"{script.name('losses', name)}.backward({flag})"
            return (
                f"{text}\n{gradients_statement(f'{name}.backward()', script)}" if yielding else text
            )
        case ops.Step(name, batch):
            if script.needs_closure(name):
                return _closure_step_statements(
                    script, name, held=batch == "held", yielding=yielding
                )
            stepped = script.name("optimizers", name)
            norm = f"total_norm(parameters_of({stepped}))"
            return (
                f'{stepped}.step()\nyield "{name}.step()", {norm}'
                if yielding
                else f"{stepped}.step()"
            )
        case ops.SchedulerStep(name, metric):
            value = f"{script.name('losses', metric)}.item()" if metric else ""
            return f"{script.name('schedulers', name)}.step({value})"
        case ops.ClipGradNorm(max_norm, name, norm_type):
            held = f"parameters_of({script.name('optimizers', name)})"
            limit, norm = value_source(max_norm), value_source(norm_type)
            return f"nn.utils.clip_grad_norm_({held}, {limit}, norm_type={norm})"
        case ops.ClipGradValue(clip_value, name):
            held = f"parameters_of({script.name('optimizers', name)})"
            return f"nn.utils.clip_grad_value_({held}, {value_source(clip_value)})"
        case ops.SetHyperparameter(key, value, name, group):
            groups = f"{script.name('optimizers', name)}.param_groups"
            return f'{groups}[{group}]["{key}"] = {value_source(value)}'
        case ops.Freeze(pattern, frozen):
            chosen = [
                name
                for name in script.tensors
                if name not in script.buffers and fnmatchcase(name, pattern)
            ]
            calls = (f"{script.tensor(name)}.requires_grad_({not frozen})" for name in chosen)
            return "\n".join(calls)
        case ops.SetMode(training, module):
            chosen = [module] if module else list(script.modules)
            return "\n".join(f"{script.name('modules', name)}.train({training})" for name in chosen)
        case ops.RebuildModule(name):
            return script.module_statements(name)
        case ops.ReplaceOptimizer(kind, name, options, rebind):
            script.kinds[name] = kind
            return _replace_optimizer_statements(script, kind, name, options, rebind=rebind)
        case ops.SetBatchSize(data, size):
            rows = script.training_rows(data)
            return f"{script.batches(data)}.size = {rows if size is None else min(size, rows)}"
        case ops.SetValue():
            return _set_value_statement(script, operation)
        case ops.AddLoss(name, tensor, item):
            value = f"{script.name('losses', name)}{'.item()' if item else ''}"
            return f"{script.name('tensors', tensor)} += {value}"
        case ops.LoadState(event, taken):
            return _load_statements(script, event, taken)
        case ops.EditLoop():
            return "# The loop has other lines from here on."
        case ops.Skip(skipped):
            if isinstance(skipped, ops.Step):
                return f"pass  # skipped: {script.name('optimizers', skipped.optimizer)}.step()"
            return f"pass  # skipped: {_first_line(skipped, script.scratch_copy())}"
        case ops.ScriptCall(call, name):
            return f"pass  # {call} {name}".rstrip()


def gradients_statement(name: str, script: ScriptObjects) -> str:
    """Return the statement that yields the norm of all gradients under a name, for a test."""
    norm = f"total_norm(tensor.grad for tensor in {script.leaves()} if tensor.is_leaf)"
    return f'yield "{name}", {norm}'


def _first_line(operation: Operation, script: ScriptObjects) -> str:
    """Return the first line of an Operation's statements; its repr if it names a missing object."""
    try:
        return statements(operation, script).splitlines()[0]
    except LookupError:  # it failed and was then skipped
        return repr(operation)


def _closure_step_statements(
    script: ScriptObjects, optimizer: str, *, held: bool, yielding: bool
) -> str:
    """Return the statements of a step that evaluates losses through a closure.

    The step uses the batch of a Forward that no step has used yet, or else the next batch.
    """
    names = script.stepped_losses(optimizer)
    values = [script.name("losses", name) for name in names]
    stepped = script.name("optimizers", optimizer)
    drawn = [
        script.next_rows(name)
        for name in names
        if script.has_data(name) and not (held or name in script.unused_forwards)
    ]
    shown = script.unused_forwards & set(names)
    script.unused_forwards -= shown
    inner = [f"{stepped}.zero_grad()"]
    for name, value in zip(names, values, strict=True):
        inner += [script.forward(name, "held"), f"{value}.backward()"]
    result = values[0]
    if len(names) > 1:
        inner.append(f"evaluated.append(({', '.join(values)}))")
    inner.append(f"return {' + '.join(values)}")
    lines = [*drawn, *(["evaluated = []"] if len(names) > 1 else [])]
    lines += [""] if lines or shown else []
    lines += ["def closure():", *(indent(text, "    ") for text in inner), ""]
    if len(names) > 1:
        result = "step_loss"
        lines += [f"step_loss = {stepped}.step(closure)", f"{', '.join(values)} = evaluated[0]"]
    else:
        lines.append(f"{result} = {stepped}.step(closure)")
    if yielding:
        lines.append(f'yield "{" + ".join(names)}", {result}.item()')
    return "\n".join(lines)


def save_statement(event: int, script: ScriptObjects) -> str:
    """Return the statement that saves the state after an Event, to be loaded later."""
    kept = [
        f'"{name}": copy.deepcopy({script.name(kind, name)}.state_dict())'
        for kind in ("modules", "optimizers", "schedulers")
        for name in script.names_of(kind)
    ]
    kept += [
        f'"{name}": {script.name("tensors", name)}.detach().clone()'
        for name in script.names_of("tensors")
    ]
    kept += [f'"data.{name}": {script.batches(name)}.position' for name in script.names_of("data")]
    kept.append('"torch.generator": torch.get_rng_state()')
    return f"saved_{event} = {{\n" + "".join(f"    {item},\n" for item in kept) + "}"


def _load_statements(script: ScriptObjects, event: int, taken: tuple[str, ...]) -> str:
    """Return the statements that load parts of the state saved after an Event."""
    saved = f"saved_{event}"
    lines = []
    if "modules" in taken:
        for name in script.names_of("modules"):
            lines.append(f'{script.name("modules", name)}.load_state_dict({saved}["{name}"])')
        for name in script.names_of("tensors"):
            lines.append(f'{script.name("tensors", name)}.data.copy_({saved}["{name}"])')
    for kind in ("optimizers", "schedulers"):
        if kind in taken:
            lines += [
                f'{script.name(kind, name)}.load_state_dict(copy.deepcopy({saved}["{name}"]))'
                for name in script.names_of(kind)
            ]
    if "generator" in taken:
        lines.append(f'torch.set_rng_state({saved}["torch.generator"])')
    if "data_order" in taken:
        lines += [
            f'{script.batches(name)}.position = {saved}["data.{name}"]'
            for name in script.names_of("data")
        ]
    return "\n".join(lines) or "pass  # nothing is loaded"


def _set_value_statement(script: ScriptObjects, operation: ops.SetValue) -> str:
    name, value = script.tensor(operation.tensor), operation.value
    place = "" if operation.index is None else ", ".join(map(str, operation.index))
    target = f"{name}.data" if operation.through_data else name
    if isinstance(value, list):
        line = f"{target}.copy_(torch.tensor({value!r}))"
    else:
        line = f"{target}[{place or '...'}] = {value_source(value)}"
    return line if operation.through_data else f"with torch.no_grad():\n    {line}"


def _replace_optimizer_statements(
    script: ScriptObjects, kind: str, name: str, options: dict[str, object], *, rebind: bool
) -> str:
    held = script.name("optimizers", name)
    groups = (f"[{', '.join(script.held_by(name))}]",) if rebind else ()
    made = call_source("replace_optimizer", held, f"torch.optim.{kind}", *groups, **options)
    lines = [f"{held} = {made}"]
    lines += [
        f"{script.name('schedulers', scheduler)}.optimizer = {held}"
        for scheduler in script.schedulers_of(name)
    ]
    return "\n".join(lines)
