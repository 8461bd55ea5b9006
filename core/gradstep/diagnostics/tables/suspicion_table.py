"""The suspicions: numbers beyond a threshold, each with its words and the threshold's source."""

from __future__ import annotations

from gradstep.diagnostics.tables.diagnostic import Diagnostic

__all__ = ["SUSPICIONS"]

SUSPICIONS: tuple[Diagnostic, ...] = (
    Diagnostic(
        "loss-not-decreasing", "suspicion", "The loss does not decrease",
        "Over the last 20 iterations before {events} {names} came down by {value} %; less than "
        "{threshold} % is as good as nothing.",
        "Try another learning rate: a larger one where the parameters hardly move.",
        0.1, "Amazon SageMaker Debugger, LossNotDecreasing: 0.1 % over 10 steps",
    ),
    Diagnostic(
        "loss-diverging", "suspicion", "The loss grows",
        "{names} is {value} times its own minimum ({events}).",
        "Try a smaller learning rate.",
        2.0, "TheDeepChecker (Ben Braiek and Khomh 2023): 2 times the minimum",
        "with a tenth of the learning rate from the start",
    ),
    Diagnostic(
        "learning-rate", "suspicion", "The learning rate is too high",
        "{note} ({events}).",
        "Try a smaller learning rate.",
        2.0, "Cockpit (NeurIPS 2021): steps beyond the minimum of the parabola along them; UMLAUT "
        "(CHI 2021): divergence at the start",
        "with a tenth of the learning rate from the start",
    ),
    Diagnostic(
        "poor-initialisation", "suspicion", "Initial values that make learning hard",
        "{note} ({events}).",
        "Let the units begin with different values, scaled to the width of the layer, as Xavier's "
        "and Kaiming's do (torch.nn.init); or normalise between the layers.",
        None, "TheDeepChecker (Ben Braiek and Khomh 2023): unequal weights, and activations with a "
        "standard deviation from 0.5 to 2 in the first steps",
    ),
    Diagnostic(
        "vanishing-gradient", "suspicion", "Gradients vanish",
        "{note} ({events}).",
        "Try ReLU, another initialisation, or fewer layers.",
        1e-7, "Amazon SageMaker Debugger, VanishingGradient: 1e-7 in the mean; AutoTrainer (ICSE "
        "2021): 1e-3 of the last layer's with a norm below 1e-4",
    ),
    Diagnostic(
        "exploding-gradient", "suspicion", "Gradients explode",
        "{note} ({events}).",
        "Clip the gradients, or try a smaller learning rate.",
        70.0, "AutoTrainer (ICSE 2021): 70 times the last layer's; TheDeepChecker (Ben Braiek and "
        "Khomh 2023): growth by more than 2 over 5 iterations, or 1e6 in the mean",
        "with the gradients clipped to norm 1 before each step",
    ),
    Diagnostic(
        "update-ratio", "suspicion", "Updates of an unusual size",
        "For five iterations log10(|update| / |weight|) has been {value} for {names}{note} "
        "({events}); between -4 and -1 is usual.",
        "Try a larger learning rate below -4, a smaller one above -1.",
        None, "TheDeepChecker (Ben Braiek and Khomh 2023): [-4, -1] over 5 iterations",
    ),
    Diagnostic(
        "loss-oscillating", "suspicion", "The loss swings to and fro",
        "In {value} % of the last 20 iterations before {events} {names} turned by at least 3 % of "
        "its range, though each time it sees the same rows.",
        "Try a smaller learning rate, or less momentum.",
        20.0, "AutoTrainer (ICSE 2021): swings of 3 % of the range in 20 % of the iterations",
        "with a tenth of the learning rate from the start",
    ),
    Diagnostic(
        "overfitting", "suspicion", "The held-out loss parts from the training loss",
        "On held-out rows {names} lies above the training loss by {value} times that loss "
        "({events}), and it has been lower.",
        "Stop where it was lowest: go back there; or try weight decay, Dropout, or more data.",
        0.1, "Amazon SageMaker Debugger, Overfit: (validation - training) / training above 0.1",
    ),
    Diagnostic(
        "unchanged-parameter", "suspicion", "A parameter does not change",
        "Over the last 20 iterations before {events} no step has moved {names}{note} by more than "
        "{value} of the norm, while others moved.",
        "Look at its gradient, and at what lies between it and the loss: dead units, or a loss "
        "that does not need it.",
        1e-5, "Amazon SageMaker Debugger, UnchangedTensor: allclose over 3 steps with rtol 1e-5",
    ),
    Diagnostic(
        "dead-relu", "suspicion", "Units that are always off",
        "{value} % of the units of {names} are active in fewer than 1 % of the rows ({events}): no "
        "gradient goes through them.",
        "Try a smaller learning rate, LeakyReLU, or other initial values.",
        50.0, "Amazon SageMaker Debugger, DyingRelu: inactive in 99 %, half of a layer",
        "with a tenth of the learning rate from the start",
    ),
    Diagnostic(
        "saturated-activation", "suspicion", "Units at the end of their range",
        "{value} % of the units of {names} get inputs so large that their slope is 0 ({events}).",
        "Scale the inputs, try a smaller learning rate, or normalise before the activation.",
        50.0, "Amazon SageMaker Debugger, TanhSaturation and SigmoidSaturation: half of a layer",
        "with a tenth of the learning rate from the start",
    ),
    Diagnostic(
        "input-scale", "suspicion", "Data of an unusual scale",
        "The {note} of {names} go up to {value}; the model begins with weights made for numbers "
        "about 1.",
        'Divide the numbers; "standardize": true of the data does so with the inputs.',
        10.0, "UMLAUT (CHI 2021): ten times beyond [-1, 1]",
    ),
    Diagnostic(
        "criterion-mismatch", "suspicion", "A last layer that does not fit the criterion",
        "{note} (in {names}).",
        "Leave the last layer out, put the one there that is wanted, or take another criterion.",
        None, "NeuraLint (TOSEM 2021); UMLAUT (CHI 2021)",
    ),
    Diagnostic(
        "bias-before-batchnorm", "suspicion", "A bias that BatchNorm takes away",
        "BatchNorm subtracts the mean of what it gets, and {names} with it: it has no effect, and "
        "its gradient is 0.",
        'Set "bias": false for the layer before BatchNorm.',
        None, "NeuraLint (TOSEM 2021): no bias before a batch normalisation",
    ),
    Diagnostic(
        "dropout-before-batchnorm", "suspicion", "Dropout before BatchNorm",
        "{names} drops units before a BatchNorm: the variance that it learns in training is not "
        "that of evaluation.",
        "Put Dropout behind the last BatchNorm.",
        None, "NeuraLint (TOSEM 2021); Li et al. (CVPR 2019) on the shift of variance",
    ),
)  # fmt: skip
