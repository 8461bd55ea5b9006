"""Operations as statements of a PyTorch script."""

from __future__ import annotations

from fnmatch import fnmatchcase
from textwrap import indent
from typing import TYPE_CHECKING

from gradstep.program import operation as ops
from gradstep.program.torch_export.python_source import call_source, value_source

if TYPE_CHECKING:
    from gradstep.program.operation import Operation
    from gradstep.program.torch_export.script_objects import ScriptObjects

__all__ = ["saving", "statements"]


def statements(operation: Operation, parts: ScriptObjects, *, yielding: bool = False) -> str:  # noqa: C901, PLR0911, PLR0912 - one line a kind
    """Return the statements that do what an Operation does.

    Args:
        operation: What to do.
        parts: What the script calls everything.
        yielding: Whether a Forward also yields its name and its value, for a test.
    """
    match operation:
        case ops.ZeroGrad(name, set_to_none):
            how = "" if set_to_none else "set_to_none=False"
            return f"{parts.name('optimizers', name)}.zero_grad({how})"
        case ops.Forward(name, batch):
            parts.shown.add(name)
            text = parts.forward(name, held=batch == "held")
            value = parts.name("losses", name)
            return f'{text}\nyield "{name}", {value}.item()' if yielding else text
        case ops.Backward(name, retain_graph):
            flag = "retain_graph=True" if retain_graph else ""
            return f"{parts.name('losses', name)}.backward({flag})"
        case ops.Step(name, batch):
            if parts.needs_closure(name):
                return _evaluating(parts, name, held=batch == "held", yielding=yielding)
            return f"{parts.name('optimizers', name)}.step()"
        case ops.SchedulerStep(name, metric):
            value = f"{parts.name('losses', metric)}.item()" if metric else ""
            return f"{parts.name('schedulers', name)}.step({value})"
        case ops.ClipGradNorm(max_norm, name, norm_type):
            held = f"held({parts.name('optimizers', name)})"
            limit, norm = value_source(max_norm), value_source(norm_type)
            return f"nn.utils.clip_grad_norm_({held}, {limit}, norm_type={norm})"
        case ops.ClipGradValue(clip_value, name):
            held = f"held({parts.name('optimizers', name)})"
            return f"nn.utils.clip_grad_value_({held}, {value_source(clip_value)})"
        case ops.SetHyperparameter(key, value, name, group):
            groups = f"{parts.name('optimizers', name)}.param_groups"
            return f'{groups}[{group}]["{key}"] = {value_source(value)}'
        case ops.Freeze(pattern, frozen):
            chosen = [
                name
                for name in parts.tensors
                if name not in parts.buffers and fnmatchcase(name, pattern)
            ]
            calls = (f"{parts.tensor(name)}.requires_grad_({not frozen})" for name in chosen)
            return "\n".join(calls)
        case ops.SetMode(training, module):
            chosen = [module] if module else list(parts.modules)
            return "\n".join(f"{parts.name('modules', name)}.train({training})" for name in chosen)
        case ops.RebuildModule(name):
            return f"{parts.name('modules', name)} = {parts.module(name)}"
        case ops.ReplaceOptimizer(kind, name, options):
            parts.kinds[name] = kind
            return _replacement(parts, kind, name, options)
        case ops.SetBatchSize(data, size):
            rows = parts.training_rows(data)
            return f"{parts.batches(data)}.size = {rows if size is None else min(size, rows)}"
        case ops.SetValue():
            return _writing(parts, operation)
        case ops.AddLoss(name, tensor, item):
            value = f"{parts.name('losses', name)}{'.item()' if item else ''}"
            return f"{parts.name('tensors', tensor)} += {value}"
        case ops.LoadState(event, taken):
            return _loading(parts, event, taken)
        case ops.Skip(skipped):
            if isinstance(skipped, ops.Step):
                return f"pass  # skipped: {parts.name('optimizers', skipped.optimizer)}.step()"
            return f"pass  # skipped: {_first_line(skipped, parts.scratch_copy())}"


def _first_line(operation: Operation, parts: ScriptObjects) -> str:
    """Return how the statements of an Operation begin; of one that names nothing, what it is."""
    try:
        return statements(operation, parts).splitlines()[0]
    except LookupError:  # it was refused, and then left out
        return repr(operation)


