"""The change of a script that a finding's remedy proposes, by the rule for the finding."""

from __future__ import annotations

from difflib import unified_diff
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from gradstep.diagnostics.script_edits.by_hand import (
    make_leaf,
    update_in_place,
    update_without_graph,
)
from gradstep.diagnostics.script_edits.clearing import (
    clear_before_backward,
    clear_for_update,
    clear_in_closure,
    clear_module_before_step,
    clear_to_none,
    clear_with_step,
    move_clearing_after_step,
)
from gradstep.diagnostics.script_edits.clipping import (
    move_clipping_after_backward,
    move_clipping_before_step,
    unscale_before_clipping,
)
from gradstep.diagnostics.script_edits.criteria import fit_criterion
from gradstep.diagnostics.script_edits.detaching import detach_carried, detach_kept_loss
from gradstep.diagnostics.script_edits.loaded_rates import set_rate_after_loading
from gradstep.diagnostics.script_edits.modes import evaluate_around_call, train_before_call
from gradstep.diagnostics.script_edits.modules import (
    copy_network,
    copy_state,
    freeze,
    make_module_list,
    make_parameters,
)
from gradstep.diagnostics.script_edits.optimizers import (
    make_optimizer_after_module,
    make_optimizer_before_loop,
    make_scheduler_for_optimizer,
    pass_parameters,
)
from gradstep.diagnostics.script_edits.samplers import set_epoch
from gradstep.diagnostics.script_edits.stepping import (
    call_backward,
    divide_loss,
    move_schedule_after_step,
    move_schedule_into_loop,
    move_schedule_out_of_loop,
    move_step_into_loop,
    remove_second_step,
    step_after_backward,
    step_after_last_batch,
)
from gradstep.diagnostics.script_edits.syntax import parsed
from gradstep.diagnostics.script_edits.target_shape import reshape_target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gradstep.diagnostics.script_edits.named import Named
    from gradstep.diagnostics.script_edits.syntax import ScriptSyntax, Statement

__all__ = ["proposed_edit"]

CONTEXT_LINES = 1
"""Unchanged lines before and after a changed one."""


def proposed_edit(
    finding: str, named: Named, places: Sequence[str], files: Mapping[str, str]
) -> str:
    r"""Return the change of a script that clears a finding, as a unified diff.

    Args:
        finding: The id of the diagnostic.
        named: The variables that the change may name.
        places: The lines of the Events of its first occurrence, such as "train.py:12".
        files: The texts of the script's own files by name.

    Returns:
        The diff; empty where no change is sure to be right.

    Example:
        >>> from gradstep.diagnostics.script_edits.named import Named
        >>> code = "for x in data:\n    model(x).backward()\n    optimizer.step()\n"
        >>> named, places = Named(optimizers=("optimizer",)), ("a.py:3", "a.py:2", "a.py:3")
        >>> print(proposed_edit("grad-accumulated", named, places, {"a.py": code}))
        --- a.py
        +++ a.py
        @@ -1,2 +1,3 @@
         for x in data:
        +    optimizer.zero_grad()
             model(x).backward()
    """
    split = [place.rpartition(":") for place in places]
    file = split[0][0] if split else ""
    if finding not in _RULES or file not in files or any(one[0] != file for one in split):
        return ""
    numbers = tuple(int(number) for _, _, number in split if number.isdecimal())
    if len(numbers) != len(places):
        return ""
    return _difference(finding, named, numbers, file, files[file])


@lru_cache(maxsize=64)
def _difference(finding: str, named: Named, numbers: tuple[int, ...], file: str, text: str) -> str:
    script = parsed(text)
    if script is None:
        return ""
    statements = [script.statement(number) for number in numbers]
    if not all(statements):
        return ""
    changed = _RULES[finding](script, [one for one in statements if one is not None], named)
    if changed is None:
        return ""
    lines = unified_diff(script.lines, changed, file, file, n=CONTEXT_LINES, lineterm="")
    return "\n".join(lines)


def _hold_parameters(
    script: ScriptSyntax, cited: Sequence[Statement], named: Named
) -> list[str] | None:
    """Return the lines with an optimizer that holds what it left out."""
    return make_parameters(script, cited, named) or pass_parameters(script, cited, named)


_RULES: Mapping[str, Callable[[ScriptSyntax, Sequence[Statement], Named], list[str] | None]] = (
    MappingProxyType(
        {
            "backwards-per-step": move_step_into_loop,
            "batches-carried-over": step_after_last_batch,
            "broadcast-loss": reshape_target,
            "clip-after-step": move_clipping_before_step,
            "clip-before-backward": move_clipping_after_backward,
            "clip-before-unscale": unscale_before_clipping,
            "closure-accumulates": clear_in_closure,
            "criterion-mismatch": fit_criterion,
            "criterion-out-of-range": fit_criterion,
            "evaluation-in-training-mode": evaluate_around_call,
            "freeze-without-effect": freeze,
            "grad-accumulated": clear_for_update,
            "grad-discarded": move_clearing_after_step,
            "grad-reused": remove_second_step,
            "gradients-of-two-losses": clear_before_backward,
            "gradient-of-result": make_leaf,
            "graph-carried": detach_carried,
            "learning-rate-loaded": set_rate_after_loading,
            "leaf-changed-in-place": update_without_graph,
            "mode-left-eval": train_before_call,
            "moved-without-gradient": clear_to_none,
            "network-aliased": copy_network,
            "one-step-of-two": clear_module_before_step,
            "optimizer-orphan": make_module_list,
            "optimizer-stale": make_optimizer_after_module,
            "optimizer-rebuilt": make_optimizer_before_loop,
            "parameter-rebound": update_in_place,
            "parameters-left-out": _hold_parameters,
            "sampler-epoch-not-set": set_epoch,
            "schedule-per-batch": move_schedule_out_of_loop,
            "schedule-per-epoch": move_schedule_into_loop,
            "scheduler-first": move_schedule_after_step,
            "scheduler-of-idle-optimizer": make_scheduler_for_optimizer,
            "state-not-copied": copy_state,
            "step-missing": step_after_backward,
            "step-without-grad": call_backward,
            "sum-of-batches": divide_loss,
            "sum-cleared": clear_with_step,
            "total-keeps-graphs": detach_kept_loss,
        }
    )
)
