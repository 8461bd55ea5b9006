"""The objects of a PyTorch script: data, modules, tensors, optimizers, losses."""

from __future__ import annotations

from contextlib import contextmanager
from copy import copy
from fnmatch import fnmatchcase
from textwrap import indent
from typing import TYPE_CHECKING, Any, Literal

from gradstep.program.datasets.loading import load_dataset
from gradstep.program.document.files import InMemoryFiles
from gradstep.program.operation import Forward
from gradstep.program.runtime.batch_iterator import BatchIterator
from gradstep.program.runtime.loss_computation import targets_for_criterion
from gradstep.program.schema.data_sets import Csv, Npy
from gradstep.program.schema.layers.basic import Embedding
from gradstep.program.schema.optimizers import (
    COMPOSED_SCHEDULERS,
    FUNCTION_SCHEDULERS,
    OPTIMIZERS,
)
from gradstep.program.schema.program_spec import GroupSpec, MetricSpec
from gradstep.program.torch_export.data_source import (
    file_statements,
    is_read_from_files,
    targets_source,
)
from gradstep.program.torch_export.python_source import (
    SEQUENCE_HELPERS,
    FormulaNames,
    Identifiers,
    array_source,
    call_source,
    criterion_source,
    formula_source,
    module_source,
    schedule_source,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor
    from gradstep.program.operation import LoopLine
    from gradstep.program.program import Program
    from gradstep.program.schema.program_spec import (
        LossSpec,
        OptimizerSpec,
        ProgramSpec,
        SchedulerSpec,
    )

__all__ = ["ScriptObjects"]

_OWN_NAMES = {
    *("read_csv", "read_npy", "standardized"),
    *("decode_tensor", "parameters_of", "replace_optimizer", "total_norm", "measurements"),
    *(
        "torch",
        "nn",
        "math",
        "base64",
        "csv",
        "numpy",
        "pathlib",
        "itertools",
        "float",
        "range",
        "print",
        "enumerate",
        "zip",
    ),
    *("iteration", "epoch", "batch", "inputs", "target", "output", "rows", "batches"),
    *SEQUENCE_HELPERS.values(),
    *("copy", "inspect", "Batches", "Epochs", "closure", "evaluated", "step_loss", "sum"),
    *("RECORDED", "test_torch_gives_the_recorded_values", "len", "list", "optim", "tuple"),
}


def _same_values(one: NDArray[Any], other: NDArray[Any] | None) -> bool:
    return (
        other is not None and one.size == other.size and bool((one.ravel() == other.ravel()).all())
    )


def _epoch_data(spec: ProgramSpec, lines: Iterable[LoopLine]) -> str | None:
    """Return the data whose epochs decide when lines of a loop run; None without such lines."""
    enabled = [line for line in lines if line.enabled]
    if not any(line.follows_epochs for line in enabled):
        return None
    for line in enabled:
        if isinstance(line.operation, Forward) and line.operation.batch == "next":
            name = line.operation.loss
            loss = spec.computed[name]
            if name not in spec.metrics and loss.data is not None and loss.rows == "training":
                return loss.data
    return None


def _epoch_losses(spec: ProgramSpec, data: str | None) -> frozenset[str]:
    """Return the losses that take batches of these data."""
    return frozenset(
        name
        for name, loss in spec.losses.items()
        if data is not None and loss.data == data and loss.rows == "training"
    )


class ScriptObjects:
    """Writes the objects of a program as source.

    Args:
        program: The program in its initial state.
        write: Writes an array of data as source.
        sets_batch_state: Whether the script sets batch sizes or positions in the data order.
        shares_batches: Whether a Forward takes the batch of another loss.
        forwards: The losses with a Forward outside of the loop.
        loops: The lines of every loop of the script; if none, the program's own.

    Attributes:
        epoch_data: The data whose epochs decide when lines run; None without such lines, and if
            they are not the same in all loops.
        mixes_epochs: Whether they are not the same.
        epoch_losses: The losses that take its batches.
        kinds: The kind of each optimizer after the statements written so far.
        advances_batches: Whether those statements take single batches of these data.
        unused_forwards: Losses with a Forward on a batch that no Step has used, after those
            statements.
    """

    def __init__(
        self,
        program: Program,
        write: Callable[[NDArray[Any]], str] = array_source,
        *,
        sets_batch_state: bool = False,
        shares_batches: bool = False,
        forwards: frozenset[str] = frozenset(),
        loops: Sequence[Sequence[LoopLine]] = (),
    ) -> None:
        loops = loops or [program.lines]
        lines = [line for loop in loops for line in loop]
        self._sets_batch_state = sets_batch_state
        self.shares_batches = shares_batches or any(
            isinstance(line.operation, Forward) and line.operation.batch == "current"
            for line in lines
        )
        self._forwards = forwards.union(
            line.operation.loss for line in lines if isinstance(line.operation, Forward)
        )
        self._write = write
        self._program = program
        self._spec = program.spec
        self._names = Identifiers(_OWN_NAMES)
        self.kinds = {name: spec.kind for name, spec in self._spec.optimizers.items()}
        self._written_targets: dict[tuple[str, str, tuple[int, ...]], str] = {}
        self.unused_forwards: set[str] = set()
        self.advances_batches = sets_batch_state
        self._looping_over_batches = ""
        counted = {_epoch_data(program.spec, loop) for loop in loops} - {None}
        self.mixes_epochs = len(counted) > 1
        self.epoch_data = None if self.mixes_epochs else next(iter(counted), None)
        self.epoch_losses = _epoch_losses(program.spec, self.epoch_data)
        self.tensors: Mapping[str, Tensor] = program.tensors
        self.modules = self._spec.modules
        files = InMemoryFiles(program.files)
        self._data = {
            name: load_dataset(name, data, files, seed=self._spec.seed, dtype=self._spec.dtype)
            for name, data in self._spec.data.items()
        }
        for kind in ("modules", "tensors", "optimizers", "schedulers", "losses", "metrics"):
            for name in getattr(self._spec, kind):
                self._names.of("losses" if kind == "metrics" else kind, name)

    @property
    def buffers(self) -> frozenset[str]:
        """The tensors that are buffers of modules."""
        return self._program.buffers

    def names_of(self, kind: str) -> tuple[str, ...]:
        """Return the names of all `modules`, `optimizers`, `data` ... of the program."""
        return tuple(getattr(self._spec, kind))

    def schedulers_of(self, optimizer: str) -> tuple[str, ...]:
        """Return the schedulers of an optimizer."""
        schedulers = self._spec.schedulers.items()
        return tuple(name for name, scheduler in schedulers if scheduler.optimizer == optimizer)

    def needs_closure(self, optimizer: str, kind: str = "") -> bool:
        """Return whether an optimizer of a kind, by default its current one, needs a closure."""
        return bool(OPTIMIZERS[kind or self.kinds[optimizer]].needs_closure)

    def scratch_copy(self) -> ScriptObjects:
        """Return a copy for writing statements that are not part of the script."""
        other = copy(self)
        other.kinds, other.unused_forwards = dict(self.kinds), set(self.unused_forwards)
        return other

    def stepped_losses(self, optimizer: str) -> tuple[str, ...]:
        """Return the losses that an optimizer's closure evaluates."""
        return self._program.stepped_losses(optimizer)

    def has_data(self, loss: str) -> bool:
        """Return whether a loss is computed on batches."""
        return self._spec.computed[loss].data is not None

    def batches(self, data: str) -> str:
        """Return the name of the batch iterator of a data set."""
        return self._names.of("batches", f"{data}_batches")

    def epoch_clock(self) -> BatchIterator | None:
        """Return a fresh iterator of the data whose epochs decide when lines run; None if none."""
        name = self.epoch_data
        return (
            None if name is None else BatchIterator(name, self._spec.data[name], self._data[name])
        )

    @property
    def iterations(self) -> int:
        """The number of iterations to run."""
        return self._spec.iterations

    @contextmanager
    def looping_over_batches(self, loss: str) -> Iterator[str]:
        """Write statements inside a `for` over the batches of a loss; give its variable."""
        rows, data = self._names.of("rows", f"{loss}_rows"), str(self._spec.computed[loss].data)
        self._looping_over_batches = loss
        try:
            yield self._current_rows(data) if self.shares_batches else rows
        finally:
            self._looping_over_batches = ""

    def training_rows(self, data: str) -> int:
        """Return the number of training rows of a data set."""
        return self._data[data].training

    def name(self, kind: str, name: str) -> str:
        """Return the script's name of one of the `modules`, `losses`, `optimizers` ..."""
        return self._names.of(kind, name)

    def tensor(self, name: str) -> str:
        """Return the expression for a named tensor."""
        module, dot, rest = name.partition(".")
        if not dot:
            return self.name("tensors", name)
        number, _, attribute = rest.partition(".")
        return f"{self.name('modules', module)}[{number}].{attribute}"

    def leaves(self) -> str:
        """Return a list of all parameters and free tensors."""
        parts = [f"*{self.name('modules', name)}.parameters()" for name in self.modules]
        parts += [self.name("tensors", name) for name in self._spec.tensors]
        return f"[{', '.join(parts)}]"

    def module_statements(self, name: str) -> str:
        """Return the statements that construct a module and set its initial values."""
        lines = [f"{self.name('modules', name)} = {module_source(self.modules[name])}"]
        own = [
            tensor
            for tensor in self.tensors
            if tensor.startswith(f"{name}.") and tensor not in self.buffers
        ]
        for pattern, init in self._spec.init.items():
            lines += [
                call_source(f"nn.init.{init.kind}", self.tensor(tensor), **init.options)
                for tensor in own
                if fnmatchcase(tensor, pattern)
            ]
        return "\n".join(lines)

    def setup(self) -> str:
        """Return the statements that create all objects, in GradStep's order of random draws."""
        return "\n".join(self._setup())

    def _setup(self) -> Iterator[str]:
        if self._spec.dtype != "float32":
            yield f"torch.set_default_dtype(torch.{self._spec.dtype})"
        yield f"torch.manual_seed({self._spec.seed})"
        for name in self._spec.modules:
            yield self.module_statements(name)
        for name, tensor in self._spec.tensors.items():
            value = array_source(self.tensors[name].detach().numpy())
            flag = ".requires_grad_()" if tensor.requires_grad else ""
            yield f"{self.name('tensors', name)} = {value}{flag}"
        for name in self._spec.data:
            yield from self._data_statements(name)
        for name, loss in self._spec.computed.items():
            yield from self._loss_statements(name, loss)
        for name, optimizer in self._spec.optimizers.items():
            yield f"{self.name('optimizers', name)} = {self._optimizer(name, optimizer)}"
        for name, scheduler in self._schedulers():
            yield f"{self.name('schedulers', name)} = {self._scheduler(scheduler)}"

    def _schedulers(self) -> Iterator[tuple[str, SchedulerSpec]]:
        """Yield the schedulers, each after those that it is composed of."""
        left = dict(self._spec.schedulers)

        def take(name: str) -> Iterator[tuple[str, SchedulerSpec]]:
            if name in left:
                spec = left.pop(name)
                if spec.kind in COMPOSED_SCHEDULERS:
                    for member in spec.options["schedulers"]:
                        yield from take(member)
                yield name, spec

        for name in self._spec.schedulers:
            yield from take(name)

    def _scheduler(self, spec: SchedulerSpec) -> str:
        """Return the call that constructs a scheduler."""
        options = dict(spec.options)
        arguments = [self.name("optimizers", spec.optimizer)]
        if spec.kind in COMPOSED_SCHEDULERS:
            members = ", ".join(self.name("schedulers", name) for name in options.pop("schedulers"))
            arguments = (
                [*arguments, f"[{members}]"] if "milestones" in options else [f"[{members}]"]
            )
            if "milestones" in options:
                arguments.append(f"milestones={options.pop('milestones')}")
        if spec.kind in FUNCTION_SCHEDULERS:
            factor = schedule_source(options.pop("lr_lambda"))
            arguments.append(f"lambda epoch: {factor}")
        return call_source(f"torch.optim.lr_scheduler.{spec.kind}", *arguments, **options)

    def _data_statements(self, name: str) -> Iterator[str]:
        data, spec = self._data[name], self._spec.data[name]
        inputs = self._names.of("inputs", f"{name}_inputs")
        if is_read_from_files(spec, data):
            assert isinstance(spec, Csv | Npy)
            variables = self._names.of("rows", f"{name}_rows"), inputs, self._row_targets(name)
            files, seed = self._program.files, self._spec.seed
            yield from file_statements(name, spec, data, variables, seed=seed, files=files)
        else:
            yield f"{inputs} = {self._write(data.inputs)}"
        size = data.training if spec.batch_size is None else min(spec.batch_size, data.training)
        kind = "Batches" if self._sets_batch_state else "batches"
        if name == self.epoch_data:
            kind = "Batches" if self.advances_batches else "Epochs"
        made = f"{kind}({data.training}, {size}, {spec.shuffle}, {spec.drop_last})"
        yield f"{self.batches(name)} = {made}"

    def _row_targets(self, name: str) -> str:
        return self._names.of("row targets", f"{name}_row_targets")

    def _loss_statements(self, name: str, loss: LossSpec) -> Iterator[str]:
        if self._uses_targets(loss):
            yield f"{self._names.of('targets', f'{name}_targets')} = {self._targets(name, loss)}"
        if loss.criterion is not None:
            criterion = self._names.of("criteria", f"{name}_criterion")
            yield f"{criterion} = {criterion_source(loss.criterion)}"

    def _targets(self, name: str, loss: LossSpec) -> str:
        """Return the source of the targets of a loss; those of another, if they are the same."""
        source = str(loss.data)
        data, spec = self._data[source], self._spec.data[source]
        classes = loss.criterion is not None and loss.criterion.takes_class_labels
        targets = data.targets
        if loss.criterion is not None:
            dtype = self._spec.dtype
            targets = targets_for_criterion(targets, takes_class_labels=classes, dtype=dtype)
        assert targets is not None
        written = self._names.of("targets", f"{name}_targets")
        same = self._written_targets.setdefault((source, targets.dtype.str, targets.shape), written)
        if same != written:
            return same
        if is_read_from_files(spec, data) and _same_values(targets, data.targets):
            return targets_source(self._row_targets(source), targets)
        return self._write(targets)

    def _uses_targets(self, loss: LossSpec) -> bool:
        """Return whether a loss compares with the targets of its data."""
        if loss.data is None or self._data[loss.data].targets is None:
            return False
        return loss.criterion is not None or loss.reads("target")

    def _optimizer(self, name: str, spec: OptimizerSpec) -> str:
        groups = self._program.optimizers[name].param_groups
        own: Sequence[Mapping[str, Any]] = [
            item.options for item in spec.params if isinstance(item, GroupSpec)
        ]
        own = [*[{}] * (len(groups) - len(own)), *own]
        held = self.held_by(name)
        if len(groups) == 1 and not own[0]:
            first = held[0]
            if first.startswith("[*") and ", " not in first:
                first = first[2:-1]  # the parameters of one module
        else:
            made = zip(held, own, strict=True)
            first = f"[{', '.join(call_source('dict', f'params={p}', **o) for p, o in made)}]"
        return call_source(f"torch.optim.{spec.kind}", first, **spec.options)

    def held_by(self, optimizer: str) -> list[str]:
        """Return the source of the list of tensors of each group of an optimizer."""
        groups = self._program.optimizers[optimizer].param_groups
        return [self._parameters(group["params"]) for group in groups]

    def _parameters(self, held: Sequence[Tensor]) -> str:
        """Return a list of tensors, with `*module.parameters()` for all parameters of a module."""
        known = {id(tensor): name for name, tensor in self.tensors.items()}
        names = [known[id(tensor)] for tensor in held]
        found = []
        while names:
            module = names[0].partition(".")[0]
            whole = [name for name in self.tensors if name.startswith(f"{module}.")]
            if whole and names[: len(whole)] == whole:
                found.append(f"*{self.name('modules', module)}.parameters()")
                del names[: len(whole)]
            else:
                found.append(self.tensor(names.pop(0)))
        return f"[{', '.join(found)}]"

    def forward(self, name: str, batch: Literal["next", "held", "current"]) -> str:
        """Return the statements that compute a loss on a batch."""
        loss = self._spec.computed[name]
        lines = [] if loss.data is None else self._batch(name, loss, batch)
        for component in self._spec.components_of(name):
            lines += self._component(component, name)
        if loss.data is not None and self._spec.components_of(name):
            lines += self._rows_of_batch(name, loss, self._names.of("rows", f"{name}_rows"))
        computation = self._computation(name, loss, name)
        if loss.rows == "validation" or isinstance(loss, MetricSpec):
            computation = ["with torch.no_grad():", *(indent(text, "    ") for text in computation)]
        lines += computation
        if isinstance(loss, MetricSpec) and loss.mode == "eval":
            used = [self.name("modules", module) for module in self._spec.modules_of(name)]
            modes = [f"{module}_training = {module}.training" for module in used]
            lines = [
                *modes,
                *(f"{module}.eval()" for module in used),
                *lines,
                *(f"{module}.train({module}_training)" for module in used),
            ]
        return "\n".join(lines)

    def _component(self, name: str, user: str) -> list[str]:
        """Return the statements of a loss that is part of another, on the batch of that one."""
        loss, lines = self._spec.computed[name], []
        for component in self._spec.components_of(name):
            lines += self._component(component, user)
        if loss.data is not None:
            lines += self._rows_of_batch(name, loss, self._names.of("rows", f"{user}_rows"))
        return [*lines, *self._computation(name, loss, user)]

    def _computation(self, name: str, loss: LossSpec, user: str) -> list[str]:
        """Return the statements that compute a loss, or a part of `user`, from a batch."""
        names = self._formula_names(user)
        value, output, lines = names.values[name], "inputs", []
        for module in loss.chain:
            output = f"{self.name('modules', module)}({output})"
        if loss.output is not None:
            output = formula_source(loss.output, names)
        if loss.criterion is not None:
            criterion = self._names.of("criteria", f"{name}_criterion")
            lines.append(f"{value} = {criterion}({output}, target)")
        elif loss.expression is not None:
            if output != "inputs":
                lines.append(f"output = {output}")
            lines.append(f"{value} = {formula_source(loss.expression, names)}")
        return lines

    def _formula_names(self, user: str) -> FormulaNames:
        """Return the names in the formulas of a loss and of its parts.

        A part that is also computed by itself keeps its own value and graph, as in the program.
        """
        values = {free: self.tensor(free) for free in self._spec.tensors}
        values |= {loss: self.name("losses", loss) for loss in self._spec.computed}
        for part in self._parts_of(user) & self._forwards:
            values[part] = self._names.of("parts", f"{user}_{part}")
        values |= {"input": "inputs", "target": "target", "output": "output"}
        return FormulaNames(
            values,
            {tensor: self.tensor(tensor) for tensor in self.tensors},
            {module: self.name("modules", module) for module in self.modules},
            {name for name, layers in self.modules.items() if isinstance(layers[0], Embedding)},
        )

    def _parts_of(self, loss: str) -> frozenset[str]:
        """Return the losses that a loss reads, and that those read."""
        parts = self._spec.components_of(loss)
        return frozenset(parts).union(*map(self._parts_of, parts))

    def next_rows(self, name: str) -> str:
        """Return the statement that takes the next batch for a loss on data."""
        data = str(self._spec.computed[name].data)
        rows = self._names.of("rows", f"{name}_rows")
        self.advances_batches |= data == self.epoch_data
        if self.shares_batches:
            rows = f"{self._current_rows(data)} = {rows}"
        return f"{rows} = next({self.batches(data)})"

    def _current_rows(self, data: str) -> str:
        """Return the name of the rows of the batch that a data set delivered last."""
        return self._names.of("current_rows", f"{data}_rows")

    def _batch(
        self, name: str, loss: LossSpec, batch: Literal["next", "held", "current"]
    ) -> list[str]:
        """Return the statements that take a batch of a loss's data."""
        rows, lines = self._names.of("rows", f"{name}_rows"), []
        if loss.rows == "validation":
            known = self._data[str(loss.data)]
            lines.append(f"{rows} = torch.arange({known.training}, {len(known.inputs)})")
        elif isinstance(loss, MetricSpec):
            lines.append(f"{rows} = torch.arange({self._data[str(loss.data)].training})")
        elif batch == "current":
            lines.append(f"{rows} = {self._current_rows(str(loss.data))}")
        elif batch == "next" and name != self._looping_over_batches:
            lines.append(self.next_rows(name))
        elif batch == "next" and self.shares_batches:
            lines.append(f"{rows} = {self._current_rows(str(loss.data))}")
        if self._spec.components_of(name):
            return lines  # they set `inputs` and `target` first
        return lines + self._rows_of_batch(name, loss, rows)

    def _rows_of_batch(self, name: str, loss: LossSpec, rows: str) -> list[str]:
        """Return the statements that set `inputs` and `target` to those rows for a loss."""
        data = str(loss.data)
        whole = bool(loss.chain) and isinstance(self.modules[loss.chain[0]][0], Embedding)
        cast = ".long()" if whole else ""
        lines = [f"inputs = {self._names.of('inputs', f'{data}_inputs')}[{rows}]{cast}"]
        if self._uses_targets(loss):
            lines.append(f"target = {self._names.of('targets', f'{name}_targets')}[{rows}]")
        return lines
