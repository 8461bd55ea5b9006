"""Inside a Zero Grad: parameter by parameter, what its gradient was and what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.autograd.clearing import clear_gradients
from gradstep.formula import Formula
from gradstep.program.micro_step import MicroStep, kept

if TYPE_CHECKING:
    from gradstep.program.micro_step import Walk
    from gradstep.program.operation import ZeroGrad
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["walk_zero_grad"]


def walk_zero_grad(live: LiveObjects, operation: ZeroGrad) -> Walk:
    """Clear the gradients of an optimizer's parameters, one after the other."""
    name, to_none = operation.optimizer, operation.set_to_none
    for number, group in enumerate(live.optimizer(name).param_groups):
        for parameter in group["params"]:
            address = live.addresses[parameter]
            before = kept([("grad", _array(parameter._grad))])
            clear_gradients((parameter,), to_none)
            after = kept([("grad", _array(parameter._grad))])
            yield MicroStep(
                "parameter",
                address,
                (name, f"group {number}"),
                _CLEARED[to_none] if before else _NOTHING_TO_CLEAR,
                before,
                after,
                none=(() if before else ("grad",), () if after else ("grad",)),
                writes=(f"{address}.grad",) if before else (),
            )


def _array(gradient: Any) -> Any:  # noqa: ANN401 - a Tensor's array, or None
    return None if gradient is None else gradient._array


_CLEARED = {
    True: Formula("grad = None", r"g \leftarrow \text{None}"),
    False: Formula("grad = 0", r"g \leftarrow 0"),
}
_NOTHING_TO_CLEAR = Formula("grad was None already", "")
