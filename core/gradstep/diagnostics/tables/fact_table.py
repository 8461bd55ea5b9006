"""The facts: contracts of a training loop that can be broken, each with its words."""

from __future__ import annotations

from gradstep.diagnostics.tables.diagnostic import Diagnostic

__all__ = ["FACTS"]

FACTS: tuple[Diagnostic, ...] = (
    Diagnostic(
        "step-without-grad",
        "fact",
        "A step that did nothing",
        "In {events} every .grad of {names} was None, so no parameter was updated.",
        "Press Backward before Step; where it was, look at whether the optimizer holds what the "
        "loss is computed from.",
    ),
    Diagnostic(
        "step-partly-without-grad",
        "info",
        "Parameters that a step skipped",
        "In {events} {names} had .grad None: they were skipped, and neither decayed nor moved.",
        "Nothing to do if the loss does not use them; else look at why no gradient reaches them.",
    ),
    Diagnostic(
        "grad-accumulated",
        "fact",
        "Gradients of two iterations were added up",
        "Backward ({events}) added to .grad of {names}, which still held the gradient of an "
        "earlier iteration.",
        "Zero the gradients in every iteration (an optimizer clears only what it holds), or "
        'declare "intent": ["gradient_accumulation"].',
        trial="with the gradients zeroed at the start of each iteration",
    ),
    Diagnostic(
        "grad-reused",
        "fact",
        "One gradient was used by two steps",
        "What the first of {events} put into .grad of {names} was used by both of the others: "
        "nothing had cleared it.",
        "Zero the gradients between the two steps.",
    ),
    Diagnostic(
        "grad-discarded",
        "fact",
        "A gradient was thrown away unused",
        "The gradient of {names} was cleared before any step had used it ({events}).",
        "Press Step between Backward and Zero Grad.",
    ),
    Diagnostic(
        "backward-missing",
        "fact",
        "An iteration without backward",
        "The iteration computed {names} and ended without a Backward ({events}), so that no "
        "gradient is of this batch.",
        "Press Backward after Forward.",
    ),
    Diagnostic(
        "step-missing",
        "fact",
        "An iteration without step",
        "The iteration computed gradients from {names}, and no Step used them before they were "
        "cleared or another Backward came ({events}).",
        'Press Step after Backward, or declare "intent": ["gradient_accumulation"].',
    ),
    Diagnostic(
        "graph-freed",
        "fact",
        "A second backward through the same graph",
        "Backward from {names} failed ({events}): the first backward had freed what the graph had "
        "saved.",
        "Press Forward again; or pass retain_graph=True to the first Backward (Debug > Retain "
        "Graph); or add the losses up and go backward once.",
    ),
    Diagnostic(
        "not-connected",
        "fact",
        "A loss that no parameter is connected to",
        "Backward from {names} ({events}) reached no parameter: {note}",
        "Thaw the parameters (Debug > Other Operation) or compute the loss from tensors that "
        "require gradients; setting requires_grad on the loss itself connects nothing.",
    ),
    Diagnostic(
        "inplace-after-save",
        "fact",
        "A value was changed before backward had used it",
        "Backward from {note} failed: of {events} the first had saved values for it, the second "
        "changed {names} in place, and the last needed them as they had been.",
        "Press Forward again, then Backward, and Step only after that; in the loop, put each Step "
        "after the Backwards of all losses that use its parameters.",
    ),
    Diagnostic(
        "data-bypass",
        "fact",
        "A saved value was changed behind autograd's back",
        "Backward from {note} went through with the new values of {names}: of {events} the first "
        "had saved them, the second wrote to .data, which no version counter notices, and the last "
        "computed gradients that belong to no Forward.",
        "Write under no_grad instead of to .data, before Forward or after Backward; and press "
        "Forward again now.",
        trial="with each write to .data noticed by autograd",
    ),
    Diagnostic(
        "graph-retained",
        "fact",
        "A graph was kept for nothing",
        "Of {events} the first recorded the graph of {names}, the second kept it with "
        "retain_graph=True, and until the last no Backward had used it again: all that it has "
        "saved stayed in memory.",
        "Leave out retain_graph (Debug > Retain Graph); where two losses share a graph, keep it "
        "for the first Backward only.",
    ),
    Diagnostic(
        "total-keeps-graphs",
        "fact",
        "A running total keeps every graph alive",
        "Since the first of {events} {note} is added to {names} as a tensor, with the graph that "
        "it was computed by. Nothing lets go of these graphs while the total is there: with each "
        "iteration there is one more, as the message of each event counts.",
        "Add the number alone: loss.item(), or loss.detach().",
        trial="with the number of each loss added instead",
    ),
    Diagnostic(
        "optimizer-orphan",
        "fact",
        "Parameters that no optimizer holds",
        "{names} got a gradient ({events}), but no optimizer holds them: they will never be "
        "updated.",
        "Add them to the params of an optimizer, or freeze them.",
    ),
    Diagnostic(
        "optimizer-stale",
        "fact",
        "An optimizer holds replaced tensors",
        "{note} still holds {names} of before the module was rebuilt: its steps move tensors that "
        "no loss uses any more.",
        "Make the optimizer anew after replacing a module.",
    ),
    Diagnostic(
        "optimizer-foreign",
        "fact",
        "An optimizer holds parameters that no loss uses",
        "{note} holds {names}, which no loss of the program is computed from: they never get a "
        "gradient.",
        "Give the optimizer the parameters of the model that the loss uses.",
    ),
    Diagnostic(
        "optimizer-duplicate",
        "fact",
        "A parameter is held more than once",
        "Held {note}: {names}. Each of the holders makes a move of its own.",
        "Let one optimizer hold each parameter, once.",
    ),
    Diagnostic(
        "frozen-but-moved",
        "fact",
        "A frozen parameter moved",
        "Step {events} changed {names}, though requires_grad is False: the gradient from before, "
        "weight decay or momentum goes on acting.",
        "Zero the gradients to None after freezing, or leave what is frozen out of the optimizer.",
    ),
    Diagnostic(
        "moved-without-gradient",
        "fact",
        "A parameter moved although its gradient was zero",
        "In the iteration that ended with {events} no Backward reached {names}, whose gradient had "
        "been cleared to zeros; yet {note} moved it.",
        "Zero the gradients to None, then Step skips it; or leave it out of the optimizer.",
    ),
    Diagnostic(
        "scheduler-first",
        "fact",
        "A scheduler stepped before its optimizer",
        "{names} was stepped ({events}) before the first Step of {note}: the first value of the "
        "schedule is skipped.",
        "Press Step of the optimizer before the scheduler's.",
    ),
    Diagnostic(
        "clip-after-step",
        "fact",
        "Clipping came after the step",
        "The gradients of {names} were clipped after Step had used them ({events}): it had no "
        "effect on the update.",
        "Clip between Backward and Step.",
        trial="with each clipping moved before its step",
    ),
    Diagnostic(
        "clip-per-microbatch",
        "fact",
        "Clipping came before the gradient was complete",
        "The gradients of {names} were clipped, and then Backward added to them ({events}): what "
        "Step uses is the sum of a clipped part and an unclipped one.",
        "Clip once, after the last Backward and before Step.",
        trial="with each clipping left out that another Backward follows",
    ),
    Diagnostic(
        "accumulation-scale",
        "fact",
        "Accumulated gradients are not the mean of their batches",
        "In {events} Step used the gradients of {note} their mean. A step of SGD is scaled by that "
        "factor, and so is the norm that clipping sees; Adam hardly notices.",
        "Divide the loss by the number of batches between two steps, as in mean(...) / 4, or the "
        "learning rate of SGD.",
    ),
    Diagnostic(
        "mode-left-eval",
        "fact",
        "Training went on in evaluation mode",
        "Of {events} the first put {names} in evaluation mode, a later one computed a loss in that "
        "mode, and the last, a Step, learned from it: Dropout drops nothing, and BatchNorm uses "
        "its old running values.",
        "Set Mode back to training after each evaluation (Debug > Other Operation, or a line of "
        'the loop), or declare "intent": ["frozen_backbone"].',
        trial="with the modules in training mode for each loss to train on",
    ),
    Diagnostic(
        "mode-left-train",
        "fact",
        "An evaluation in training mode",
        "{events} computed {note} on held-out rows with {names} in training mode: Dropout draws at "
        "random, and BatchNorm normalises by this batch and learns from it.",
        "Set Mode to evaluation before, and back to training after (Debug > Other Operation, or "
        "lines of the loop).",
        trial="with each evaluation in evaluation mode",
    ),
    Diagnostic(
        "resume-incomplete",
        "fact",
        "A resume without all parts of its checkpoint",
        "{note}, which had changed since ({events}): what follows is not what followed then.",
        "Load these parts, too: Load the State After It, in the menu of the event.",
        trial="with the whole state loaded",
    ),
    Diagnostic(
        "non-finite",
        "fact",
        "NaN or infinity appeared",
        "{note} ({events}).",
        "Go to the Event before and look at what it reads; a smaller learning rate or clipping "
        "often helps.",
    ),
    Diagnostic(
        "broadcast-loss",
        "fact",
        "The loss broadcasts its target",
        "In {events} the output and the target of {names} have different shapes: {note}. Every "
        "output was compared with every target.",
        "Give both the same shape.",
    ),
    Diagnostic(
        "replay-diverged",
        "fact",
        "A replay did not give what was recorded",
        "Replaying Event {events} gave other numbers than when it was recorded. {note}",
        "Replay on the machine, the libraries and the thread count of the recording.",
    ),
)
