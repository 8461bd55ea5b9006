"""The facts: contracts of a training loop that can be broken, each with its text."""

from __future__ import annotations

from gradstep.diagnostics.tables.diagnostic import Diagnostic

__all__ = ["FACTS"]

FACTS: tuple[Diagnostic, ...] = (
    Diagnostic(
        "step-without-grad",
        "fact",
        "A step that did nothing",
        "Step {last} updated nothing: .grad was None for every parameter that {names} holds.",
        "Run Backward before Step. If it ran, check that the optimizer holds the parameters that "
        "the loss is computed from.",
    ),
    Diagnostic(
        "step-partly-without-grad",
        "info",
        "Parameters that a step skipped",
        "Step {last} skipped {names}, because .grad was None: no update, and no weight decay.",
        "Nothing to do if the loss does not use {them}. Otherwise check why no gradient reaches "
        "{them}.",
    ),
    Diagnostic(
        "grad-accumulated",
        "fact",
        "Gradients of two iterations were added up",
        "Backward {first} wrote .grad of {names}. Backward {second}, in a later iteration, added "
        "to it: nothing cleared it in between.",
        "Run Zero Grad in every iteration (an optimizer clears only what it holds), or "
        'declare "intent": ["gradient_accumulation"].',
        trial="with the gradients zeroed at the start of each iteration",
    ),
    Diagnostic(
        "grad-reused",
        "fact",
        "One gradient was used by two steps",
        "Backward {first} wrote .grad of {names}. Step {second} used it, and Step {last} used it "
        "again: nothing cleared it in between.",
        "Run Zero Grad between the two steps.",
    ),
    Diagnostic(
        "grad-discarded",
        "fact",
        "A gradient was thrown away unused",
        "Backward {first} wrote .grad of {names}. Zero Grad {last} cleared it before any Step had "
        "used it.",
        "Run Step between Backward and Zero Grad.",
    ),
    Diagnostic(
        "backward-missing",
        "fact",
        "An iteration without backward",
        "Forward {first} computed {names}, and the iteration ended at {last} without a Backward: "
        "no gradient comes from this batch.",
        "Run Backward after Forward.",
    ),
    Diagnostic(
        "step-missing",
        "fact",
        "An iteration without step",
        "Backward {first} computed gradients from {names}. No Step used them before they were "
        "cleared or another Backward ran ({last}).",
        'Run Step after Backward, or declare "intent": ["gradient_accumulation"].',
    ),
    Diagnostic(
        "graph-freed",
        "fact",
        "A second backward through the same graph",
        "Backward {last} from {names} failed: the first Backward had freed the values that the "
        "graph saved.",
        "Run Forward again; or pass retain_graph=True to the first Backward (Debug > Retain "
        "Graph); or add the losses and run Backward once.",
    ),
    Diagnostic(
        "not-connected",
        "fact",
        "A loss that no parameter is connected to",
        "Backward {last} from {names} reached no parameter: nothing that {names} is computed from "
        "requires a gradient.",
        "Thaw the parameters (Debug > Other Operation), or compute the loss from tensors that "
        "require gradients. Setting requires_grad on the loss itself connects nothing.",
    ),
    Diagnostic(
        "inplace-after-save",
        "fact",
        "A value was changed before backward had used it",
        "Forward {first} recorded the graph of {note}; {cause} {second} wrote to {names} in place; "
        "Backward {last} failed, because it needed what the graph had saved.",
        "Run Forward again, then Backward, then Step. In the loop, put each Step after the "
        "Backward of every loss that uses its parameters.",
    ),
    Diagnostic(
        "data-bypass",
        "fact",
        "A saved value was changed behind autograd's back",
        "Forward {first} recorded the graph of {note}; Set Value {second} changed {names} through "
        ".data, which autograd does not see; Backward {last} used the new values, so its gradients "
        "belong to no Forward.",
        "Write under no_grad instead of through .data, before Forward or after Backward. Run "
        "Forward again now.",
        trial="with each write through .data made visible to autograd",
    ),
    Diagnostic(
        "graph-retained",
        "fact",
        "A graph was kept for nothing",
        "Forward {first} recorded the graph of {names}, and Backward {second} kept it with "
        "retain_graph=True. No Backward had used it again by {last}: the values that it saved "
        "stayed in memory.",
        "Turn off retain_graph (Debug > Retain Graph). If two losses share a graph, keep it for "
        "the first Backward only.",
    ),
    Diagnostic(
        "total-keeps-graphs",
        "fact",
        "A running total keeps every graph alive",
        "Since {first}, {note} has been added to {names} as a tensor, together with the graph that "
        "computed it. {names} keeps every one of these graphs alive: one more in each iteration, "
        "as the message of each event counts.",
        "Add only the number: loss.item(), or loss.detach().",
        trial="with only the number of each loss added",
    ),
    Diagnostic(
        "optimizer-orphan",
        "fact",
        "Parameters that no optimizer holds",
        "Backward {last} gave {names} a gradient, but no optimizer holds {them}: no Step will "
        "update {them}.",
        "Add {them} to the params of an optimizer, or freeze {them}.",
    ),
    Diagnostic(
        "optimizer-stale",
        "fact",
        "An optimizer holds replaced tensors",
        "The module was rebuilt, and {note} kept the old {names}: Step moves tensors that no loss "
        "uses any more.",
        "Create the optimizer again after replacing a module.",
    ),
    Diagnostic(
        "optimizer-foreign",
        "fact",
        "An optimizer holds parameters that no loss uses",
        "{names} {are} held by {note}, but no loss of the program is computed from {them}: no "
        "Backward gives {them} a gradient.",
        "Give the optimizer the parameters of the model that the loss uses.",
    ),
    Diagnostic(
        "optimizer-duplicate",
        "fact",
        "A parameter is held more than once",
        "{names} {are} held {note}. Each holder applies an update of its own.",
        "Let one optimizer hold each parameter, once.",
    ),
    Diagnostic(
        "frozen-but-moved",
        "fact",
        "A frozen parameter moved",
        "Step {last} moved {names}, although requires_grad is False: an old gradient, weight "
        "decay or momentum still acts on {them}.",
        "After freezing, zero the gradients to None, or take {them} out of the optimizer.",
    ),
    Diagnostic(
        "moved-without-gradient",
        "fact",
        "A parameter moved although its gradient was zero",
        "Zero Grad {first} set the gradient of {names} to zeros, and no Backward has written to it "
        "since, yet {note} moved {them} in Step {last}.",
        "Zero the gradients to None, so that Step skips {them}; or take {them} out of the "
        "optimizer.",
    ),
    Diagnostic(
        "scheduler-first",
        "fact",
        "A scheduler stepped before its optimizer",
        "Scheduler Step {last} of {names} came before the first Step of {note}: the first value of "
        "the schedule is skipped.",
        "Step the optimizer before the scheduler.",
    ),
    Diagnostic(
        "clip-after-step",
        "fact",
        "Clipping came after the step",
        "Step {first} used the gradients of {names}; the clipping in {last} came after it and had "
        "no effect on the update.",
        "Clip between Backward and Step.",
        trial="with each clipping moved before its step",
    ),
    Diagnostic(
        "clip-per-microbatch",
        "fact",
        "Clipping came before the gradient was complete",
        "The gradients of {names} were clipped in {first}, and Backward {last} then added to them: "
        "Step uses the sum of a clipped and an unclipped gradient.",
        "Clip once, after the last Backward and before Step.",
        trial="with no clipping that another Backward follows",
    ),
    Diagnostic(
        "accumulation-scale",
        "fact",
        "Accumulated gradients are not the mean of their batches",
        "Step {last} used the gradients of {note}. It is not the step that the mean over all these "
        "rows would give. (Adam hardly notices a factor; SGD and the norm that clipping sees do.)",
        "Divide the loss by the number of batches between two steps, as in mean(...) / 4, or "
        "divide the learning rate of SGD. Where the batches differ in size, set "
        '"drop_last": true, or use a sum divided by the number of all rows.',
    ),
    Diagnostic(
        "mode-left-eval",
        "fact",
        "Training continued in evaluation mode",
        "Set Mode {first} put {names} in evaluation mode, a loss was computed in that mode "
        "({second}), and Step {last} learned from it: Dropout dropped nothing, and BatchNorm used "
        "its old running statistics.",
        "Set the mode back to training after each evaluation (Debug > Other Operation, or a line "
        'of the loop), or declare "intent": ["frozen_backbone"].',
        trial="with the modules in training mode for each training loss",
    ),
    Diagnostic(
        "mode-left-train",
        "fact",
        "An evaluation in training mode",
        "Forward {last} computed {note} on held-out rows with {names} in training mode: Dropout "
        "dropped units at random, and BatchNorm normalised by this batch and updated its running "
        "statistics.",
        "Set the mode to evaluation before it, and back to training after it (Debug > Other "
        "Operation, or lines of the loop).",
        trial="with each evaluation in evaluation mode",
    ),
    Diagnostic(
        "resume-incomplete",
        "fact",
        "A resume without all parts of its checkpoint",
        "{note}: these still have the values of later events.",
        "Load these parts, too: Load the State After It, in the menu of the event.",
        trial="with the whole state loaded",
    ),
    Diagnostic(
        "non-finite",
        "fact",
        "NaN or infinity appeared",
        "{note} ({events}).",
        "Go to the event before and inspect what it reads. A smaller learning rate or clipping "
        "often helps.",
    ),
    Diagnostic(
        "broadcast-loss",
        "fact",
        "The loss broadcasts its target",
        "In {last}, the output and the target of {names} have different shapes ({note}), so every "
        "output was compared with every target.",
        "Give both the same shape.",
    ),
    Diagnostic(
        "replay-diverged",
        "fact",
        "A replay did not reproduce the recording",
        "Replaying {last} gave other numbers than when it was recorded: {note}.",
        "Replay with the machine, the library versions and the thread count of the recording.",
        is_timeless=True,
    ),
)
