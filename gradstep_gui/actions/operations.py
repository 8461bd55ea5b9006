"""The four Operations of a training loop, stepping into them, and their options."""

from __future__ import annotations

from gradstep_gui.action import Action, Menu
from gradstep_gui.action_ids import ActionId
from gradstep_gui.actions.enabled_when import has_data, paused
from gradstep_gui.actions.obstacles import no_divergence, not_inside, out_of_turn
from gradstep_gui.translation import QT_TRANSLATE_NOOP

__all__ = ["OPERATIONS"]

OPERATIONS: tuple[Action, ...] = (
    Action(
        id=ActionId.ZERO_GRAD,
        title=QT_TRANSLATE_NOOP("Action", "&Zero Grad"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Clear .grad of every parameter that the optimizer holds.\n"
            "Reads nothing. Writes .grad (to None). Leaves data and optimizer state alone.",
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.apply(d.targets.zero_grad()),
        shortcut="Ctrl+1",
        icon="zero_grad",
        kind="zero_grad",
        group="operation",
        enabled_when=paused,
        obstacle=out_of_turn("zero_grad"),
    ),
    Action(
        id=ActionId.FORWARD,
        title=QT_TRANSLATE_NOOP("Action", "&Forward"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Compute the loss on the next batch.\n"
            "Reads the batch and the parameters. Writes the loss and a new graph.\n"
            "Leaves .grad alone.",
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.apply(d.targets.forward()),
        shortcut="Ctrl+2",
        icon="forward",
        kind="forward",
        group="operation",
        enabled_when=paused,
        obstacle=out_of_turn("forward"),
    ),
    Action(
        id=ActionId.BACKWARD,
        title=QT_TRANSLATE_NOOP("Action", "&Backward"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Backpropagate from the loss.\n"
            "Reads the graph and frees it. Adds to .grad. Leaves data alone.",
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.apply(d.targets.backward()),
        shortcut="Ctrl+3",
        icon="backward",
        kind="backward",
        group="operation",
        enabled_when=paused,
        obstacle=out_of_turn("backward"),
    ),
    Action(
        id=ActionId.STEP,
        title=QT_TRANSLATE_NOOP("Action", "&Step"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Let the optimizer update its parameters.\n"
            "Reads .grad and the optimizer state. Writes data and the optimizer state.\n"
            "Leaves .grad alone.",
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.apply(d.targets.step()),
        shortcut="Ctrl+4",
        icon="step",
        kind="step",
        group="operation",
        enabled_when=paused,
        obstacle=out_of_turn("step"),
    ),
    Action(
        id=ActionId.INTO_ZERO_GRAD,
        title=QT_TRANSLATE_NOOP("Action", "Into Zero Grad"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Go into Zero Grad, whatever is next in the loop."),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.enter(d.targets.zero_grad()),
        shortcut="Ctrl+Shift+1",
        group="into",
        enabled_when=paused,
        obstacle=not_inside("zero_grad"),
    ),
    Action(
        id=ActionId.INTO_FORWARD,
        title=QT_TRANSLATE_NOOP("Action", "Into Forward"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Go into Forward, whatever is next in the loop."),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.enter(d.targets.forward()),
        shortcut="Ctrl+Shift+2",
        group="into",
        enabled_when=paused,
        obstacle=not_inside("forward"),
    ),
    Action(
        id=ActionId.INTO_BACKWARD,
        title=QT_TRANSLATE_NOOP("Action", "Into Backward"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Go into Backward, whatever is next in the loop."),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.enter(d.targets.backward()),
        shortcut="Ctrl+Shift+3",
        group="into",
        enabled_when=paused,
        obstacle=not_inside("backward"),
    ),
    Action(
        id=ActionId.INTO_STEP,
        title=QT_TRANSLATE_NOOP("Action", "Into Step"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Go into Step, whatever is next in the loop."),
        menu=Menu.DEBUG,
        run=lambda d: d.controller.enter(d.targets.step()),
        shortcut="Ctrl+Shift+4",
        group="into",
        enabled_when=paused,
        obstacle=not_inside("step"),
    ),
    Action(
        id=ActionId.HOLD_BATCH,
        title=QT_TRANSLATE_NOOP("Action", "&Hold Batch"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Make Forward use its last batch again instead of the next one, also in runs.",
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.targets.set_options(hold=not d.targets.options.hold),
        shortcut="Ctrl+H",
        icon="hold",
        group="options",
        enabled_when=has_data,
        obstacle=no_divergence,
        checked=lambda d: d.targets.options.hold,
    ),
    Action(
        id=ActionId.RETAIN_GRAPH,
        title=QT_TRANSLATE_NOOP("Action", "Retain &Graph"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Make Backward keep the graph: loss.backward(retain_graph=True), also in runs.\n"
            "A second Backward can then use it.",
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.targets.set_options(retain_graph=not d.targets.options.retain_graph),
        group="options",
        enabled_when=paused,
        obstacle=no_divergence,
        checked=lambda d: d.targets.options.retain_graph,
    ),
    Action(
        id=ActionId.WRITE_ZEROS,
        title=QT_TRANSLATE_NOOP("Action", "Zero Grad &Writes Zeros"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Make Zero Grad write zeros: optimizer.zero_grad(set_to_none=False), also in runs.\n"
            "Step then still applies momentum and weight decay.",
        ),
        menu=Menu.DEBUG,
        run=lambda d: d.targets.set_options(zeros=not d.targets.options.zeros),
        group="options",
        enabled_when=paused,
        obstacle=no_divergence,
        checked=lambda d: d.targets.options.zeros,
    ),
)
