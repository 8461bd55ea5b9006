"""Build the live objects of a program from its ProgramSpec; reject parts that do not match."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from gradstep import nn
from gradstep.autograd import grad_mode
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import GradStepError, ProgramError
from gradstep.program.builder.initial_values import check_patterns, initialize
from gradstep.program.builder.loop_lines import loop_cursor, loop_lines
from gradstep.program.builder.loss_errors import document_error
from gradstep.program.builder.optimizers import build_optimizer, build_schedulers
from gradstep.program.constructor_errors import program_error
from gradstep.program.datasets.arrays import numbers
from gradstep.program.datasets.loading import load_dataset
from gradstep.program.expressions.broadcasting import broadcast_warning
from gradstep.program.expressions.compiler import compile_expression
from gradstep.program.expressions.loss_language import loss_language
from gradstep.program.runtime.batch_iterator import BatchIterator
from gradstep.program.runtime.live_objects import LiveObjects
from gradstep.program.runtime.loop_cursor import LoopCursor
from gradstep.program.runtime.loss_computation import LossComputation, targets_for_criterion
from gradstep.program.runtime.random_stream import RandomStream
from gradstep.program.runtime.rollback import save_for_rollback
from gradstep.program.runtime.sequence_layers import SEQUENCE_LAYERS
from gradstep.program.schema.layers.basic import Embedding
from gradstep.program.schema.limits import MAX_ELEMENTS
from gradstep.program.schema.program_spec import MetricSpec
from gradstep.program.schema.shapes import chain_shape, check_size
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from gradstep.program.document.files import Files
    from gradstep.program.expressions.compiler import Expression
    from gradstep.program.operation_effect import Batch
    from gradstep.program.schema.criteria import Criterion
    from gradstep.program.schema.layers.basic import Layer
    from gradstep.program.schema.program_spec import LossSpec, ProgramSpec

__all__ = ["build"]


def build(spec: ProgramSpec, files: Files) -> LiveObjects:
    """Build the live objects of a program.

    Args:
        spec: The document.
        files: The source of the files that it names.

    Returns:
        The objects in their initial state, with values drawn from the program's seed.

    Raises:
        ProgramError: If parts do not match each other; names the place.
    """
    check_size(spec)
    _check_names(spec)
    random_stream = RandomStream(spec.seed)
    batch_iterators = dict(_batch_iterators(spec, files))
    free_tensors = {
        name: _free_tensor(tensor.value, name, spec.dtype, requires_grad=tensor.requires_grad)
        for name, tensor in spec.tensors.items()
    }

    def make_module(name: str) -> nn.Module:
        module = nn.Sequential(
            *[
                _layer(layer, spec.dtype, f"$.modules.{name}[{index}]")
                for index, layer in enumerate(spec.modules[name])
            ]
        )
        initialize(name, module, spec.init)
        return module

    random_stream.apply()
    modules = {name: make_module(name) for name in spec.modules}
    random_stream.save()
    parameters = {
        f"{name}.{inner}": tensor
        for name, module in modules.items()
        for inner, tensor in module.named_parameters()
    } | free_tensors
    check_patterns(spec.init, parameters.keys() - free_tensors.keys())
    losses = _losses(spec, batch_iterators, parameters)
    optimizers = {
        name: build_optimizer(name, optimizer, parameters)
        for name, optimizer in spec.optimizers.items()
    }
    live = LiveObjects(
        modules=modules,
        free_tensors=free_tensors,
        optimizers=optimizers,
        schedulers=build_schedulers(spec.schedulers, optimizers),
        batch_iterators=batch_iterators,
        losses=losses,
        random_stream=random_stream,
        cursor=LoopCursor([]),
        make_module=make_module,
    )
    live.cursor = loop_cursor(loop_lines(spec, live), live)
    live.initial_loop = live.cursor.lines
    for name, loss in losses.items():
        live.losses[name] = _trial_forward(live, loss, spec)
    return live


def _batch_iterators(spec: ProgramSpec, files: Files) -> Iterator[tuple[str, BatchIterator]]:
    """Load the data sets; reject them if they are too large together."""
    remaining = MAX_ELEMENTS
    for name, data in spec.data.items():
        dataset = load_dataset(name, data, files, seed=spec.seed, dtype=spec.dtype)
        remaining -= dataset.inputs.size
        if remaining < 0:
            raise ProgramError(
                f"$.data.{name}",
                "the data sets are too large together",
                f"use at most {MAX_ELEMENTS:,} numbers in the whole program",
            )
        yield name, BatchIterator(name, data, dataset)


def _check_names(spec: ProgramSpec) -> None:
    """Reject duplicate names, since addresses identify objects by name."""
    taken: dict[str, str] = {}
    for section in ("modules", "tensors", "losses", "metrics", "optimizers", "schedulers"):
        for name in getattr(spec, section):
            if name in taken:
                raise ProgramError(
                    f"$.{section}.{name}",
                    f"the name is taken by $.{taken[name]}.{name}",
                    "use another name",
                )
            taken[name] = section


def _free_tensor(value: object, name: str, dtype: str, *, requires_grad: bool) -> Tensor:
    array = numbers(value, f"$.tensors.{name}.value").astype(dtype)
    if array.size > MAX_ELEMENTS or not np.isfinite(array).all():
        raise ProgramError(
            f"$.tensors.{name}.value", f"too large for {dtype}", "use smaller numbers"
        )
    return wrap(array).requires_grad_(requires_grad)


def _layer(layer: Layer, dtype: str, place: str) -> nn.Module:
    options = msgspec.structs.asdict(layer)
    if layer.num_elements():
        options["dtype"] = np.dtype(dtype)
    try:
        module = _layer_class(layer)(**options)
    except GradStepError as error:
        raise program_error(place, error) from None
    return module


def _layer_class(layer: Layer) -> Callable[..., nn.Module]:
    """Return the class of a layer; layers of sequences have one of their own."""
    kind = type(layer).__name__
    if kind in SEQUENCE_LAYERS:
        return SEQUENCE_LAYERS[kind]
    found: type[nn.Module] = getattr(nn, kind)
    return found


def _criterion(criterion: Criterion, dtype: str) -> nn.Module:
    options: dict[str, Any] = msgspec.structs.asdict(criterion)
    for weights in ("weight", "pos_weight"):
        if options.get(weights) is not None:
            options[weights] = wrap(np.array(options[weights], dtype))
    module: nn.Module = getattr(nn, type(criterion).__name__)(**options)
    return module


def _losses(
    spec: ProgramSpec, batch_iterators: Mapping[str, BatchIterator], tensors: Mapping[str, Tensor]
) -> dict[str, LossComputation]:
    """Return the losses by name; those that an expression reads are built before it."""
    made: dict[str, LossComputation] = {}

    def make(name: str, users: tuple[str, ...]) -> LossComputation:
        if name in users:
            way = " -> ".join([*users[users.index(name) :], name])
            raise ProgramError(
                f"$.losses.{name}.expression", f"the loss reads itself: {way}", "remove one of them"
            )
        if name not in made:
            parts = [make(part, (*users, name)) for part in spec.components_of(name)]
            made[name] = _loss(name, spec, batch_iterators, tensors, tuple(parts))
        return made[name]

    return {name: make(name, ()) for name in spec.computed}


def _loss(
    name: str,
    spec: ProgramSpec,
    batch_iterators: Mapping[str, BatchIterator],
    tensors: Mapping[str, Tensor],
    components: tuple[LossComputation, ...],
) -> LossComputation:
    loss, place = spec.computed[name], _place(name, spec)
    _check_parts(loss, place)
    for index, module in enumerate(loss.chain):
        if module not in spec.modules:
            raise ProgramError(
                f"{place}.chain[{index}]", f"no module {module!r}", nearest(module, spec.modules)
            )
    if loss.data is not None and loss.data not in batch_iterators:
        raise ProgramError(
            f"{place}.data", f"no data {loss.data!r}", nearest(loss.data, batch_iterators)
        )
    _check_components(loss, components, place)
    batches = None if loss.data is None else batch_iterators[loss.data]
    output = _expression(spec, loss, "output", place, tensors)
    expression = _expression(spec, loss, "expression", place, tensors)
    made = LossComputation(
        name,
        loss,
        spec.modules,
        spec.modules_of(name),
        batches,
        output=output,
        expression=expression,
        components=components,
    )
    if batches is None:
        return made
    _check_held_out_rows(loss, batches, place)
    shape = (
        batches.max_batch_rows(held_out=loss.rows == "validation"),
        *batches.dataset.inputs.shape[1:],
    )
    shape = chain_shape(spec.modules, loss.chain, shape, f"the data {loss.data}")
    criterion, warning, targets = None, "", batches.dataset.targets
    if loss.criterion is not None:
        if targets is None:
            raise ProgramError(
                f"{place}.criterion", f"{loss.data} has no targets", 'add "targets" to the data'
            )
        criterion = _criterion(loss.criterion, spec.dtype)
        targets = targets_for_criterion(
            targets, takes_class_labels=loss.criterion.takes_class_labels, dtype=spec.dtype
        )
        if targets is not None and output is None and not loss.criterion.takes_class_labels:
            warning = _broadcast_warning(shape, (shape[0], *targets.shape[1:]))
    inputs = _inputs(loss, spec, batches.dataset.inputs)
    return replace(made, inputs=inputs, targets=targets, criterion=criterion, warning=warning)


def _place(name: str, spec: ProgramSpec) -> str:
    return f"$.{'metrics' if name in spec.metrics else 'losses'}.{name}"


def _check_parts(loss: LossSpec, place: str) -> None:
    """Reject a loss whose fields exclude each other."""
    if isinstance(loss, MetricSpec) and loss.data is None:
        raise ProgramError(place, "the metric has no data", 'add "data": the name of a data set')
    if (loss.criterion is None) == (loss.expression is None):
        raise ProgramError(
            place, "a loss needs either a criterion or an expression", "give one of the two"
        )
    if loss.output is not None and loss.chain:
        raise ProgramError(
            place, "the output is either a chain or a formula", "give one of chain and output"
        )
    needs_data = loss.chain or loss.output is not None or loss.criterion is not None
    if loss.data is None and needs_data:
        raise ProgramError(place, "the loss has no data", 'add "data": the name of a data set')


def _check_components(loss: LossSpec, components: tuple[LossComputation, ...], place: str) -> None:
    """Reject a sum of losses over different data: one Forward takes one batch."""
    for part in components:
        if part.spec.data not in (None, loss.data):
            own = "no data" if loss.data is None else f"the data {loss.data}"
            raise ProgramError(
                place,
                f"{part.name} uses the data {part.spec.data}, and this loss {own}",
                f'add "data": "{part.spec.data}", or run a Backward for each loss',
            )


def _inputs(loss: LossSpec, spec: ProgramSpec, inputs: NDArray[Any]) -> NDArray[Any]:
    """Return the inputs in the dtype that the first layer expects: integers for an Embedding."""
    first = spec.modules[loss.chain[0]][0] if loss.chain else None
    if not isinstance(first, Embedding):
        return inputs
    numbers = inputs.astype(np.int64)
    if (numbers != inputs).any() or numbers.min() < 0 or numbers.max() >= first.num_embeddings:
        raise ProgramError(
            f"$.data.{loss.data}",
            f"Embedding takes whole numbers from 0 to {first.num_embeddings - 1}",
            'use such inputs, without "standardize"',
        )
    return numbers


def _broadcast_warning(output: tuple[int, ...], target: tuple[int, ...]) -> str:
    if output == target:
        return ""
    return f"target size {target} differs from output size {output}: the two are broadcast"


def _check_held_out_rows(loss: LossSpec, batches: BatchIterator, place: str) -> None:
    if loss.rows == "validation" and batches.dataset.training == len(batches.dataset.inputs):
        raise ProgramError(
            f"{place}.rows",
            f"{loss.data} holds out no rows",
            f'add "validation": 0.2 to $.data.{loss.data}',
        )


def _expression(
    spec: ProgramSpec,
    loss: LossSpec,
    field: Literal["output", "expression"],
    place: str,
    tensors: Mapping[str, Tensor],
) -> Expression | None:
    text: str | None = getattr(loss, field)
    if text is None:
        return None
    names = list(tensors)
    if loss.data is not None:
        names += ["input", "target"]
    if field == "expression":
        names += spec.losses
        if loss.chain or loss.output is not None:
            names.append("output")
    try:
        return compile_expression(text, loss_language(names, spec.modules, spec.dtype))
    except GradStepError as error:
        raise ProgramError(f"{place}.{field}", error.message, error.remedy) from None


def _trial_forward(live: LiveObjects, loss: LossComputation, spec: ProgramSpec) -> LossComputation:
    """Compute a loss once: reject one that cannot be computed, and record its warning."""
    kind = "metric" if isinstance(loss.spec, MetricSpec) else "loss"
    place = f"${'.metrics' if kind == 'metric' else '.losses'}.{loss.name}"
    batches = loss.batches
    batch = None
    if batches is not None:
        start = batches.state()
        live.random_stream.apply()
        batch = loss.evaluated_rows() if loss.held_out else batches.next()
        batches.restore(start)
    undo = save_for_rollback(live.running_buffers[loss.name])
    try:
        with warnings.catch_warnings(record=True) as caught, grad_mode.no_grad():
            warnings.simplefilter("always")
            value = loss.compute(live.modules, live.tensors, *loss.tensors(batch))
        broadcast = _broadcasts(live, loss, batch)
    except GradStepError as error:
        undo()
        if _is_no_probability(loss, error):
            return loss
        raise program_error(place, document_error(error, spec, loss.spec)) from None
    undo()
    if not isinstance(value, Tensor) or value._array.size != 1:
        shape = tuple(value._array.shape) if isinstance(value, Tensor) else "a plain number"
        raise ProgramError(
            f"{place}.expression",
            f"a {kind} must be one number, and this gives {shape}",
            "use sum or mean",
        )
    caught_text = "; ".join(dict.fromkeys(str(warning.message) for warning in caught))
    return replace(loss, warning=loss.warning or broadcast or caught_text)


def _is_no_probability(loss: LossComputation, error: GradStepError) -> bool:
    """Whether BCELoss got logits: a program can be built with that mistake, so as to find it."""
    return isinstance(loss.criterion, nn.BCELoss) and "between 0 and 1" in error.message


def _broadcasts(live: LiveObjects, loss: LossComputation, batch: Batch | None) -> str:
    """Return a warning about an expression that compares every output with every target."""
    expression = loss.expression
    if expression is None or batch is None:
        return ""
    seen: dict[str, Any] = {}

    def recorded(values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a tensor
        seen.update(values)
        return expression.closure(values)

    computed = replace(loss, expression=replace(expression, closure=recorded))
    with grad_mode.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        computed.compute(live.modules, live.tensors, *loss.tensors(batch))
        names = [name for name, value in seen.items() if isinstance(value, Tensor)]
        language = loss_language(names, live.modules)
        return broadcast_warning(expression.text, language, seen, len(batch.rows))
