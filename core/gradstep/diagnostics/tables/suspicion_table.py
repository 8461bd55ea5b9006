"""The suspicions: numbers beyond a threshold, each with its text and the threshold's source."""

from __future__ import annotations

from gradstep.diagnostics.tables.diagnostic import Diagnostic
from gradstep.diagnostics.tables.graph_cuts import CALLS_THAT_CUT

__all__ = ["SUSPICIONS"]

SUSPICIONS: tuple[Diagnostic, ...] = (
    Diagnostic(
        "loss-not-decreasing", "suspicion", "The loss does not decrease",
        "{names} made no progress before {last}{note}. Less than {threshold} % counts as none.",
        "Try another learning rate: a larger one if the parameters hardly move. Or the model "
        "cannot do better: try one with more units or layers.",
        0.1, "Amazon SageMaker Debugger, LossNotDecreasing: 0.1 % over 10 steps",
        trial="with another learning rate",
    ),
    Diagnostic(
        "loss-diverging", "suspicion", "The loss grows",
        "Averaged over the last iterations, {names} is {value} times the lowest average that it "
        "has had ({last}).",
        "Try a smaller learning rate.",
        2.0, "TheDeepChecker (Ben Braiek and Khomh 2023): 2 times the minimum",
        trial="with a smaller learning rate",
    ),
    Diagnostic(
        "learning-rate", "suspicion", "The learning rate is too high",
        "{note} ({last}).",
        "Try a smaller learning rate.",
        2.0, "Cockpit (NeurIPS 2021): steps beyond the minimum of the parabola along them; UMLAUT "
        "(CHI 2021): divergence at the start",
        trial="with a smaller learning rate",
    ),
    Diagnostic(
        "poor-initialisation", "suspicion", "Poor initial values",
        "{note} ({last}).",
        "Start the units with different values, scaled to the width of the layer, as Xavier's and "
        "Kaiming's initialisations do (torch.nn.init); or normalise between the layers.",
        None, "TheDeepChecker (Ben Braiek and Khomh 2023): unequal weights, and activations with a "
        "standard deviation from 0.5 to 2 in the first steps",
        trial="with other initial values",
    ),
    Diagnostic(
        "vanishing-gradient", "suspicion", "Gradients vanish",
        "{note} ({last}).",
        "Start from other values (Set Value, or the document); in a network, also try ReLU or "
        "fewer layers.",
        1e-7, "Amazon SageMaker Debugger, VanishingGradient: 1e-7 in the mean; AutoTrainer (ICSE "
        "2021): 1e-3 of the last layer's with a norm below 1e-4; IEEE 754: single precision holds "
        "about seven digits, so 1e-6 of a loss hardly shows",
        trial="with another activation, or other initial values",
    ),
    Diagnostic(
        "exploding-gradient", "suspicion", "Gradients explode",
        "{note} ({last}).",
        "Clip the gradients, or try a smaller learning rate.",
        70.0, "AutoTrainer (ICSE 2021): 70 times the last layer's; TheDeepChecker (Ben Braiek and "
        "Khomh 2023): growth by more than 2 over 5 iterations, or 1e6 in the mean",
        trial="with the gradients clipped, or with smaller steps",
    ),
    Diagnostic(
        "update-ratio", "suspicion", "Updates of an unusual size",
        "Over five iterations, log10(|update| / |weight|) of {names} was {value} on average "
        "({last}){note}; between -4 and -1 is usual.",
        "Below -4, try a larger learning rate, or a schedule that lowers it less; above -1, a "
        "smaller one.",
        None, "TheDeepChecker (Ben Braiek and Khomh 2023): [-4, -1] over 5 iterations",
        trial="with another learning rate",
    ),
    Diagnostic(
        "loss-oscillating", "suspicion", "The loss oscillates",
        "{note} ({last}).",
        "Try a smaller learning rate, or less momentum.",
        20.0, "AutoTrainer (ICSE 2021): swings of 3 % of the range in 20 % of the iterations; of "
        "half of the mean where epochs are compared",
        trial="with a smaller learning rate",
    ),
    Diagnostic(
        "overfitting", "suspicion", "The held-out loss rises above the training loss",
        "Averaged over the last iterations, {names} on held-out rows is above the training loss by "
        "{value} times that loss ({last}), and it was lower before.",
        "Stop where it was lowest: go back there; or try weight decay, Dropout, or more data.",
        0.1, "Amazon SageMaker Debugger, Overfit: (validation - training) / training above 0.1",
        trial="with the run stopped where the held-out loss was lowest",
    ),
    Diagnostic(
        "unchanged-parameter", "suspicion", "A parameter does not change",
        "In 20 iterations up to {last}, no step moved {names}{note} by more than {value} of "
        "its norm, while others moved.",
        "Inspect its gradient, and what lies between it and the loss: dead units, or a loss that "
        "does not depend on it.",
        1e-5, "Amazon SageMaker Debugger, UnchangedTensor: allclose over 3 steps with rtol 1e-5",
        trial="with a larger learning rate for it",
    ),
    Diagnostic(
        "dead-relu", "suspicion", "Dead units",
        "{value} % of the units of {names} are active in fewer than 1 % of up to 256 rows "
        "({last}): next to no gradient flows through them.",
        "Try a smaller learning rate, LeakyReLU, or other initial values.",
        50.0, "Amazon SageMaker Debugger, DyingRelu: inactive in 99 %, half of a layer",
        trial="with smaller steps, or other initial values",
    ),
    Diagnostic(
        "saturated-activation", "suspicion", "Saturated units",
        "For {value} % of the units of {names}, at least 1 % of up to 256 rows give inputs so "
        "large that their slope is 0 ({last}).",
        "Scale the inputs, try a smaller learning rate, or normalise before the activation.",
        50.0, "Amazon SageMaker Debugger, TanhSaturation and SigmoidSaturation: half of a layer",
        trial="with smaller steps, or other initial values",
    ),
    Diagnostic(
        "input-scale", "suspicion", "Data of an unusual scale",
        "The {note} of {names} reach {value}; initial weights suit numbers around 1.",
        'Divide the numbers. For inputs, "standardize": true on the data set does this.',
        10.0, "UMLAUT (CHI 2021): ten times beyond [-1, 1]",
        trial="with the numbers scaled",
    ),
    Diagnostic(
        "criterion-mismatch", "suspicion", "The last layer does not fit the criterion",
        "{note} (in {names}).",
        "Remove the last layer, replace it by the one that is expected, choose another criterion, "
        "or change the targets.",
        None, "NeuraLint (TOSEM 2021); UMLAUT (CHI 2021)",
        trial="with a last layer that fits the criterion",
    ),
    Diagnostic(
        "small-steps", "suspicion", "The learning rate is too low",
        "{note} ({last}).",
        "Try a learning rate that is ten or a hundred times larger, or 0.01 where it is 0; or a "
        "schedule that lowers it less.",
        1.0, "Amazon SageMaker Debugger, LossNotDecreasing: 0.1 %, times ten; Karpathy (CS231n): "
        "updates of about 1e-3 of the weights",
        trial="with a larger learning rate",
    ),
    Diagnostic(
        "sum-reduction", "suspicion", "A loss is a sum over its rows",
        "{note}, so its gradient is {value} times that of the mean: steps of the usual learning "
        "rate are that many times too long ({last}).",
        'Set "reduction": "mean" on the criterion, or divide the learning rate by the number of '
        "rows.",
        1.0, "PyTorch, torch.nn criteria: reduction defaults to mean; Goyal et al. (2017) on the "
        "learning rate and the size of a batch",
        trial="with the mean over the rows",
    ),
    Diagnostic(
        "weight-decay", "suspicion", "Weight decay is too strong",
        "{note} ({last}): the weights shrink faster than they learn.",
        "Try a weight decay of 0.01 or less.",
        0.5, "Loshchilov and Hutter (ICLR 2019): a step multiplies each weight by 1 - lr * "
        "weight_decay; half of the norm",
        trial="with a weight decay of at most 0.01",
    ),
    Diagnostic(
        "clipping-too-tight", "suspicion", "Clipping leaves almost no gradient",
        "In the last 20 iterations, {note}: the steps were shorter by about that factor ({last}).",
        "Clip at about the usual norm of the gradients, so that only unusual ones are clipped.",
        0.1, "Pascanu et al. (ICML 2013): clip at half to ten times the average norm; "
        "0.1 is a fifth of that half",
        trial="with clipping at the usual norm",
    ),
    Diagnostic(
        "chance-level-loss", "suspicion", "The labels do not seem to belong to their rows",
        "{note} ({last}).",
        "Check that inputs and labels are in the same order, and that the label column is the "
        "right one. There is no what-if to try: no setting makes labels belong to their rows.",
        0.95, "Karpathy, A Recipe for Training Neural Networks (2019): compare with the loss of a "
        "model without inputs; Cover and Hart (1967) on nearest neighbours",
    ),
    Diagnostic(
        "maximized-loss", "suspicion", "A loss is maximized",
        "{note}, which is smaller the better the model is: the steps go towards a worse model.",
        'Remove "maximize" from the optimizer; or declare "intent": ["adversarial"].',
        None, "PyTorch, torch.optim: maximize (bool), maximize the objective",
        trial="with the loss minimized",
    ),
    Diagnostic(
        "class-imbalance", "suspicion", "One class holds almost all rows",
        "In {names}, {note}: always predicting it is right for {value} % of the rows, "
        "whatever the inputs are. Above {threshold} %, accuracy and loss say little.",
        'Give the criterion a "weight" for each class ("pos_weight" for BCEWithLogitsLoss), or '
        "collect more rows of the other classes. Check that the label column is the right one.",
        90.0, "KEEL data-set repository (Alcala-Fdez et al. 2011): highly imbalanced above 9 to 1",
        trial="with a weight for each class",
    ),
    Diagnostic(
        "labels-from-one", "suspicion", "The labels begin at 1",
        "{note} in {names}, and no row has the label 0: one output of the model is never right, "
        "and a model with one output for each class has none for the last.",
        "Subtract 1 from the labels.",
        0.0, "PyTorch, torch.nn.CrossEntropyLoss: class indices in the range [0, C)",
        trial="with labels that begin at 0",
    ),
    Diagnostic(
        "constant-inputs", "suspicion", "Inputs that never change",
        "{note} of the inputs of {names} have the same value in all rows: nothing can be learned "
        "from them.",
        "Remove these columns, or check how the file is read.",
        0.0, "TheDeepChecker (Ben Braiek and Khomh 2023): features of zero variance",
        trial="without the columns that never change",
    ),
    Diagnostic(
        "duplicated-inputs", "suspicion", "Input columns that are equal",
        "Of the input columns of {names}, {value} repeat another column in every row: they add "
        "nothing, and the weights of equal columns are not determined.",
        "Remove the repeated columns, or check how the file is read.",
        0.0, "Breck et al., Data Validation for Machine Learning (MLSys 2019)",
        trial="without the repeated columns",
    ),
    Diagnostic(
        "sorted-rows", "suspicion", "The rows are sorted by class",
        "In {value} % of the batches of {names}, all rows have the same class: most steps make the "
        "model better at one class alone, at the cost of the others.",
        'Set "shuffle": true on the data set.',
        50.0, "Bottou, Stochastic Gradient Descent Tricks (2012): shuffle the examples; more than "
        "half of the batches",
        trial="with shuffled rows",
    ),
    Diagnostic(
        "unreached-parameter", "suspicion", "A parameter that no Backward reaches",
        "In the {value} iterations up to Step {last} of {note}, no Backward gave {names} a "
        "gradient, though {note} holds {them}: its Steps left {them} alone.",
        "{cause}Look between {names} and the loss for what cuts the graph: "
        f"{CALLS_THAT_CUT}; or for a layer that forward() does not use. "
        "What is not to be trained, leave out of {note}.",
        20, "PyTorch, torch.optim: a Step skips parameters whose .grad is None",
    ),
    Diagnostic(
        "learning-rate-loaded", "suspicion", "A loaded state replaced the learning rate",
        "{note}, but the state that it then loaded ({cause}) has the one of the run that saved it: "
        "it steps with {value} instead of {threshold} ({last}).",
        "If the new rate is meant, set it again after loading. Otherwise give {names} the rate "
        "that it is to have.",
        None, "PyTorch, torch.optim.Optimizer.load_state_dict: the state holds the options of each "
        "group, lr among them",
    ),
    Diagnostic(
        "schedule-per-batch", "suspicion", "A schedule of epochs that steps after every batch",
        "{note} ({last}), so for {value} % of the steps: next to nothing was learned from then on.",
        "Step {names} once in each epoch, after the loop over the batches; or count its "
        "milestones in batches.",
        50.0, "PyTorch, torch.optim, How to adjust learning rate: scheduler.step() after the loop "
        "over the data",
    ),
    Diagnostic(
        "schedule-per-epoch", "suspicion", "A schedule of batches that steps once in an epoch",
        "{note} ({last}): at the end, it will have come only a small part of its way.",
        "Step {names} after each Step of its optimizer ({at_first}), inside of the loop over the "
        "batches; or count its length in epochs.",
        4.0, "PyTorch, OneCycleLR: step() is to be called after each batch",
    ),
    Diagnostic(
        "unshuffled-batches", "suspicion", "Batches in the same order in each epoch",
        "{names} does not shuffle: in each epoch, {note} learned from the same batches in the same "
        "order, now a second time with Step {last}.",
        "Pass shuffle=True to the DataLoader of the training data. Where the order means "
        "something, as in a time series, this is fine.",
        None, "Bottou, Stochastic Gradient Descent Tricks (2012): shuffle the examples",
    ),
    Diagnostic(
        "sampler-epoch-not-set", "suspicion", "A DistributedSampler that is not given the epoch",
        "{names} shuffles by the epoch of its sampler, which has not changed: in each epoch, "
        "{note} learned from the same batches in the same order, now a second time with Step "
        "{last}.",
        "Call {names}.sampler.set_epoch(epoch) at the beginning of each epoch.",
        None, "PyTorch, torch.utils.data, DistributedSampler: set_epoch",
    ),
    Diagnostic(
        "bias-before-batchnorm", "suspicion", "A bias that BatchNorm cancels",
        "In training mode, BatchNorm subtracts the mean of its input, and {names} with it: the "
        "bias has no effect, and but for rounding its gradient is 0.",
        'Set "bias": false for the layer before BatchNorm.',
        None, "NeuraLint (TOSEM 2021): no bias before a batch normalisation",
        trial="with no bias before BatchNorm",
    ),
    Diagnostic(
        "dropout-before-batchnorm", "suspicion", "Dropout before BatchNorm",
        "{names} drops units before a BatchNorm: the variance that BatchNorm learns in training is "
        "not the variance that it sees in evaluation.",
        "Put Dropout after the last BatchNorm.",
        None, "NeuraLint (TOSEM 2021); Li et al. (CVPR 2019) on the shift of variance",
        trial="with Dropout after the last BatchNorm",
    ),
)  # fmt: skip
