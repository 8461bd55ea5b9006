"""Dispatch each kind of Operation to the function that applies it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gradstep.errors import OperationError
from gradstep.program import operation as ops
from gradstep.program.operation_effect import OperationEffect
from gradstep.program.operations import (
    clipping,
    closure,
    loop,
    modules,
    optimizers,
    training,
    values,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gradstep.program.operation import Operation
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["run_operation"]


def run_operation(live: LiveObjects, operation: Operation) -> OperationEffect:
    """Apply one Operation to the live objects.

    Raises:
        GradStepError: If it fails; the state is then unchanged.
    """
    run = _RUN.get(type(operation))
    if run is None:
        raise OperationError(
            f"{type(operation).__name__} needs the state of an earlier Event",
            "apply it through the History",
        )
    return run(live, operation)


def _skip(_live: LiveObjects, _operation: ops.Skip) -> OperationEffect:
    """Do nothing."""
    return OperationEffect()


def _script_call(_live: LiveObjects, operation: ops.ScriptCall) -> OperationEffect:
    raise OperationError(
        f"a program cannot do {operation.call!r}, which only scripts do", "use another Operation"
    )


_RUN: Mapping[type[Operation], Callable[[LiveObjects, Any], OperationEffect]] = MappingProxyType(
    {
        ops.ZeroGrad: training.zero_grad,
        ops.Forward: training.forward,
        ops.Backward: training.backward,
        ops.Step: closure.step,
        ops.SchedulerStep: optimizers.scheduler_step,
        ops.ClipGradNorm: clipping.clip_grad_norm,
        ops.ClipGradValue: clipping.clip_grad_value,
        ops.SetHyperparameter: optimizers.set_hyperparameter,
        ops.Freeze: modules.freeze,
        ops.SetMode: modules.set_mode,
        ops.RebuildModule: modules.rebuild_module,
        ops.ReplaceOptimizer: optimizers.replace_optimizer,
        ops.SetBatchSize: values.set_batch_size,
        ops.SetValue: values.set_value,
        ops.AddLoss: values.add_loss,
        ops.EditLoop: loop.edit_loop,
        ops.Skip: _skip,
        ops.ScriptCall: _script_call,
    }
)
