"""The facts: contracts of a training loop that can be broken, each with its text."""

from __future__ import annotations

from gradstep.diagnostics.tables.diagnostic import Diagnostic

__all__ = ["FACTS"]

FACTS: tuple[Diagnostic, ...] = (
    Diagnostic(
        "step-without-grad",
        "fact",
        "A step that moved nothing",
        "Step {last} moved nothing: .grad was {note} for every parameter that {names} holds.",
        "Run Backward before Step. If it ran, check that the optimizer holds the parameters that "
        "the loss is computed from.",
        trial="with a gradient for each step, or without the step",
        definition="A Step of an optimizer that holds tensors, all of which had .grad None before"
        " it; or None or zeros that a Zero Grad had written, with no Backward to them since, if "
        "it changed no byte of them. By hand as in the loop. A gradient of zeros that a "
        "Backward wrote is not meant.",
    ),
    Diagnostic(
        "step-partly-without-grad",
        "info",
        "Parameters that a step skipped",
        "Step {last} skipped {names}, because .grad was None: no update, and no weight decay.",
        "Nothing to do if the loss does not use {them}. Otherwise check why no gradient reaches "
        "{them}.",
        definition="A Step that skipped tensors with .grad None, though not all that it holds."
        " Counted are those that require a gradient and that some loss is computed "
        "from.",
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
        definition="A Backward wrote a .grad that a Backward of an earlier iteration had "
        "written, with no Zero Grad in between. Not if the program declares "
        "accumulation. If it has several optimizers, or declares adversarial or "
        "frozen_backbone, only once a Step reads such a .grad.",
    ),
    Diagnostic(
        "grad-reused",
        "fact",
        "One gradient was used by two steps",
        "Backward {first} wrote .grad of {names}. Step {second} used it, and Step {last} used it "
        "again: nothing cleared it in between.",
        "Run Zero Grad between the two steps.",
        trial="with each gradient used by one step",
        definition="A Step read a .grad that an earlier Step had read, with no Zero Grad "
        "between the first Backward that wrote it and this Step.",
    ),
    Diagnostic(
        "grad-discarded",
        "fact",
        "A gradient was thrown away unused",
        "Backward {first} wrote .grad of {names}. Zero Grad {last} cleared it before any Step had "
        "used it.",
        "Run Step between Backward and Zero Grad. If two models work against each other, as in a "
        'GAN, declare "intent": ["adversarial"].',
        trial="with a step for each gradient before it is cleared",
        definition="A Zero Grad cleared a .grad that a Backward had written, and no Step had "
        "read this or any other .grad that this Backward wrote. Not if the program "
        "declares adversarial or frozen_backbone.",
    ),
    Diagnostic(
        "backward-missing",
        "fact",
        "An iteration without backward",
        "Forward {first} computed {names}. The iteration ended without a Backward, and Forward "
        "{last} computed {names} again: no gradient came from the batch of {first}.",
        "Run Backward after Forward.",
        trial="with a Backward after each Forward",
        definition="An iteration ended in which a training loss was computed and no Backward was "
        "tried; and a later Forward computed the loss again, with no Backward of it tried "
        "before. By hand as in the loop: an iteration ends where its last line was applied, in "
        "whatever order. A Forward in an iteration that continues, however often, only looks at "
        "the loss and is not meant.",
    ),
    Diagnostic(
        "step-missing",
        "fact",
        "An iteration without step",
        "Backward {first} computed gradients from {names}. No Step used them before they were "
        "cleared or another Backward ran ({last}).",
        'Run Step after Backward, or declare "intent": ["gradient_accumulation"].',
        trial="with a step for each gradient",
        definition="An iteration ended with a Backward that no Step followed, and then, before"
        " any Step, another Backward was tried or all gradients written since the "
        "last Step were cleared. Not if the program declares accumulation. By hand, Backwards "
        "that follow each other within an iteration add up for one Step and are not meant; a "
        "gradient that is cleared there is grad-discarded.",
    ),
    Diagnostic(
        "graph-freed",
        "fact",
        "A second backward through the same graph",
        "An earlier Backward freed the values that the graph of {names} had saved. Backward {last} "
        "needed them, and failed.",
        "Run Forward again; or pass retain_graph=True to the first Backward (Debug > Retain "
        "Graph); or add the losses and run Backward once.",
        trial="with one Backward for each Forward",
        definition="A Backward failed because an earlier Backward, since the same Forward, had"
        " freed the graph.",
    ),
    Diagnostic(
        "not-connected",
        "fact",
        "A loss that no parameter is connected to",
        "Backward {last} from {names} reached no parameter that an optimizer holds{note}.",
        "{cause}A gradient needs a path from the loss to parameters that require one. Setting "
        "requires_grad on the loss itself, or adding a tensor that has it, connects nothing.",
        trial="with a loss that is connected to its parameters",
        definition="A Backward failed because its loss required no gradient, or it wrote no "
        ".grad; or it wrote none of a tensor that an optimizer holds, though its "
        "loss is computed from such tensors. The last not if the program declares "
        "adversarial or frozen_backbone.",
    ),
    Diagnostic(
        "inplace-after-save",
        "fact",
        "A value was changed before backward had used it",
        "Forward {first} recorded the graph of {note}; {cause} {second} wrote to {names} in place; "
        "Backward {last} failed, because it needed what the graph had saved.",
        "Run Forward again, then Backward, then Step. In the loop, put each Step after the "
        "Backward of every loss that uses its parameters.",
        trial="with each Backward before the step, and each other write before Forward",
        definition="A Backward failed because a tensor that its graph had saved was written "
        "to, other than through .data. Named are the tensors that the first such "
        "write since the Forward touched.",
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
        trial="with each write before Forward, and visible to autograd",
        definition="A Backward succeeded with a saved tensor whose bytes were not those of its"
        " Forward, because a write through .data had changed them. Cited is the "
        "last write that did.",
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
        trial="with each graph freed by its last Backward",
        definition="A Backward kept a graph, and the next Forward of the loss replaced it, or "
        "a whole later iteration ended, with no other Backward through it.",
    ),
    Diagnostic(
        "total-keeps-graphs",
        "fact",
        "Losses are kept with their graphs",
        "Add Loss {first} added {note} to {names} as a tensor, with the graph that computed it, "
        "and so did later ones: {names} keeps all these graphs alive. The message of each Add Loss "
        "counts them.",
        "Add only the number: loss.item(), or loss.detach().",
        trial="with only the number of each loss added",
        definition="A loss whose graph the total did not hold yet was added with its graph, in"
        " a later iteration than the first such addition.",
    ),
    Diagnostic(
        "optimizer-orphan",
        "fact",
        "Parameters that no optimizer holds",
        "Backward {last} gave {names} a gradient, but no optimizer holds {them}: no Step will "
        "update {them}.",
        "Add {them} to the params of an optimizer, or freeze {them}.",
        trial="with them held by an optimizer",
        definition="A Backward wrote the .grad of a tensor that no optimizer holds. Not if it "
        "is not-connected, nor if the program declares adversarial or "
        "frozen_backbone.",
    ),
    Diagnostic(
        "optimizer-stale",
        "fact",
        "An optimizer holds replaced tensors",
        "Rebuild Module {first} replaced {names}, and {note} kept the old ones: Step {last} "
        "updated those, not the new ones.",
        "Create the optimizer again after replacing a module.",
        trial="with the optimizer created again after each rebuild",
        definition="A Step of an optimizer that holds tensors that Rebuild Module has replaced; "
        "cited with the rebuilds. Not if the optimizer is created again, with the present "
        "tensors, before it steps.",
    ),
    Diagnostic(
        "optimizer-foreign",
        "fact",
        "An optimizer holds parameters that no loss uses",
        "{names} {are} held by {note}, but no loss of the program is computed from {them}: no "
        "Backward gives {them} a gradient.",
        "Give the optimizer the parameters of the model that the loss uses.",
        trial="with the optimizers holding the parameters of the losses",
        definition="An optimizer holds a tensor that no loss is computed from, though losses "
        "are computed from others; cited where that became true.",
    ),
    Diagnostic(
        "optimizer-duplicate",
        "fact",
        "A parameter is held more than once",
        "{names} {are} held {note}. Each holder applies an update of its own.",
        "Let one optimizer hold each parameter, once.",
        trial="with each parameter held once",
        definition="A tensor is held by two optimizers or twice by one; cited where that "
        "became true.",
    ),
    Diagnostic(
        "frozen-but-moved",
        "fact",
        "A frozen parameter moved",
        "Step {last} moved {names}, although requires_grad is False: an old gradient, weight "
        "decay or momentum still acts on {them}.",
        "After freezing, zero the gradients to None, or take {them} out of the optimizer.",
        trial="with the parameters frozen after the step, and their gradients None",
        definition="A Step changed the bytes of a tensor whose requires_grad was False.",
    ),
    Diagnostic(
        "moved-without-gradient",
        "fact",
        "A parameter moved although its gradient was zero",
        "Zero Grad {first} set the gradient of {names} to zeros, and no Backward has written to it "
        "since, yet {note} moved {them} in Step {last}.",
        "Zero the gradients to None, so that Step skips {them}; or take {them} out of the "
        "optimizer.",
        trial="with the gradients zeroed to None",
        definition="A Step changed the bytes of a tensor that requires a gradient, whose .grad"
        " was all zeros because a Zero Grad had written them and no Backward had "
        "written to it since.",
    ),
    Diagnostic(
        "scheduler-first",
        "fact",
        "A scheduler stepped before its optimizer",
        "Scheduler Step {last} of {names} came before the first Step of {note}: the first value of "
        "the schedule is skipped.",
        "Step the optimizer before the scheduler.",
        trial="with each scheduler step after the step",
        definition="A scheduler stepped before any Step of its optimizer.",
    ),
    Diagnostic(
        "clip-before-backward",
        "fact",
        "Clipping came before the backward",
        "Clipping {first} of {names} found no gradient. Backward {second} wrote the gradients "
        "after it, and Step {last} used them unclipped.",
        "Clip between Backward and Step.",
        trial="with each clipping moved after Backward",
        definition="A clipping of an optimizer found none of its gradients written by a Backward "
        "since they were last cleared; in the same iteration, a Backward wrote "
        "gradients that the next Step of the optimizer read, with no clipping of it "
        "in between.",
    ),
    Diagnostic(
        "optimizer-rebuilt",
        "fact",
        "An optimizer is rebuilt in every iteration",
        "Replace Optimizer ({events}) replaced {names} in three iterations in a row. Each time its "
        "memory of earlier gradients was lost, so its momentum and averages never build up.",
        "Create the optimizer once, before the loop.",
        trial="with the optimizer created once",
        definition="In three iterations in a row, ReplaceOptimizer replaced an optimizer for "
        "which a Step since its last replacement had written state.",
    ),
    Diagnostic(
        "scheduler-idle",
        "fact",
        "A scheduler that never steps",
        "After 20 iterations ({last}), neither a line of the loop nor an event had stepped "
        "{names}: it had not changed the learning rate of {note}.",
        "Add a scheduler_step to the loop, after Step; or remove the scheduler.",
        trial="with the scheduler stepped after each step",
        definition="Twenty iterations were complete, and neither a line of the loop nor an Event "
        "had stepped a scheduler that is not a member of another.",
    ),
    Diagnostic(
        "frozen-but-held",
        "info",
        "An optimizer holds frozen parameters",
        "After 20 iterations ({last}), {note} held {names}, which {were} frozen (requires_grad was "
        "False): no Backward writes the gradient of a frozen parameter.",
        "If still frozen, thaw {them} (Debug > Other Operation) to let {them} learn; otherwise "
        'take {them} out of the optimizer, or declare "intent": ["frozen_backbone"].',
        trial="with no parameter frozen",
        definition="Twenty iterations were complete, and an optimizer held tensors whose "
        "requires_grad is False, in a program that does not declare frozen_backbone.",
    ),
    Diagnostic(
        "loss-idle",
        "info",
        "A loss that is never computed",
        "After 20 iterations ({last}), neither a line of the loop nor an event had computed "
        "{names}: nothing had been learned from it.",
        "Add its forward and backward to the loop; or remove the loss.",
        trial="without the loss",
        definition="Twenty iterations were complete, and neither a line of the loop, nor the "
        "formula of another loss, nor an Event had computed a loss over training "
        "rows.",
    ),
    Diagnostic(
        "clip-after-step",
        "fact",
        "Clipping came after the step",
        "Step {first} used the gradients of {names}. Clipping {last} came after it, and had no "
        "effect on the update.",
        "Clip between Backward and Step.",
        trial="with each clipping moved before its step",
        definition="A clipping changed the bytes of a .grad, and every .grad that it clipped "
        "had been read by a Step since the last Backward that wrote it.",
    ),
    Diagnostic(
        "clip-per-microbatch",
        "fact",
        "Clipping came before the gradient was complete",
        "Clipping {first} clipped the gradients of {names}. Backward {last} then added to them: "
        ".grad is now the sum of a clipped and an unclipped gradient.",
        "Clip once, after the last Backward and before Step.",
        trial="with no clipping that another Backward follows",
        definition="A Backward wrote a .grad whose bytes a clipping had changed, with no Step "
        "that read it and no Zero Grad in between.",
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
        trial="with the loss divided by the number of batches, all of one size",
        definition="In a program that declares accumulation, a Step read a .grad that is the "
        "sum over several Backwards of a loss that is a mean over its batch; and "
        "either their number is not what the loss is divided by, to one percent, or"
        " their batches differ in the number of rows.",
    ),
    Diagnostic(
        "mode-left-eval",
        "fact",
        "Training continued in evaluation mode",
        "Set Mode {first} put {names} in evaluation mode, Event {second} computed a loss in that "
        "mode, and Step {last} learned from it. In that mode, Dropout drops nothing, and BatchNorm "
        "uses its old running statistics.",
        "Set the mode back to training after each evaluation (Debug > Other Operation, or a line "
        'of the loop), or declare "intent": ["frozen_backbone"].',
        trial="with the modules in training mode for each training loss",
        definition="A Step read the gradient of a current parameter of a module with Dropout "
        "(p above 0) or BatchNorm, from a training loss whose last Forward computed"
        " that module in evaluation mode. Not if the program declares adversarial "
        "or frozen_backbone.",
    ),
    Diagnostic(
        "mode-left-train",
        "fact",
        "An evaluation in training mode",
        "Forward {last} computed {note} on held-out rows with {names} in training mode, in which "
        "Dropout drops units at random, and BatchNorm normalises by the batch and updates its "
        "running statistics.",
        "Set the mode to evaluation before it, and back to training after it (Debug > Other "
        "Operation, or lines of the loop).",
        trial="with each evaluation in evaluation mode",
        definition="A loss on held-out rows was computed with a module that has Dropout (p "
        "above 0) or BatchNorm, in training mode.",
    ),
    Diagnostic(
        "resume-incomplete",
        "fact",
        "A resume without all parts of its checkpoint",
        "{note}: these still have the values of later events.",
        "Load these parts, too: Load the State After This Event, in the menu of the event. If an "
        "optimizer was replaced since, first replace it by one of its former kind.",
        trial="with the whole state loaded",
        definition="A Load State loaded the modules and omitted a part that now differs in "
        "its bytes from that state: the hyperparameters and state of the "
        "optimizers; the schedulers; the random generator, if a Forward may draw "
        "from it; which rows come next.",
    ),
    Diagnostic(
        "non-finite",
        "fact",
        "NaN or infinity appeared",
        "{note} ({events}).",
        "Go to the event before and inspect what it reads.{cause}",
        trial="with smaller steps",
        definition="The first Event after which a loss, a .grad, a tensor or an optimizer's "
        "state has NaN or infinity; named are those of the first kind, in this "
        "order, and the module, operation, node or term inside the Event that first made one.",
    ),
    Diagnostic(
        "broadcast-loss",
        "fact",
        "The loss broadcasts its target",
        "Event {last} computed {names} from an output and a target of different shapes ({note}), "
        "so values of one were compared with several of the other.",
        "Give both the same shape.",
        trial="with the output in the shape of the target",
        definition="A Forward computed a criterion whose input and target differ in shape and "
        "broadcast.",
    ),
    Diagnostic(
        "replay-diverged",
        "fact",
        "A replay did not reproduce the recording",
        "Replaying {last} gave other numbers than when it was recorded: {note}.",
        "Replay with the machine, the library versions and the thread count of the recording. "
        "There is no what-if to try: the loop and the document are not the cause.",
        is_timeless=True,
        definition="A replayed Event failed, or wrote other values than when it was recorded. "
        "Shown at every moment of the branch.",
    ),
)
