"""The texts of findings on a user's own script, where programs have others, or no such finding.

A script has no document and no what-if: the remedy is a change of the user's own lines. Every
Event is named with its line, such as "Backward #5 (train.py:12)".
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from gradstep.diagnostics.tables.diagnostic import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SCRIPT_FACTS", "SCRIPT_TEXTS", "ScriptText"]


SCRIPT_FACTS: tuple[Diagnostic, ...] = (
    Diagnostic(
        "optimizer-of-other-network",
        "fact",
        "Two optimizers hold one network, and none another",
        "{note} and {cause} hold the same parameters. Backward {second} gave {names} a gradient, "
        "but no optimizer holds {them}: Step {last} of {note} moved the parameters that Backward "
        "{first} and a Step of {cause} had moved.",
        "Pass the parameters of {names} to {note}.",
        definition="Steps of two optimizers that hold the same tensors alternated, each with a "
        "loss of its own, and only the loss of one of them reached another network, which no "
        "optimizer holds and nothing moved by hand.",
    ),
    Diagnostic(
        "scheduler-of-idle-optimizer",
        "fact",
        "A scheduler of an optimizer that does not step",
        "{names} changes the learning rate of {cause}, which has never stepped. Step {second} of "
        "{note} moved the parameters, with a learning rate that Scheduler Step {last} did not "
        "change.",
        "Create {names} with {note}, after {note} is created.",
        definition="A scheduler stepped three times, its optimizer never did, and another one "
        "stepped tensors in between that both hold. Both are of torch's own classes, and the other "
        "one has no scheduler.",
    ),
    Diagnostic(
        "graph-carried",
        "fact",
        "A graph that goes back into an earlier iteration",
        "Backward {last} went back through {names} into the graph of an earlier Backward, and "
        "failed: {note}.",
        "{cause} ({at_last}). With retain_graph=True, each Backward would go back to the first "
        "iteration, or fail at what a Step has changed.",
        definition="A Backward failed at values of its graph that were freed or had changed, and "
        "its graph had nodes that were older than the loss of the Backward before it on the same "
        "line, which a variable held then.",
    ),
    Diagnostic(
        "parameter-rebound",
        "fact",
        "A result took the name of a parameter",
        "A result was assigned to {names}, and took the place of the parameter. So {note} {last}.",
        "Change {names} in place instead, under no_grad(): with -=, or with sub_() or copy_().",
        definition="A Backward failed because its loss required no gradient, or a line because a "
        "variable's .grad was None; and that variable held another tensor, which requires no "
        "gradient, than the leaf that an earlier Backward had reached by that name, or was a "
        "loop's for parameters; or it held a result that requires one, and a line assigns it "
        "the sum or difference of itself and another value. Or gradients were cleared unused in "
        "seven iterations in a row, there is no optimizer, and the loop's variable is set to a "
        "result, as p in p = p - lr * p.grad.",
    ),
    Diagnostic(
        "gradient-of-result",
        "fact",
        "A result where a leaf is needed",
        "{names} {are} the result of an operation{note}, not a leaf: Backward stores no gradient "
        "in .grad of a result, and an optimizer takes none. So {cause} failed.",
        "Make the tensor a leaf: compute its values first, and set requires_grad last, as in "
        "(torch.randn(2) * 0.1).requires_grad_(). If the gradient of a result is to be read, call "
        "retain_grad() on it before Backward.",
        definition="A line ended the script because the .grad of a variable was None, or because "
        "an optimizer was given it; and the variable held a tensor that requires a gradient, is "
        "no leaf, and does not retain its gradient.",
    ),
    Diagnostic(
        "leaf-changed-in-place",
        "fact",
        "A parameter that is changed in place with gradients enabled",
        "{cause} changed {names} in place, and failed: gradients were enabled, and {names} {are} "
        "a leaf that requires a gradient. PyTorch does not allow that, because such a change "
        "would become part of the graph.",
        "Where {names} {are} only to get new values, as by an update, change {them} inside of "
        "with torch.no_grad(). Where the change is part of the computation, give its result "
        "another name, as in y = x * 2 instead of x *= 2.",
        definition="An error of a change in place of a leaf that requires a gradient ended the "
        "script, and the line changes a variable that holds such a leaf.",
    ),
    Diagnostic(
        "criterion-out-of-range",
        "fact",
        "A criterion that was given no probabilities",
        "{cause} was to compute {names}, and failed: BCELoss expects probabilities, as Sigmoid "
        "gives, but its input had values below 0 or above 1.",
        "Use BCEWithLogitsLoss instead of BCELoss: it applies the sigmoid itself, and the model "
        "gives logits then. Or let the model end with Sigmoid.",
        definition="The error of a binary cross-entropy whose input is no probability ended the "
        "script, and the input had values below 0 or above 1.",
    ),
    Diagnostic(
        "network-aliased",
        "fact",
        "A target network that is the network itself",
        "{names} and {note} are two names of one module, because {cause} copies nothing: what "
        "{names} gave without gradients, as in {first}, came from the parameters that Step {last} "
        "then moved. Copying {note} into {names} changes nothing.",
        "Make {names} a network of its own: copy.deepcopy({note}).",
        definition="A line gives a network a second name, and nothing else is assigned to that; "
        "others copy its state or its parameters from the one name to the other. It was called by "
        "the second name without gradients, and then a Step moved it.",
    ),
    Diagnostic(
        "made-anew",
        "fact",
        "A layer that is made anew in each iteration",
        "Backward {first} gave {names} a gradient, but {cause} is made anew in each iteration, so "
        "Step {last} of {note} did not update {them}: no optimizer holds {them}.",
        "Make {cause} once, in __init__() and before {note}, and only call it in forward().",
        definition="Parameters of a module that an optimizer steps were other tensors by the same "
        "names in three iterations, Backwards gave them gradients, and no optimizer held them.",
    ),
    Diagnostic(
        "freeze-without-effect",
        "fact",
        "Freezing that has no effect",
        "{names}.{note} = False freezes nothing: {cause}. Step {last} used gradients of {names}.",
        "Call requires_grad_(False) on {names}, before the first Backward.",
        definition="A module has an attribute requires_grad that is False, or a parameter one of a "
        "similar name; they require gradients nevertheless, and a Step used these.",
    ),
    Diagnostic(
        "state-not-copied",
        "fact",
        "A state that was kept without a copy",
        "{names}.load_state_dict() was given the tensors of {names} itself, in {last}: "
        "state_dict() returns no copies, so that state followed every Step. Nothing was restored.",
        "Keep a copy: copy.deepcopy({names}.state_dict()).",
        definition="A state that a module was to load had all of its parameters, each in the "
        "memory of the parameter itself.",
    ),
    Diagnostic(
        "nothing-loaded",
        "fact",
        "A state of which nothing was loaded",
        "{names}.load_state_dict() loaded nothing in {last}: no name of that state is one of "
        "{names}. It has names such as {note} instead of {cause}, and strict=False makes that no "
        "error.",
        "Give the state the names of {names}, and load it without strict=False. Names that begin "
        "with module. come from DataParallel or DistributedDataParallel: save "
        "model.module.state_dict(), or take that prefix off.",
        definition="A state was loaded into a module that has parameters or buffers, and all names "
        "of the state were unexpected.",
    ),
    Diagnostic(
        "clip-of-nothing",
        "fact",
        "A clipping of nothing",
        "The clipping before Step {last} was given {names}, an iterator that had been used up: it "
        "gives its tensors only once. Nothing was clipped.",
        "Pass the parameters to {note} themselves, as model.parameters(), or make {names} a list: "
        "list(model.parameters()).",
        definition="A function that clips gradients was given a generator that was at its end.",
    ),
    Diagnostic(
        "clip-before-unscale",
        "fact",
        "Clipping before the gradients are unscaled",
        "Clipping {first} limited gradients of {names} that {note} had not yet divided by its "
        "scale: it did that in Step {last}. The limit was as many times too small.",
        "Call {note}.unscale_({names}) after the Backward, before the clipping ({at_first}).",
        definition="Gradients were clipped after a Backward, and the Step that used them was done "
        "by a GradScaler that had not unscaled them before.",
    ),
    Diagnostic(
        "sum-cleared",
        "fact",
        "Gradients that are cleared instead of added up",
        "{names} steps once in {note} Backwards, but Step {last} used only the last of them: what "
        "each of the others had written, such as Backward {first}, was cleared ({second}).",
        "To use the sum of the {note} Backwards, clear the gradients after the Step ({at_last}) "
        "instead of in each iteration ({at_second}). Otherwise, step after each Backward.",
        definition="In three Steps of an optimizer in a row, all but the last Backward of a line "
        "were cleared before the Step, as many each time.",
    ),
    Diagnostic(
        "closure-accumulates",
        "fact",
        "A closure that does not clear its gradients",
        "In Step {last}, {names} called its closure several times, and nothing cleared the "
        "gradients in between: each Backward of {note} added to those before.",
        "Call {names}.zero_grad() in the closure, before its Backward.",
        definition="In two Steps in a row, an optimizer had Backwards of one line run several "
        "times, with nothing cleared inside of the Step.",
    ),
)
"""The facts that only scripts show: the document of a program cannot contain such mistakes, or
other facts tell them."""


class ScriptText(NamedTuple):
    """The text of a finding on a script, with the placeholders of a Diagnostic.

    `{at_first}`, `{at_second}` and `{at_last}` are the lines of the Events, such as "train.py:12".

    Attributes:
        remedy: What to change in the script.
        detail: What happened; as in the table of facts if empty.
    """

    remedy: str
    detail: str = ""


SCRIPT_TEXTS: Mapping[str, ScriptText] = MappingProxyType(
    {
        "step-without-grad": ScriptText(
            "{cause} ({at_last}).",
            "Step {last} of {names} moved nothing: {note}.",
        ),
        "grad-accumulated": ScriptText(
            "Clear them before the first Backward of each update ({at_second}): {note}. If the sum "
            "is intended, note it in a comment: # gradstep: gradient_accumulation",
            "{cause} {first} had used .grad of {names}. Backward {second} added to it. {cause} "
            "{last} used the sum of an old and a new gradient: nothing cleared it in between.",
        ),
        "grad-reused": ScriptText(
            "Call {note} and Backward again between the two ({at_second} and {at_last}), or remove "
            "one of them{cause}."
        ),
        "grad-discarded": ScriptText(
            "Move the line that clears them ({at_second}) before the Backward ({at_first}), or "
            "after the Step ({at_last}).",
            "Backward {first} wrote .grad of {names}. Zero Grad {second} cleared it, and Step "
            "{last} of {note} found nothing to use.",
        ),
        "step-missing": ScriptText(
            "{cause} ({at_second}).",
            "From Backward {first} to Backward {second}, .grad of {names} was written again and "
            "again, and up to {last} no Step had used it: {note}.",
        ),
        "graph-freed": ScriptText(
            "Before each Backward ({at_last}), compute its loss again, and every tensor in it that "
            "an earlier Backward went through; or call detach() on such a tensor where this loss "
            "does not train what made it. For two losses of one graph, pass retain_graph=True to "
            "the first Backward, or add the losses."
        ),
        "not-connected": ScriptText(
            "{cause}Setting requires_grad on the loss itself connects nothing.",
            "Backward {last} from {names} reached no parameter{note}.",
        ),
        "inplace-after-save": ScriptText(
            "{cause}Replace the operation in place (+=, *=, x[...] = ..., or one that ends in _) "
            "that comes before the Backward ({at_last}), in the Forward or after it, by one that "
            "makes a new tensor; or move the Step after the Backward of every loss that uses its "
            "parameters.",
            "Backward {last} failed, because a value that the graph of {names} had saved was then "
            "changed in place: {note}.",
        ),
        "optimizer-stale": ScriptText(
            "{cause}Create {note} after the model is complete: after layers are replaced, after "
            "copies or conversions of the model, and after load_state_dict(..., assign=True).",
            "{note} holds tensors that no module has any longer. Backward {first} gave {names} a "
            "gradient, but no optimizer holds {them}, and Step {last} did not update {them}.",
        ),
        "optimizer-orphan": ScriptText(
            "Before {note} is created, make {cause} an nn.ModuleList (a dictionary an "
            "nn.ModuleDict, parameters an nn.ParameterList), so that parameters() lists what is in "
            "it.",
            "Backward {first} gave {names} a gradient, but Step {last} of {note} did not move "
            "{them}, because no optimizer holds {them}: {cause} is a plain list or dictionary, and "
            "parameters() does not look into those.",
        ),
        "criterion-mismatch": ScriptText(
            "Remove the last activation, replace it by the one that is expected, or choose another "
            "criterion.",
            "{note} (in {names}, as at Backward {last}).",
        ),
        "optimizer-foreign": ScriptText(
            "{cause}Pass the parameters of the model that computes the loss to {note}.",
            "Backward {first} gave {names} a gradient, but no optimizer holds {them}; {note} holds "
            "other parameters, which it did not reach, so Step {last} moved nothing.",
        ),
        "optimizer-duplicate": ScriptText(
            "Let one optimizer hold each parameter; or clear the gradient, and run Backward again, "
            "before the second Step ({at_last}).",
            "{names} {are} held {note}. Step {second} used the gradient of Backward {first}, and "
            "Step {last} of the other optimizer used it again: {names} moved twice.",
        ),
        "frozen-but-moved": ScriptText(
            "After setting requires_grad to False, set .grad of {names} to None, or create the "
            "optimizer without {them}."
        ),
        "moved-without-gradient": ScriptText(
            "Call zero_grad() without set_to_none=False ({at_first}), so that Step skips {them}; "
            "or create the optimizer without {them}."
        ),
        "scheduler-first": ScriptText(
            "Move the step of {names} ({at_first}) after the Step of {note} ({at_last}).",
            "Scheduler Step {first} of {names} came before the first Step of {note} ({last}): the "
            "first value of the schedule was skipped.",
        ),
        "clip-before-backward": ScriptText(
            "Move the clipping ({at_first}) between the Backward ({at_second}) and the Step "
            "({at_last})."
        ),
        "clip-after-step": ScriptText(
            "Move the clipping ({at_last}) before the Step ({at_first})."
        ),
        "clip-per-microbatch": ScriptText(
            "Clip once, after the last Backward ({at_last}) and before the Step."
        ),
        "mode-left-eval": ScriptText(
            "{cause}Call {names}.train() after an evaluation, before training continues. If "
            "evaluation mode is intended, note it in a comment: # gradstep: frozen_backbone",
            "{names} was put in evaluation mode {note} {first}, and was still in it when its "
            "parameters were updated, in {last}. In that mode, Dropout drops nothing, and "
            "BatchNorm uses its old running statistics.",
        ),
        "non-finite": ScriptText(
            "Go to the Event before it, and inspect what {at_last} reads.{cause}"
        ),
        "broadcast-loss": ScriptText(
            "Give the output and the target the same shape before the loss is computed{cause}.",
            "In Forward {last}, {names} expanded the output {note} to match the target: every "
            "output was compared with every target.",
        ),
        "total-keeps-graphs": ScriptText(
            "Keep only the number: {note}.item(), or {note}.detach().",
            "{names} keeps {note} as a tensor, together with the graph that computed it, as at "
            "Backward {last}. Until {names} is set again, every one of these graphs stays in "
            "memory: one more in each iteration.",
        ),
        "optimizer-rebuilt": ScriptText(
            "Create {names} once, before the loop.",
            "{names} was created again in each of three iterations in a row, the last time before "
            "Step {last}. Each time the memory of {note} of earlier gradients was lost, so its "
            "momentum and averages never build up.",
        ),
        "replay-diverged": ScriptText("The session is damaged: record the script again."),
        "maximized-loss": ScriptText(
            "Remove maximize=True from the optimizer if it is not intended."
        ),
        "vanishing-gradient": ScriptText(
            "Start from other values, as with torch.nn.init; in a network, also try another "
            "activation, such as LeakyReLU, or fewer layers."
        ),
        "dead-relu": ScriptText(
            "Try a smaller learning rate, LeakyReLU, other initial values, or inputs scaled to "
            "about 1. A ReLU as the last layer of a regression is best left out.",
            "{note} ({last}).",
        ),
        "weight-decay": ScriptText("Try a weight_decay of 0.01 or less."),
    }
)
"""By the id of a diagnostic; the remedies of the others fit scripts unchanged."""
