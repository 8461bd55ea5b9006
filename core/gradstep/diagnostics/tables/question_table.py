"""What only the user knows of a script: the questions, and the findings that depend on them."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from gradstep.diagnostics.tables.diagnostic import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["INTENTIONS", "QUESTIONS", "Intention", "comment_of"]


@dataclass(frozen=True, slots=True)
class Intention:
    """Something that a script may intend, and that its Events do not show.

    Attributes:
        name: As a comment of the script declares it.
        clears: The findings that are none if it is intended.
        title: What is said once the user has answered that it is intended.
        question: The question; empty for what is only declared, and never asked.
        yes: What the answer yes means.
        no: What the answer no means.
        asked_of: The findings that are shown with the question.
    """

    name: str
    clears: frozenset[str]
    title: str = ""
    question: str = ""
    yes: str = ""
    no: str = ""
    asked_of: frozenset[str] = frozenset()


_LEFT_OUT = frozenset(
    (
        "grad-discarded",
        "mode-left-eval",
        "optimizer-foreign",
        "optimizer-stale",
        "parameters-left-out",
        "step-without-grad",
    )
)

INTENTIONS: Mapping[str, Intention] = MappingProxyType(
    {
        intention.name: intention
        for intention in (
            Intention(
                "gradient_accumulation",
                frozenset(
                    (
                        "backwards-per-step",
                        "grad-accumulated",
                        "grad-reused",
                        "optimizer-duplicate",
                        "step-missing",
                    )
                ),
                "Gradient accumulation is intended",
                "Is this gradient accumulation?",
                "The sum of several batches is intended: it is no mistake.",
                "Each batch was meant to have its own Step: it is shown as a mistake, with the "
                "lines to change.",
                frozenset(("backwards-per-step", "grad-accumulated")),
            ),
            Intention(
                "summed_losses",
                frozenset(("gradients-of-two-losses",)),
                "A Step with the gradients of two losses is intended",
                "Is a Step with the gradients of both losses intended?",
                "The optimizer is meant to follow both losses: it is no mistake.",
                "Each optimizer was meant to follow its own loss, as in adversarial training: it "
                "is shown as a mistake, with the lines to change.",
                frozenset(("gradients-of-two-losses",)),
            ),
            Intention(
                "shared_optimizer",
                frozenset(("one-step-of-two",)),
                "One optimizer of two networks is intended",
                "Is the first network meant to follow the second one's loss, too?",
                "Both losses are meant to move it: it is no mistake.",
                "Each network was meant to follow its own loss, as in adversarial training: it is "
                "shown as a mistake, with the line to add.",
                frozenset(("one-step-of-two",)),
            ),
            Intention(
                "untrained_network",
                frozenset(("network-left-out", "optimizer-of-other-network")),
                "Leaving this network untrained is intended",
                "Is that network meant to stay as it is?",
                "It is only computed with: it is no mistake.",
                "It was meant to be trained: it is shown as a mistake.",
                frozenset(("network-left-out",)),
            ),
            Intention(
                "untrained_parameters",
                frozenset(("parameters-left-out",)),
                "Leaving these parameters untrained is intended",
                "Are these parameters meant to stay as they are?",
                "Only the others are trained: it is no mistake.",
                "They were meant to be trained: it is shown as a mistake.",
                frozenset(("parameters-left-out",)),
            ),
            Intention(
                "carried_over",
                frozenset(("batches-carried-over",)),
                "Batches that are left over count in the next Step",
                "Are the batches left over at the end of an epoch meant for the next one's first "
                "Step?",
                "That Step is meant to use more batches than the others: it is no mistake.",
                "Each Step was meant to use as many: it is shown as a mistake, with the line to "
                "change.",
                frozenset(("batches-carried-over",)),
            ),
            Intention(
                "undivided_sum",
                frozenset(("sum-of-batches",)),
                "Steps along the sum of several batches are intended",
                "Is each Step meant to follow the sum of its batches, and not their mean?",
                "The learning rate fits the sum: it is no mistake.",
                "It was meant to follow the mean: it is shown as a mistake, with the line to "
                "change.",
                frozenset(("sum-of-batches",)),
            ),
            Intention(
                "frozen_backbone",
                _LEFT_OUT,
                "Training in evaluation mode is intended",
                "Is training in evaluation mode intended?",
                "Dropout and BatchNorm are meant to stay as in evaluation: it is no mistake.",
                "It stays a mistake.",
                frozenset(("mode-left-eval",)),
            ),
            Intention(
                "evaluation_in_training_mode",
                frozenset(("evaluation-in-training-mode",)),
                "Evaluation in training mode is intended",
                "Is the model meant to be in training mode when it is called without gradients?",
                "Dropout and BatchNorm are meant to work there as in training: it is no mistake.",
                "It was meant to be evaluated: it is shown as a mistake, with the lines to add.",
                frozenset(("evaluation-in-training-mode",)),
            ),
            Intention("adversarial", _LEFT_OUT),
        )
    }
)
"""By name."""

QUESTIONS: tuple[Diagnostic, ...] = (
    Diagnostic(
        "backwards-per-step",
        "question",
        "A step after several backwards",
        "From Backward {first} to Backward {second}, {note} Backwards of one line added up in the "
        "same gradients, and Step {last} of {names} used the sum.",
        "Move the Step ({at_last}), and the Zero Grad, behind the Backward ({at_second}), into its "
        "loop.",
        definition="Two Steps of an optimizer in a row each used the sum of two or more Backwards "
        "of one line, none of which a Step had used before. Not where the text shows that it "
        "is intended: both stand in the same loop, the loss is divided in the loop, or the loop is "
        "over micro-batches by its name.",
    ),
    Diagnostic(
        "batches-carried-over",
        "question",
        "A step with batches left over from before",
        "{cause} Backwards add up for each Step of {names}, but Step {last} used {note}: those "
        "from Backward {first} on were left over before.",
        "Step after the last batch of an epoch, too: if (i + 1) % {cause} == 0 or i + 1 == "
        "len(loader). Or clear the gradients before each epoch.",
        definition="Steps of an optimizer each used the sum of as many Backwards of one line, then "
        "one used more, though less than twice as many, and then one as many as before.",
    ),
    Diagnostic(
        "sum-of-batches",
        "question",
        "Gradients of several batches that are not divided",
        "From Backward {first} to Backward {second}, {note} Backwards added up, and Step {last} of "
        "{names} used the sum: no loss was divided by {note}, so that the steps are about {note} "
        "times as long as those of a batch of that size.",
        "Divide each loss before its Backward ({at_second}): (loss / {cause}).backward().",
        definition="Two Steps of SGD in a row each used the sum of as many Backwards of one line, "
        "which a condition with a remainder sets; nothing in the script is divided or multiplied "
        "by such a number, no loss is a sum, and no gradient is clipped.",
    ),
    Diagnostic(
        "gradients-of-two-losses",
        "question",
        "A step with the gradients of two losses",
        "Backward {first} and Backward {second} wrote the same gradients, and Step {last} of "
        "{names} used their sum: {note}.",
        "{cause} ({at_second}).",
        definition="A Step of one optimizer used the sum of the gradients of two losses, of "
        "which the first has a gradient for parameters of another optimizer, which its Step used, "
        "too, and the second has none.",
    ),
    Diagnostic(
        "one-step-of-two",
        "question",
        "Two losses take turns moving one network",
        "Backward {first} gave a gradient to {names} only. Backward {second}, of another loss, "
        "gave one to {names} and to {cause}, and Step {last} of {note} moved both: two losses "
        "take turns moving {names}.",
        "Create an optimizer for each network, and step only the one whose loss it is ({at_last}); "
        "or clear the gradients of {names} between the Backward ({at_second}) and the Step.",
        definition="Steps that used one loss alternated with Steps that used another one: the "
        "latter moved what the former did, and parameters of another network, which no other Step "
        "had moved.",
    ),
    Diagnostic(
        "network-left-out",
        "question",
        "A network that no optimizer holds",
        "Backward {second} gave {names} a gradient, and no optimizer holds {them}: Step {last} of "
        "{note} used it for the network that it also moves by the loss of Backward {first}.",
        "Create an optimizer for {names}, and step that one after the Backward ({at_second}).",
        definition="Steps of an optimizer that used one loss alternated with Steps that used "
        "another one. Both moved the same parameters; only the latter loss reached another "
        "network, which nothing moved.",
    ),
    Diagnostic(
        "parameters-left-out",
        "question",
        "Parameters that no optimizer holds",
        "Backward {first} gave {names} a gradient, and no optimizer holds {them}: Step {last} of "
        "{note} updated only {cause}.",
        "Pass {them} to {note}, too. If only the others are to be trained, freeze {them} with "
        "requires_grad_(False): then no gradient is computed that nothing uses.",
        definition="In each of five Steps of an optimizer, the last Backward had reached "
        "parameters that no optimizer holds: of a model of which the optimizer holds others, or of "
        "a module in training mode that is applied to the output of such a model, as a criterion "
        "is. Not if the script updates them by hand, or if a list hides them from PyTorch, which "
        "is optimizer-orphan.",
    ),
    Diagnostic(
        "evaluation-in-training-mode",
        "question",
        "A model that is evaluated in training mode",
        "{names} was called without gradients between the iterations, as in {first} and {last}, "
        "and was in training mode: there, Dropout leaves out units at random, and BatchNorm uses "
        "the statistics of the batch, and changes its running ones by them.",
        "Call {names}.eval() before an evaluation ({at_last}), and {names}.train() after it.",
        definition="A module with Dropout or BatchNorm that a Step has moved was called in "
        "training mode under no_grad() or inference_mode(), and again after Steps in two or more "
        "iterations.",
    ),
)
"""Facts if the user answers that what they show is not intended; only on scripts."""


def comment_of(intention: str, *, is_intended: bool = True) -> str:
    """Return the comment by which a script declares an intention.

    Example:
        >>> comment_of("summed_losses", is_intended=False)
        '# gradstep: not summed_losses'
    """
    return f"# gradstep: {'' if is_intended else 'not '}{intention}"