def _evaluating(parts: ScriptObjects, optimizer: str, *, held: bool, yielding: bool) -> str:
    """Return the statements of a step that evaluates losses through a closure.

    It takes the batch of a Forward that was not stepped on yet, or else the next one.
    """
    names = parts.stepped_losses(optimizer)
    values = [parts.name("losses", name) for name in names]
    stepped = parts.name("optimizers", optimizer)
    drawn = [
        parts.next_rows(name)
        for name in names
        if parts.has_data(name) and not (held or name in parts.shown)
    ]
    shown = parts.shown & set(names)
    parts.shown -= shown
    inner = [f"{stepped}.zero_grad()"]
    for name, value in zip(names, values, strict=True):
        inner += [parts.forward(name, held=True), f"{value}.backward()"]
    result = values[0]
    if len(names) > 1:
        inner.append(f"evaluated.append(({', '.join(values)}))")
    inner.append(f"return {' + '.join(values)}")
    lines = [*drawn, *(["evaluated = []"] if len(names) > 1 else [])]
    lines += [""] if lines or shown else []
    lines += ["def closure():", *(indent(text, "    ") for text in inner), ""]
    if len(names) > 1:
        result = "total"
        lines += [f"total = {stepped}.step(closure)", f"{', '.join(values)} = evaluated[0]"]
    else:
        lines.append(f"{result} = {stepped}.step(closure)")
    if yielding:
        lines.append(f'yield "{" + ".join(names)}", {result}.item()')
    return "\n".join(lines)


def saving(event: int, parts: ScriptObjects) -> str:
    """Return the statement that keeps the state after an Event, for those that load it."""
    kept = [
        f'"{name}": copy.deepcopy({parts.name(kind, name)}.state_dict())'
        for kind in ("modules", "optimizers", "schedulers")
        for name in parts.every(kind)
    ]
    kept += [
        f'"{name}": {parts.name("tensors", name)}.detach().clone()'
        for name in parts.every("tensors")
    ]
    kept += [f'"data.{name}": {parts.batches(name)}.place' for name in parts.every("data")]
    kept.append('"generator": torch.get_rng_state()')
    return f"saved_{event} = {{\n" + "".join(f"    {item},\n" for item in kept) + "}"


def _loading(parts: ScriptObjects, event: int, taken: tuple[str, ...]) -> str:
    """Return the statements that take parts of the state that was kept after an Event."""
    saved = f"saved_{event}"
    lines = []
    if "modules" in taken:
        for name in parts.every("modules"):
            lines.append(f'{parts.name("modules", name)}.load_state_dict({saved}["{name}"])')
        for name in parts.every("tensors"):
            lines.append(f'{parts.name("tensors", name)}.data.copy_({saved}["{name}"])')
    for kind in ("optimizers", "schedulers"):
        if kind in taken:
            lines += [
                f'{parts.name(kind, name)}.load_state_dict(copy.deepcopy({saved}["{name}"]))'
                for name in parts.every(kind)
            ]
    if "generator" in taken:
        lines.append(f'torch.set_rng_state({saved}["generator"])')
    if "data_order" in taken:
        lines += [
            f'{parts.batches(name)}.place = {saved}["data.{name}"]' for name in parts.every("data")
        ]
    return "\n".join(lines) or "pass  # nothing is loaded"


def _writing(parts: ScriptObjects, operation: ops.SetValue) -> str:
    name, value = parts.tensor(operation.tensor), operation.value
    place = "" if operation.index is None else ", ".join(map(str, operation.index))
    target = f"{name}.data" if operation.through_data else name
    if isinstance(value, list):
        line = f"{target}.copy_(torch.tensor({value!r}))"
    else:
        line = f"{target}[{place or '...'}] = {value_source(value)}"
    return line if operation.through_data else f"with torch.no_grad():\n    {line}"


def _replacement(parts: ScriptObjects, kind: str, name: str, options: dict[str, object]) -> str:
    held = parts.name("optimizers", name)
    lines = [f"{held} = {call_source('replaced', held, f'torch.optim.{kind}', **options)}"]
    lines += [
        f"{parts.name('schedulers', scheduler)}.optimizer = {held}"
        for scheduler in parts.schedulers_of(name)
    ]
    return "\n".join(lines)
